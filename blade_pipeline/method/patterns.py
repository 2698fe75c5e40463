"""What failing rollouts leave out or do, across all tasks that pass sometimes: patterns with counts."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.pattern_uses import pattern_uses
from blade_pipeline.method.sql import records
from blade_pipeline.method.stratified import FALSE_SHARE, FEWEST_TASKS
from blade_pipeline.statistics import benjamini_hochberg, sign_flip_p

LEAVES_OUT, CALLS, STOPS = "leaves out", "calls", "stops after an error of"
GIVES_UP, RETRIES = "gives up after an error", "retries after an error"
IN_VAIN, SUCCEEDS = "retries in vain", "retries with success"
UNCHECKED, CHECKS = "ends unchecked", "checks before the end"
ENDS = "ends with"


class Kind(NamedTuple):
    """A question to rollouts: to which ones, the pattern and words of yes and of no, and whether only some can tell."""

    of: str
    yes: tuple[str, str]
    no: tuple[str, str] | None = None
    some: bool = False


_PLAIN = " without another symptom"
KINDS = {
    "calls": Kind(_PLAIN, (CALLS, "call the tool {}"), (LEAVES_OUT, "never call the tool {}")),
    "stops": Kind(_PLAIN, (STOPS, "stop after an error of the tool {}")),
    "retries": Kind(
        f"{_PLAIN} in which a tool gave an error",
        (RETRIES, "call it again"),
        (GIVES_UP, "do not call it again"),
        some=True,
    ),
    "succeeds": Kind(
        f"{_PLAIN} that call a tool again after its error",
        (SUCCEEDS, "then get an answer without an error"),
        (IN_VAIN, "get no answer without an error"),
        some=True,
    ),
    "checks": Kind(
        f"{_PLAIN} that change files",
        (CHECKS, "run tests or another check after the last change"),
        (UNCHECKED, "run no test or other check after the last change"),
        some=True,
    ),
    "ends": Kind("", (ENDS, "end with {}")),
}
"""By ``what`` of ``pattern_uses``; one without a no is no pattern where failing rollouts answer yes less often."""

_TALLY = """
    with per_task as (
        select what, subject, agent, stage, task,
            avg(does::int) filter (passed) - avg(does::int) filter (not passed) as d,
            count(*) filter (passed) as passing, count(*) filter (not passed) as failing,
            count(*) filter (passed and does) as passing_does, count(*) filter (not passed and does) as failing_does
        from uses group by all
    )
    select what, subject, list(d order by stage, task, agent) as differences, count(*) as tasks,
        sum(passing)::bigint as passing, sum(failing)::bigint as failing,
        sum(passing_does)::bigint as passing_does, sum(failing_does)::bigint as failing_does
    from per_task where d is not null group by what, subject having bool_or(d <> 0) order by what, subject
"""


def patterns(aligned: pa.Table, buckets: pa.Table, modes: pa.Table) -> dict[str, Any]:
    """What failing rollouts do or leave out more often than passing ones of the same tasks.

    Tools called, left out or stopped at; tools that are not called again after an error, or in vain; changes of files
    that nothing checks; stop reasons. Failing rollouts that show a symptom (cut short, in circles, infrastructure) are
    left out but for the stop reasons: what they did not come to says nothing. A pattern stands where the share is at
    least twice that of the passing rollouts, the same holds within tasks, and the sign-flip test over tasks has a
    Benjamini-Hochberg q of 5 % at most, among all that could be asked of the run.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        buckets: ``OUTCOME_BUCKETS``.
        modes: ``FAILURE_MODES``.

    Returns:
        ``{patterns, patterns_tested}``; a pattern is ``{pattern, tool, stop, failing_with, failing, passing_with,
        passing, tasks, sentence, p, q}``, the clearest first; ``tool`` and ``stop`` are null where it is of none.
    """
    uses = pattern_uses(aligned, buckets, modes)
    tested = [row for row in records(_TALLY, uses=uses) if row["tasks"] >= FEWEST_TASKS]
    if not tested:
        return {"patterns": [], "patterns_tested": 0}
    p = [sign_flip_p(np.array(row["differences"], dtype=np.float64)) for row in tested]
    q = benjamini_hochberg(p)
    found = [_pattern(row) | {"p": p[n], "q": float(q[n])} for n, row in enumerate(tested)]
    clear = [
        pattern
        for pattern, row in zip(found, tested, strict=True)
        if pattern["q"] <= FALSE_SHARE and _more_often(pattern) and _same_within_tasks(row)
    ]
    return {"patterns": sorted(clear, key=lambda row: (row["p"], -row["failing_with"])), "patterns_tested": len(tested)}


def _pattern(row: dict[str, Any]) -> dict[str, Any]:
    """The tally in the direction in which failing rollouts differ from passing ones."""
    kind = KINDS[row["what"]]
    less = row["failing_does"] * row["passing"] < row["passing_does"] * row["failing"]
    name, does = kind.no if less and kind.no else kind.yes
    counts = {
        f"{side}_with": row[side] - row[f"{side}_does"] if less and kind.no else row[f"{side}_does"]
        for side in ("failing", "passing")
    }
    of = {"tool": None, "stop": None} | {"stop" if row["what"] == "ends" else "tool": row["subject"]}
    found = {"pattern": name, **of, **{key: row[key] for key in ("failing", "passing", "tasks")}, **counts}
    act, passing = does.format(f"`{row['subject']}`"), "such passing ones" if kind.some else "the passing ones"
    sentence = (
        f"Of the failing rollouts{kind.of} {found['failing_with']} of {found['failing']} {act}, of {passing} of the "
        f"same {found['tasks']} tasks {found['passing_with']} of {found['passing']}."
    )
    return found | {"sentence": sentence}


def _same_within_tasks(row: dict[str, Any]) -> bool:
    """Whether failing rollouts do less, or more, within their tasks too, as the test has it."""
    less_often = row["failing_does"] * row["passing"] < row["passing_does"] * row["failing"]
    return bool(less_often == (sum(row["differences"]) > 0))


def _more_often(row: dict[str, Any]) -> bool:
    return bool(row["failing_with"] * row["passing"] >= LIFT * row["passing_with"] * row["failing"])
