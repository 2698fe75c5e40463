"""Failure modes that became more or less frequent between two runs: why the score moved, as far as failures show it."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Counts, Floats
from blade_pipeline.method.comparison.amounts import PERCENT, signed
from blade_pipeline.method.comparison.moved_slices import ALPHA, TOLD
from blade_pipeline.method.comparison.pairing import pair_tasks
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import Values, both_measured, content_order, paired_values
from blade_pipeline.method.sql import records
from blade_pipeline.statistics import holm, sign_flip

SCREENED = 1_000
"""Sign vectors that show that a mode did not move; the test's own number follows where they do not."""

ALIKE = 0.75
"""Share of their words that two messages of one field have in common when they are one message."""
SHORTEST = 4
"""Words below which one word is the message itself."""

NOT_TOLD = "failed rollouts of the other run show it as well, where it does not tell them from passed ones"

_COUNTED = """
    with listed as (
        select agent, stage, task, mode, true as main from failed
        union all
        select agent, stage, task, unnest(string_split(secondary, ',')), false from failed where secondary is not null
    )
    select mode, place, count(*) filter (main) as main, count(*) as shown
    from listed join tasks using (agent, stage, task) group by mode, place order by mode, place
"""


class Failures(NamedTuple):
    """Rows of ``FAILURE_MODES`` of a run, and their document."""

    table: pa.Table
    document: Mapping[str, Any]


class _Counts(NamedTuple):
    """Failed rollouts per common task: by primary mode, and by any mode that they show; shape (modes, tasks)."""

    main: Counts
    shown: Counts


def moved_modes(a: Side, b: Side, of_a: Failures, of_b: Failures) -> dict[str, Any]:
    """How often each failure mode is the primary one in two runs, on the tasks that both measured.

    A share is the mean over tasks of the mode's failed rollouts among the measured ones, so that the changes of all
    modes add up to the change of pass@1 with its sign turned. The p of a mode is the mid-p of the sign-flip test over
    tasks (families where tasks share one). Where it is at most 0.05, all failed rollouts that show the mode must agree,
    by the larger of the two p: a mode that only yielded its place to another did not move. Holm's correction (1979)
    goes over all modes that have a p; a mode of one run that failed rollouts of the other show without being told has
    none.

    Args:
        a: the first run.
        b: the second run.
        of_a: failure modes of the first run.
        of_b: failure modes of the second run.

    Returns:
        ``{tasks, a, b, change, tests, rows: [{code, label, symptom, a, b, change, p, holm_p, reason}], sentence}``,
        where each side is ``{count, measured, share}``; the largest changes first.
    """
    pairing = pair_tasks(a, b)
    order = content_order(a, pairing.a)
    before, now = paired_values(a, b, pairing, PERCENT)
    common = both_measured(before, now)
    labels = _labels(of_b)
    names = _common_names(_labels(of_a), labels)
    labels |= {names[code]: found for code, found in _labels(of_a).items() if names[code] not in labels}
    codes = sorted(labels)
    places = np.flatnonzero(common)
    sides = [
        (values.only(common), _counts(side, [rows[order[place]] for place in places], failures, codes, known))
        for side, rows, values, failures, known in ((a, pairing.a, before, of_a, names), (b, pairing.b, now, of_b, {}))
    ]
    untold = {entry["code"] for failures in (of_a, of_b) for entry in failures.document["untold"]}
    rows = [
        _row(code, *labels[code], code in untold, sides, number)
        for number, code in enumerate(codes)
        if any(counted.main[number].any() for _, counted in sides)
    ]
    _correct(rows)
    rows.sort(key=lambda row: (-abs(row["change"]), row["code"]))
    failed = [_side(values, values.measured - values.passed) for values, _ in sides]
    found = {
        "tasks": int(common.sum()),
        **dict(zip("ab", failed, strict=True)),
        "change": failed[1]["share"] - failed[0]["share"] if common.any() else None,
        "tests": sum(row["p"] is not None for row in rows),
        "rows": rows,
    }
    return found | {"sentence": _sentence(found)}


def _labels(failures: Failures) -> dict[str, tuple[str, bool]]:
    """Label of each mode, and whether it names a symptom."""
    document = failures.document
    found = {mode["code"]: (mode["label"], True) for mode in document["secondary"]}
    return found | {mode["code"]: (mode["label"], mode["symptom"]) for mode in document["modes"]}


def _common_names(before: Mapping[str, tuple[str, bool]], now: Mapping[str, tuple[str, bool]]) -> dict[str, str]:
    """The code that each mode of the first run has in the second: another one where its message has few other words."""
    left = [code for code in now if code not in before]
    found = {}
    for code, (label, _) in before.items():
        near = [] if code in now else [other for other in left if _alike(label, now[other][0])]
        found[code] = min(near, default=code)
        left = [other for other in left if other != found[code]]
    return found


def _alike(one: str, other: str) -> bool:
    """Whether two labels ``field: message`` are of one field and nearly one message."""
    (field, _, said), (field_of_other, _, said_by_other) = one.partition(": "), other.partition(": ")
    words, others = said.split(), said_by_other.split()
    if field != field_of_other or min(len(words), len(others)) < SHORTEST:
        return False
    return SequenceMatcher(None, words, others, autojunk=False).ratio() >= ALIKE


def _counts(
    side: Side, rows: Sequence[int], failures: Failures, codes: Sequence[str], names: Mapping[str, str]
) -> _Counts:
    tasks = side.per_task.select(["agent", "stage", "task"]).take(pa.array(rows, pa.int64()))
    tasks = tasks.append_column("place", pa.array(range(len(rows)), pa.int64()))
    failed = failures.table.select(["agent", "stage", "task", "mode", "secondary"])
    main, shown = (np.zeros((len(codes), len(rows)), dtype=np.int64) for _ in range(2))
    number = {code: position for position, code in enumerate(codes)}
    for row in records(_COUNTED, failed=failed, tasks=tasks):
        at = (number[names.get(row["mode"], row["mode"])], row["place"])
        main[at] += row["main"]
        shown[at] += row["shown"]
    return _Counts(main, shown)


def _row(
    code: str, label: str, symptom: bool, untold: bool, sides: Sequence[tuple[Values, _Counts]], number: int
) -> dict[str, Any]:
    (x, before), (y, now) = sides
    change, of_shown = (n[number] / y.measured - m[number] / x.measured for m, n in zip(before, now, strict=True))
    return {
        "code": code,
        "label": label,
        "symptom": symptom,
        "a": _side(x, before.main[number]),
        "b": _side(y, now.main[number]),
        "change": float(change.mean()),
        "p": None if untold else _mid_p(x.by_family(change), x.by_family(of_shown)),
        "reason": NOT_TOLD if untold else None,
    }


def _mid_p(change: Floats, of_shown: Floats) -> float:
    screened = sign_flip(change, draws=SCREENED).mid_p
    if screened > ALPHA:
        return screened
    if change.sum() * of_shown.sum() <= 0:
        return 1.0
    return max(sign_flip(gap).mid_p for gap in (change, of_shown))


def _side(values: Values, counts: Counts) -> dict[str, Any]:
    shares: Floats = counts / values.measured
    return {
        "count": int(counts.sum()),
        "measured": int(values.measured.sum()),
        "share": float(shares.mean()) if shares.size else None,
    }


def _correct(rows: list[dict[str, Any]]) -> None:
    tested = [row for row in rows if row["p"] is not None]
    corrected = holm(np.array([row["p"] for row in tested])) if tested else ()
    for row in rows:
        row["holm_p"] = None
    for row, p in zip(tested, corrected, strict=True):
        row["holm_p"] = float(p)


def _sentence(found: Mapping[str, Any]) -> str:
    """The modes with a symptom that moved beyond chance; empty where none did."""
    told = [row for row in found["rows"] if row["symptom"] and row["holm_p"] is not None]
    moved = [row for row in told if row["holm_p"] <= ALPHA]
    if not moved:
        return ""
    parts = [_one(row) for row in moved[:TOLD]]
    left = len(moved) - TOLD
    rest = f"; {left} further mode{'s' * (left > 1)} moved" if left > 0 else ""
    tests = f"{found['tests']} mode{'s' * (found['tests'] != 1)}"
    return (
        f"Beyond chance in a failure mode: {'; '.join(parts)}{rest} (p after Holm's correction over {tests}); "
        f"all failures together: {signed(found['change'], PERCENT)}."
    )


def named(row: Mapping[str, Any]) -> str:
    """The code of a mode and its label, where that says more."""
    code, label = row["code"], row["label"]
    return code if label == code.replace("_", " ") else f"{code} ({label})"


def _one(row: Mapping[str, Any]) -> str:
    before, now = (f"{row[side]['count']} of {row[side]['measured']}" for side in "ab")
    change = signed(row["change"], PERCENT)
    return f"{named(row)} from {before} rollouts before to {now}, {change}, p = {row['holm_p']:.2g}"
