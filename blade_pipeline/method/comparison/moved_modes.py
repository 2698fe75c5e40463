"""Failure modes that became more or less frequent between two runs: why the score moved, as far as failures show it."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Counts
from blade_pipeline.method.comparison.amounts import PERCENT, listed, signed
from blade_pipeline.method.comparison.shares import OnTasks, beyond_chance, corrected, mid_p, share_of
from blade_pipeline.method.near_templates import APART, SHORTEST
from blade_pipeline.method.sql import records

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


def moved_modes(both: tuple[OnTasks, OnTasks], of_a: Failures, of_b: Failures) -> dict[str, Any]:
    """How often each failure mode is the primary one in two runs, on the tasks that both measured.

    A share is the mean over tasks of the mode's failed rollouts among the measured ones, so that the changes of all
    modes add up to the change of pass@1 with its sign turned. The p of a mode is the mid-p of the sign-flip test over
    tasks (families where tasks share one). Where it is at most 0.05, all failed rollouts that show the mode must agree,
    by the larger of the two p: a mode that only yielded its place to another did not move. Holm's correction (1979)
    goes over all modes that have a p; a mode of one run that failed rollouts of the other show without being told has
    none.

    Args:
        both: the runs on their common tasks.
        of_a: failure modes of the first run.
        of_b: failure modes of the second run.

    Returns:
        ``{tasks, a, b, change, tests, rows: [{code, label, symptom, a, b, change, p, holm_p, reason}], sentence}``,
        where each side is ``{count, measured, share}``; the largest changes first.
    """
    labels = _labels(of_b)
    names = _common_names(_labels(of_a), labels)
    labels |= {names[code]: found for code, found in _labels(of_a).items() if names[code] not in labels}
    codes = sorted(labels)
    sides = [
        (side, _counts(side.tasks, failures, codes, known))
        for side, failures, known in zip(both, (of_a, of_b), (names, {}), strict=True)
    ]
    untold = {entry["code"] for failures in (of_a, of_b) for entry in failures.document["untold"]}
    rows = [
        _row(code, *labels[code], code in untold, sides, number)
        for number, code in enumerate(codes)
        if any(counted.main[number].any() for _, counted in sides)
    ]
    failed = [share_of(side.values.measured - side.values.passed, side.values.measured) for side in both]
    tasks = both[0].tasks.num_rows
    found = {
        "tasks": tasks,
        **dict(zip("ab", failed, strict=True)),
        "change": failed[1]["share"] - failed[0]["share"] if tasks else None,
        "tests": sum(row["p"] is not None for row in rows),
        "rows": corrected(rows),
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
    return SequenceMatcher(None, words, others, autojunk=False).ratio() >= 1 - APART


def _counts(tasks: pa.Table, failures: Failures, codes: Sequence[str], names: Mapping[str, str]) -> _Counts:
    failed = failures.table.select(["agent", "stage", "task", "mode", "secondary"])
    main, shown = (np.zeros((len(codes), tasks.num_rows), dtype=np.int64) for _ in range(2))
    number = {code: position for position, code in enumerate(codes)}
    for row in records(_COUNTED, failed=failed, tasks=tasks):
        at = (number[names.get(row["mode"], row["mode"])], row["place"])
        main[at] += row["main"]
        shown[at] += row["shown"]
    return _Counts(main, shown)


def _row(
    code: str, label: str, symptom: bool, untold: bool, sides: Sequence[tuple[OnTasks, _Counts]], number: int
) -> dict[str, Any]:
    ((x, _), before), ((y, _), now) = sides
    change, of_shown = (n[number] / y.measured - m[number] / x.measured for m, n in zip(before, now, strict=True))
    return {
        "code": code,
        "label": label,
        "symptom": symptom,
        "a": share_of(before.main[number], x.measured),
        "b": share_of(now.main[number], y.measured),
        "change": float(change.mean()),
        "p": None if untold else mid_p(x.by_family(change), x.by_family(of_shown)),
        "reason": NOT_TOLD if untold else None,
    }


def _sentence(found: Mapping[str, Any]) -> str:
    """The modes with a symptom that moved beyond chance; empty where none did."""
    moved = [_one(row) for row in beyond_chance(found["rows"]) if row["symptom"]]
    if not moved:
        return ""
    tests = f"{found['tests']} mode{'s' * (found['tests'] != 1)}"
    return (
        f"Beyond chance in a failure mode: {listed(moved, 'mode')} (p after Holm's correction over {tests}); "
        f"all failures together: {signed(found['change'], PERCENT)}."
    )


def named(row: Mapping[str, Any]) -> str:
    """A mode in a sentence: its code and label, of a message its label alone, of which the code is a shorter form."""
    code, label = row["code"], row["label"]
    if ":" in code:
        return str(label)
    return code if label == code.replace("_", " ") else f"{code} ({label})"


def _one(row: Mapping[str, Any]) -> str:
    before, now = (f"{row[side]['count']} of {row[side]['measured']}" for side in "ab")
    change = signed(row["change"], PERCENT)
    return f"{named(row)} from {before} rollouts before to {now}, {change}, p = {row['holm_p']:.2g}"
