"""A verdict of the rows' own against the score, on rows written by hand."""

from typing import Any

import pytest

from blade_pipeline.method.findings_of_verdicts import verdict_findings
from blade_pipeline_tests.builders import aligned


def _found(*rows: tuple[float, dict[str, Any]]) -> list[dict[str, int]]:
    table = aligned([{"task": n, "score": score, "verifier": fields} for n, (score, fields) in enumerate(rows)])
    return [found["numbers"] for found in verdict_findings(table, 1.0)]


def test_a_game_won_below_the_threshold_is_told() -> None:
    # wordle: the later a word is found, the less it scores, so that only the first guess reaches 1.
    rows = [(1.0, {"info": {"won": 1.0}}), (0.96, {"info": {"won": 1.0}}), *[(0.0, {"info": {"won": 0.0}})] * 3]
    assert _found(*rows) == [{"yes_of_failed": 1, "failed": 4, "no_of_passed": 0, "passed": 1}]


def test_a_game_lost_at_the_threshold_is_told_where_none_was_won() -> None:
    # tales: one of three points is a score of 1.
    rows = [(1.0, {"info": {"won": False}}), *[(0.0, {"info": {"won": False}})] * 3]
    assert _found(*rows) == [{"yes_of_failed": 0, "failed": 3, "no_of_passed": 1, "passed": 1}]


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("resolved", [True, False, False, False]),  # it says what the score says
        ("success", [True, True, True, True]),  # of the call, not of the rollout
        ("correct", [False, True, True, True]),  # of something else
        ("won_by", [True, True, False, False]),
        ("resolved", [True, True, None, None]),  # of too few rollouts
        ("resolved", ["yes", "yes", "no", "no"]),
    ],
)
def test_a_flag_that_is_no_other_verdict_is_not_told(name: str, flags: list[Any]) -> None:
    assert _found(*((score, {name: flag}) for score, flag in zip((1.0, 0.0, 0.0, 0.0), flags, strict=True))) == []
