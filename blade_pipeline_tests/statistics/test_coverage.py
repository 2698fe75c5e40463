"""Nominal 95% intervals hold the truth about 95 times in 100, on few draws; docs/statistics.md has the full run."""

import pytest

from blade_pipeline_tests.perf import coverage_simulation as simulation

DRAWS = 1_500
# standard error of a coverage of .95 over 1,500 draws: sqrt(.95*.05/1500) = .0056; 93-97% with three of them
LOW, HIGH = 0.93 - 0.017, 0.97 + 0.017


@pytest.mark.parametrize("setting", simulation.CENTRE, ids=str)
def test_intervals_hold_the_truth_in_the_centre(setting: simulation.Setting) -> None:
    score = simulation.one_run(setting, DRAWS)
    assert LOW <= score["new tasks: ours"].coverage <= HIGH
    assert LOW <= score["these tasks: ours"].coverage <= HIGH
    assert score["new tasks: peer"].coverage < 0.85  # an interval for these tasks must not be read for new ones
    pair = simulation.paired_runs(setting, "mixed", DRAWS)
    assert LOW <= pair["new tasks: ours"].coverage <= HIGH
    assert LOW <= pair["these tasks: ours"].coverage <= HIGH


@pytest.mark.parametrize("setting", simulation.NEAR_ONE, ids=str)
def test_intervals_of_many_tasks_near_one_hold_the_truth(setting: simulation.Setting) -> None:
    score, pair = simulation.one_run(setting, DRAWS), simulation.paired_runs(setting, "mixed", DRAWS)
    for tallies in (score, pair):
        assert LOW <= tallies["new tasks: ours"].coverage <= HIGH
        assert LOW <= tallies["these tasks: ours"].coverage <= HIGH


def test_the_monte_carlo_error_is_that_of_a_share() -> None:
    # sqrt(.95 * .05 / 20,000) = .00154
    assert simulation.Tally(20_000, 19_000).error == pytest.approx(0.00154, abs=5e-6)


@pytest.mark.parametrize("setting", simulation.SMALL, ids=str)
def test_intervals_of_few_tasks_near_one_err_on_the_wide_side(setting: simulation.Setting) -> None:
    assert simulation.one_run(setting, DRAWS)["new tasks: ours"].coverage >= LOW
