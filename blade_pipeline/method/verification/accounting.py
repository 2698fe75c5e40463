"""Holds the numbers of a ``coverage.json`` against the rows, group by group."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from blade_pipeline.method.verification.ids import ALTERED
from blade_pipeline.method.verification.sidecar import Json, record_of
from blade_pipeline.method.verification.truths import OUTCOMES

Key = tuple[Any, ...]
_COLUMNS = ["agent", "stage", "task", "rank", "outcome", "passed", "duplicates", "slices", "reason", "failure_class"]
_COUNTED = ("outcome", "passed", "duplicates")
_GROUPED_BY = {
    "total": (),
    "agent": ("agent",),
    "repeat": ("agent", "rank"),
    "task": ("agent", "stage", "task"),
    "slice": ("slices",),
}
_NAMED_BY = {
    "agent": ("agent",),
    "repeat": ("agent", "repeat"),
    "task": ("agent", "stage", "task"),
    "slice": ("field", "value"),
}
_WRITTEN = ("measured", "masked", "unscored")


def accounting_figures(document: Json, aligned: pa.Table) -> Iterator[Json]:
    """One record per number of the accounting: confirmed, or contradicted with the right value.

    The total, each agent, repeat, task and slice, the shares, the reasons without a score and the classes of lost
    rollouts are recounted. Left out are entries that the rows do not name, names not shown, and physical lines.
    """
    groups, known = _groups(aligned), aligned.num_rows > 0 and aligned["expected"].null_count == 0
    total = _numbers(groups["total",], known)
    shares = {name: total.pop(name) for name in ("coverage", "measured_share")}
    yield from _held(document, shares, "")
    yield from _held(document.get("accounting") or {}, total, "accounting/")
    for kind, names in _NAMED_BY.items():
        for place, entry in enumerate((document.get("by") or {}).get(kind) or []):
            found = groups.get((kind, *(entry.get(name) for name in names)))
            if found is not None:
                yield from _held(entry, _numbers(found, known), f"by/{kind}/{place}/")
    for field, name in (("unscored_reasons", "reason"), ("failures", "class")):
        for place, entry in enumerate(document.get(field) or []):
            if not any(mark in str(entry.get(name)) for mark in ALTERED):
                right = groups.get((name, entry.get(name)), Counter())["rollouts"]
                yield from _held(entry, {"count": right}, f"{field}/{place}/")


def _groups(aligned: pa.Table) -> dict[Key, Counter[str]]:
    """Counts of rollouts by outcome, of passed ones and of duplicate lines, per group.

    Rollouts that are alike in everything that a kind of group asks for are counted first, and then visited once.
    """
    found: dict[Key, Counter[str]] = defaultdict(Counter)
    columns = aligned.select(_COLUMNS).to_pydict()
    for kind, names in _GROUPED_BY.items():
        alike = Counter(zip(*(columns[name] for name in (*names, *_COUNTED)), strict=True))
        for (*values, outcome, passed, duplicates), rollouts in alike.items():
            for key in _keys(kind, values):
                found[key][outcome] += rollouts
                found[key]["passed"] += rollouts * bool(passed)
                found[key]["duplicates"] += rollouts * (duplicates or 0)
    lost = zip(*(columns[name] for name in ("outcome", "reason", "failure_class")), strict=True)
    for (outcome, reason, failure_class), rollouts in Counter(lost).items():
        if outcome == "unscored":
            found["reason", reason]["rollouts"] += rollouts
        if outcome == "failed":
            found["class", failure_class or "unnamed"]["rollouts"] += rollouts
    return found


def _keys(kind: str, values: list[Any]) -> Iterator[Key]:
    """The groups of a kind that a rollout with these values is in; only of slices it may be several."""
    if kind != "slice":
        yield kind, *values
        return
    for field, value in json.loads(values[0] or "{}").items():
        yield kind, field, value if value is None or isinstance(value, str) else json.dumps(value)


def _numbers(counts: Counter[str], known: bool) -> Json:
    expected = sum(counts[name] for name in OUTCOMES)
    completed = sum(counts[name] for name in _WRITTEN)
    right: Json = {name: counts[name] for name in (*OUTCOMES, "unexpected", "duplicates", "passed")}
    right["expected"] = expected if known else None
    right["coverage"] = completed / expected if known and expected else None
    right["measured_share"] = counts["measured"] / expected if known and expected else None
    return right


def _held(stated: Json, right: Json, path: str) -> Iterable[Json]:
    return [
        record_of(f"{path}{name}", stated[name], value, "the rows") for name, value in right.items() if name in stated
    ]
