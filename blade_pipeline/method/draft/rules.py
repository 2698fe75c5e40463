"""Proposals for funnel phases and failure modes: expressions tried on every rollout before they are written down."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from blade_pipeline.gym.public import redacted
from blade_pipeline.method.draft.proposals import task_fields
from blade_pipeline.method.draft.seen import Outcomes, Run, Seen
from blade_pipeline.method.draft.yaml_text import usable
from blade_pipeline.method.expressions import evaluate
from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.phases import phases_of
from blade_pipeline.method.slices import json_path
from blade_pipeline.method.sql import records
from blade_pipeline.models import BladeError, Profile

MOST_PHASES, MOST_MODES = 8, 10
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COLUMNS = ("incomplete_reason", "failure_kind")

_GENERIC = (
    ("responded", "coalesce(output_items, 0) > 0 or coalesce(answer_length, 0) > 0"),
    ("called a tool", "coalesce(tool_calls, 0) > 0"),
    ("was not cut short", "incomplete_reason is null and coalesce(response_status, '') <> 'incomplete'"),
)


class Rule(NamedTuple):
    """An expression under a name, with the rollouts that it is true of."""

    name: str
    when: str
    outcomes: Outcomes
    total: Outcomes

    @property
    def reason(self) -> str:
        """The counts in words."""
        kinds = zip(("rollouts", "passed", "failed"), self.outcomes, self.total, strict=True)
        return ", ".join(f"{count} of {total} {kind}" for kind, count, total in kinds)


def phases(runs: Sequence[Run], seen: Seen, answer: str | None) -> list[Rule]:
    """Steps that every passed rollout has taken and some other has not, and passing itself.

    The generic ones come first, the verifier's own in the order of how many rollouts get that far.
    """
    generic = [rule for rule in _tried(runs, _GENERIC) if _is_phase(rule)]
    wanted = [(f"{name} holds", f"{_field(name)} = {yes}") for name, yes in _flags(seen)]
    if answer is not None:
        field = _field(answer)
        wanted.append(("gave an answer", f"trim(coalesce({field}, '')) <> ''"))
    own = sorted((rule for rule in _tried(runs, wanted) if _is_phase(rule)), key=lambda rule: -rule.outcomes.rows)
    last = _tried(runs, [("passed", "passed")])
    return [*generic, *own[: MOST_PHASES - len(generic) - 1], *last]


def generic_phases(runs: Sequence[Run]) -> list[str]:
    """The phases of the generic funnel after the accounting, of the run that shows most of them."""
    expected = (run.aligned.filter(pc.not_equal(run.aligned["outcome"], "unexpected")) for run in runs)
    funnels = (phases_of(samples, Profile())[0] for samples in expected)
    return max(([p.phase for p in found if p.source == "generic"] for found in funnels), key=len, default=[])


def _is_phase(rule: Rule) -> bool:
    """Needed for passing, lacking somewhere, and not just another name of passing."""
    reached, total = rule.outcomes, rule.total
    return total.passed == reached.passed > 0 and reached.passed < reached.rows < total.rows


def _flags(seen: Seen) -> Iterator[tuple[str, str]]:
    for name, known in seen.of_rows.items():
        if known.flag and usable(name):
            yes = next((value for value in ("true", "1", "1.0") if value in known.values), None)
            if yes:
                yield name, _text(yes)


def modes(runs: Sequence[Run], seen: Seen) -> list[Rule]:
    """Values that failed rollouts hold at least twice as often as passed ones, the most frequent first."""
    describing = (
        set(task_fields(seen)) if seen.of_tasks else {n for n, f in task_fields(seen).items() if f.tasks < f.rows}
    )
    wanted: dict[str, str] = {}
    for column in _COLUMNS:
        for value in _values(runs, column):
            _name(wanted, column, value, f"{column} = {_text(value)}")
    for name, known in seen.of_rows.items():
        if name in describing or not known.few or not usable(name) or not (known.kinds == {"text"} or known.flag):
            continue
        for value, outcomes in known.values.items():
            if outcomes.failed > 1 and _telling(outcomes, seen.passed, seen.failed):
                _name(wanted, name, value, f"{_field(name)} = {_text(value)}")
    found = [rule for rule in _tried(runs, list(wanted.items())) if rule.outcomes.failed > 1]
    found = [rule for rule in found if _telling(rule.outcomes, rule.total.passed, rule.total.failed)]
    return sorted(found, key=lambda rule: (-rule.outcomes.failed, rule.name))[:MOST_MODES]


def _telling(outcomes: Outcomes, passed: int, failed: int) -> bool:
    """Twice as frequent among the failed, and not on all of them: that would be the verdict itself."""
    return outcomes.failed < failed and outcomes.failed * passed >= LIFT * outcomes.passed * failed


def _values(runs: Sequence[Run], column: str) -> list[str]:
    found: dict[str, None] = {}
    for run in runs:
        rows = records(
            f"select distinct {column} as value from samples order by value", samples=run.aligned.select([column])
        )
        found |= dict.fromkeys(row["value"] for row in rows if row["value"])
    return list(found)[:MOST_MODES]


def _name(wanted: dict[str, str], field: str, value: str, when: str) -> None:
    """Adds an expression under a code of its own; a value that may not be shown gives none."""
    if redacted(value) != value or not value.isprintable():
        return
    code = re.sub(r"[^a-z0-9]+", "_", f"{field} {value}".lower()).strip("_")[:48].rstrip("_") or "mode"
    number = 2
    while code in wanted:
        code = f"{code.removesuffix(f'_{number - 1}')}_{number}"
        number += 1
    wanted[code] = when


def _tried(runs: Sequence[Run], wanted: Sequence[tuple[str, str]]) -> list[Rule]:
    """The expressions that the profile's loader takes, with what they are true of over all runs."""
    found = []
    for name, when in wanted:
        outcomes = total = Outcomes(0, 0, 0)
        try:
            for run in runs:
                hits = evaluate(run.aligned, [when])[0]
                passed, failed = _masks(run)
                outcomes = outcomes.plus(
                    Outcomes(int(hits.sum()), int((hits & passed).sum()), int((hits & failed).sum()))
                )
                total = total.plus(Outcomes(len(hits), int(passed.sum()), int(failed.sum())))
        except BladeError:
            continue
        found.append(Rule(name, when, outcomes, total))
    return found


def _masks(run: Run) -> tuple[np.ndarray, np.ndarray]:
    measured = np.asarray(pc.equal(run.aligned["outcome"], "measured"), dtype=np.bool_)
    passed = np.asarray(pc.fill_null(run.aligned["passed"], False), dtype=np.bool_)
    return measured & passed, measured & ~passed


def _field(name: str) -> str:
    """SQL for a verifier field, whatever its name holds."""
    return f"verifier->>{_text(name if _PLAIN.fullmatch(name) else json_path(name))}"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
