"""Slices whose score stands apart from the other tasks', in words."""

from blade_pipeline.method.facts_of_slices import KIND
from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.slice_tests import scores_apart, stands_apart
from blade_pipeline.reporting.blocks import Text, code, joined, say
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import decimal, percent, plural, probability
from blade_pipeline.reporting.view.evidence import Evidence

NAMED = 3
"""Fields that the first page names."""


def score_words(scores: Json, value: float | None) -> str:
    """A score of the run's headline metric."""
    return decimal(value) if scores.get("headline_metric") == MEAN_REWARD else percent(value)


def slice_sentence(evidence: Evidence) -> Text | None:
    """The clearest slice of each field whose score stands apart; None where there is none."""
    scores = evidence.inputs.scores
    found = scores_apart(scores.get("slices") or [])
    if not found:
        return None
    parts = [_one(evidence, row) for row in found[:NAMED]]
    rest = len(found) - NAMED
    more = f"; {plural(rest, 'further field')} in Breakdowns" if rest > 0 else ""
    return say(joined(parts, "; "), f"{more}.")


def _one(evidence: Evidence, row: Json) -> Text:
    scores, test = evidence.inputs.scores, row["against_rest"]
    own, rest = (score_words(scores, test[name]) for name in ("score", "rest"))
    cite = evidence.cite(KIND, naming=row["field"])
    name = say(code(row["field"]), " = ", code(row["value"]))
    where = f" on {plural(row['num_tasks'], 'task')} against {rest} on the other {test['rest_tasks']}"
    return say(name, f" scores {own}{where} ({probability(test['q'], 'q')})", cite)


def apart_words(scores: Json, row: Json) -> str:
    """Whether a slice's score stands apart, and from what; empty where it does not."""
    if not stands_apart(row):
        return ""
    test = row["against_rest"]
    side = "lower" if test["score"] < test["rest"] else "higher"
    return f"{side}: {score_words(scores, test['rest'])} elsewhere, {probability(test['q'], 'q')}"
