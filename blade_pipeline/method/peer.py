"""The numbers that NeMo Gym shipped, held against the rows: which differ, and which rule would explain it."""

from math import isclose
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

TOLERANCE = 1e-9
SHOWN = 10
"""Differing numbers listed per file; further ones are counted."""

_FIRST = ("mean/reward", "pass@1/accuracy", "pass@1[avg-of-1]/accuracy")
_SHARES = ("pass@", "pass^", "majority@", "no_answer")


def held_against_rows(
    aggregates: list[dict[str, Any]], agents: dict[str, dict[str, Any]], aligned: pa.Table
) -> list[dict[str, Any]]:
    """Every shipped number that the rows give as well.

    Args:
        aggregates: what ``read_aggregates`` returns.
        agents: the score document of each agent, with NeMo Gym's numbers recomputed under ``native``.
        aligned: ``ALIGNED_SAMPLES``, for the rules that may explain a difference.

    Returns:
        ``{"file", "older", "problem", "compared", "different", "differences": [{"agent", "name", "theirs", "ours",
        "rules": [clause]}], "impossible": [{"agent", "name", "theirs"}]}`` per file. ``rules`` are those under which
        the rows give the shipped mean reward. ``impossible`` are shares outside 0 and 100 % of scores within 0 and 1.
    """
    return [_file(entry, agents, aligned) for entry in aggregates]


def _file(entry: dict[str, Any], agents: dict[str, dict[str, Any]], aligned: pa.Table) -> dict[str, Any]:
    compared, different, impossible = 0, [], []
    for agent, numbers in entry["agents"].items():
        name = agent if agent in agents else next(iter(agents)) if len(agents) == 1 else None
        scores = agents.get(name or "", {})
        native = scores.get("native") or {}
        pairs = [(key, theirs, native[key]) for key, theirs in numbers.items() if _is_number(native.get(key))]
        compared += len(pairs)
        wrong = [pair for pair in pairs if not isclose(*pair[1:], rel_tol=TOLERANCE, abs_tol=TOLERANCE)]
        different += [{"agent": agent, "name": key, "theirs": theirs, "ours": ours} for key, theirs, ours in wrong]
        if _in_unit_range(native):
            outside = ((key, value) for key, value in numbers.items() if _is_share(key) and not 0 <= value <= 100)
            impossible += [{"agent": agent, "name": key, "theirs": value} for key, value in outside]
        for difference in different:
            if difference["agent"] == agent and difference["name"] == "mean/reward" and name is not None:
                difference["rules"] = explaining_rules(aligned.filter(pc.equal(aligned["agent"], name)), difference)
    different.sort(key=lambda found: (_rank(found["name"]), found["agent"], found["name"]))
    about = {name: entry[name] for name in ("file", "older", "problem")}
    counted = {"compared": compared, "different": len(different), "differences": different[:SHOWN]}
    return about | counted | {"impossible": impossible[:SHOWN]}


def explaining_rules(own: pa.Table, difference: dict[str, Any]) -> list[str]:
    """The rules for absent, masked and late rows under which the agent's rows give the shipped mean reward."""
    written = pc.and_(pc.is_valid(own["line"]), pc.is_valid(own["reward"]))
    masked = pc.equal(own["outcome"], "masked")
    counted = own.filter(pc.and_(written, pc.invert(masked)))
    hidden = own.filter(pc.and_(written, masked))["reward"].to_pylist()
    rewards = counted.sort_by([("file", "ascending"), ("line", "ascending")])["reward"].to_pylist()
    found = [
        f"{words} ({zeros} of them)"
        for words, zeros in _zeros(own)
        if _same(difference["theirs"], sum(rewards), len(rewards) + zeros)
    ]
    if hidden and _same(difference["theirs"], sum(rewards) + sum(hidden), len(rewards) + len(hidden)):
        found.append(f"masked rollouts count ({len(hidden)} more)")
    early = _early(rewards, difference["theirs"]) if not found else None
    return found if early is None else [f"only the first {early} of {len(rewards)} rows had been written"]


def _zeros(own: pa.Table) -> list[tuple[str, int]]:
    """Ways to put zeros in place of rollouts without a reward, each with their number."""
    lost = {name: int(pc.sum(pc.equal(own["outcome"], name)).as_py() or 0) for name in ("failed", "missing")}
    without = int(pc.sum(pc.and_(pc.is_valid(own["line"]), pc.is_null(own["reward"]))).as_py() or 0)
    classes = pc.value_counts(own.filter(pc.equal(own["outcome"], "failed"))["failure_class"]).to_pylist()
    parts = [("failed rollouts", lost["failed"])]
    if len(classes) > 1:
        parts += [(f"failures of class `{entry['values']}`", entry["counts"]) for entry in classes]
    parts += [("missing rollouts", lost["missing"]), ("rows without a reward", without)]
    if all(lost.values()):
        parts.append(("failed and missing rollouts", sum(lost.values())))
    if without and any(lost.values()):
        parts.append(("all rollouts without a reward", without + sum(lost.values())))
    return [(f"{words} count as reward 0", zeros) for words, zeros in parts if zeros]


def _early(rewards: list[float], theirs: float) -> int | None:
    """The largest number of first rows whose mean is the shipped one."""
    total, found = 0.0, None
    for written, reward in enumerate(rewards[:-1], start=1):
        total += reward
        found = written if _same(theirs, total, written) else found
    return found


def _same(theirs: float, total: float, size: int) -> bool:
    """Equal to four decimals, as rounded aggregates are."""
    return size > 0 and isclose(theirs, total / size, rel_tol=TOLERANCE, abs_tol=5e-5)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _is_share(name: str) -> bool:
    return name.startswith(_SHARES) and not name.endswith(("/std_dev_across_runs", "/std_err_across_runs"))


def _in_unit_range(native: dict[str, Any]) -> bool:
    return bool(native.get("min/reward", 0) >= 0 and native.get("max/reward", 1) <= 1)


def _rank(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)
