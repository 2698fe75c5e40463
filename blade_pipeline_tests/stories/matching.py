"""Holds claims against a planted truth, by the definitions of docs/diagnosis.md."""

from typing import NamedTuple

from blade_pipeline.method.concentrations import ANY
from blade_pipeline_tests.stories.claims import Claim, Json, Key, Said

ALIKE = 0.8
"""Jaccard index from which two sets of rollouts are the same failure mode."""

BY_ROLLOUTS = ("mode", "truncation", "thrashing", "verifier_conflict")
DOING = ("stopped_at_tool", "gave_up", "in_vain", "unchecked", "ended_with")
"""Claims of what failing rollouts do, which follow from any planted set of rollouts that is alike."""
CAUSES = {
    "outage": "IR",
    "verifier_conflict": "TI",
    "truncation": "BI",
    "thrashing": "BI",
    "skipped_tool": "BI",
}
"""The root cause that a planted statement asks for; a mode alone asks for none."""


class Score(NamedTuple):
    """Counts of one run, and in words what was missed and what was said without ground."""

    planted: int
    found: int
    claims: int
    true: int
    tasks: int
    labelled: int
    missed: list[str]
    false: list[str]


class Truth:
    """The planted statements of one run."""

    def __init__(self, document: Json, said: Said) -> None:
        self.statements: list[Json] = document["truth"]
        self._failed = said.failed

    def supports(self, claim: Claim) -> bool:
        """Whether a claim follows from what was planted."""
        return any(self._bears_out(statement, claim) for statement in self.statements)

    def found_by(self, statement: Json, claims: list[Claim]) -> bool:
        """Whether a claim of the statement's own kind says it."""
        same = [claim for claim in claims if self._says(statement, claim)]
        if statement["kind"] == "verifier_conflict" and statement["where"]:
            sliced = {claim.what for claim in claims if _sliced(statement, claim)}
            return any(claim.what in sliced for claim in same)
        return bool(same)

    def _says(self, statement: Json, claim: Claim) -> bool:
        kind, where = statement["kind"], statement["where"]
        if kind == "mode":
            return claim.kind in BY_ROLLOUTS and self._alike(statement, claim)
        if kind in BY_ROLLOUTS:
            return claim.kind == kind and self._alike(statement, claim)
        if kind == "concentration":
            return _sliced(statement, claim) and self._of_planted_mode(claim)
        return claim.kind == kind and _same(claim.where, where)

    def _bears_out(self, statement: Json, claim: Claim) -> bool:
        if claim.kind in BY_ROLLOUTS:
            return self._alike(statement, claim)
        if claim.kind == "concentration":
            return _sliced(statement, claim) and self._of_planted_mode(claim)
        if claim.kind in DOING and self._alike(statement, claim):
            return True
        return claim.kind == statement["kind"] and _same(claim.where, statement["where"])

    def _of_planted_mode(self, claim: Claim) -> bool:
        """Whether a concentration speaks of failure at large or of a failure mode that was planted."""
        if claim.what == ANY:
            return True
        return any(self._alike(statement, claim) for statement in self.statements)

    def _alike(self, statement: Json, claim: Claim) -> bool:
        """Jaccard index of the failed rollouts that a statement and a claim speak of."""
        planted = rollouts_of(statement) & self._failed
        both = planted | claim.rollouts
        return bool(both) and len(planted & claim.rollouts) >= ALIKE * len(both)


def _sliced(statement: Json, claim: Claim) -> bool:
    return claim.kind == "concentration" and _same(claim.where, statement["where"])


def _same(one: Json, other: Json) -> bool:
    """Equal names and values; a value may be a text, a number or a flag."""
    return {name: str(value).lower() for name, value in one.items()} == {
        name: str(value).lower() for name, value in other.items()
    }


def rollouts_of(statement: Json) -> frozenset[Key]:
    """The rollouts of a statement as pairs."""
    return frozenset((task, repeat) for task, repeat in statement["rollouts"])


def score(document: Json, said: Said) -> Score:
    """Recall over the planted statements, precision over the claims, and the causes of the tasks most hit."""
    truth = Truth(document, said)
    missed = [s for s in truth.statements if not truth.found_by(s, said.claims)]
    false = [claim for claim in said.claims if not truth.supports(claim)]
    tasks = _expected_labels(truth.statements, said)
    return Score(
        planted=len(truth.statements),
        found=len(truth.statements) - len(missed),
        claims=len(said.claims),
        true=len(said.claims) - len(false),
        tasks=len(tasks),
        labelled=sum(said.labels.get(task) == label for task, label in tasks.items()),
        missed=[f"{s['kind']} {s['where']} ({len(s['rollouts'])} rollouts)" for s in missed],
        false=[f"{c.kind} {c.what} {c.where} ({len(c.rollouts)} rollouts)" for c in false],
    )


def _expected_labels(statements: list[Json], said: Said) -> dict[int, str]:
    """The cause that each task asks for of which more than half of the lost rollouts were planted."""
    found = {}
    for statement in statements:
        if label := CAUSES.get(statement["kind"]):
            planted = rollouts_of(statement)
            found |= {task: label for task, lost in said.lost.items() if 2 * len(lost & planted) > len(lost)}
    return found
