"""The permutation test of a slice's mean, against the exact distribution."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom

from blade_pipeline.statistics import sampled_mean_p


def _exact(values: list[float], marked: int) -> float:
    """Twice the smaller tail over all choices of so many values; the first are the marked ones."""
    own = sum(values[:marked])
    sums = np.array([sum(chosen) for chosen in combinations(values, marked)])
    return min(1.0, 2 * min(float(np.mean(sums >= own - 1e-9)), float(np.mean(sums <= own + 1e-9))))


@pytest.mark.parametrize(
    ("passed", "tasks", "all_passed", "all_tasks"),
    [(8, 10, 30, 100), (30, 40, 100, 200), (3, 20, 100, 200), (10, 12, 20, 60), (2, 5, 5, 100), (0, 10, 30, 60)],
)
def test_passes_and_fails_have_the_hypergeometric_p_or_a_little_more(
    passed: int, tasks: int, all_passed: int, all_tasks: int
) -> None:
    values = [1.0] * passed + [0.0] * (tasks - passed) + [1.0] * (all_passed - passed)
    values += [0.0] * (all_tasks - len(values))
    law = hypergeom(all_tasks, all_passed, tasks)
    exact = min(1.0, 2 * min(law.sf(passed - 1), law.cdf(passed)))
    found = sampled_mean_p(values, [n < tasks for n in range(all_tasks)])
    assert found is not None and exact <= found < 3 * exact


@pytest.mark.parametrize("seed", range(6))
def test_graded_scores_have_the_p_of_all_choices(seed: int) -> None:
    values = np.random.default_rng(seed).random(15).round(6).tolist()
    found = sampled_mean_p(values, [n < 5 for n in range(15)])
    assert found == pytest.approx(_exact(values, 5), rel=0.15)


def test_no_p_is_below_that_of_the_most_extreme_choice() -> None:
    values = [n / 1000 for n in range(5)] + [1 + n / 1000 for n in range(5)]
    # 2 of C(10, 5) = 252 choices; the curve alone gives 0.0027.
    assert sampled_mean_p(values, [True] * 5 + [False] * 5) == pytest.approx(2 / 252)


def test_the_level_is_held_where_slices_mean_nothing() -> None:
    draw = np.random.default_rng(20250101)
    rates = draw.binomial(4, draw.beta(0.6, 0.6, (2000, 40))) / 4
    marked = [n < 8 for n in range(40)]
    found = [sampled_mean_p(row, marked) for row in rates]
    for level in (0.05, 0.01):
        share = np.mean([p is not None and p <= level for p in found])
        assert share <= level + 3 * (level / 2000) ** 0.5


@pytest.mark.parametrize("high", [0.4, 0.6])
def test_scores_whose_smallest_gap_is_no_step_move_in_the_common_one(high: float) -> None:
    # 0, 0.4 and 1 lie on fifths; without half a step taken off, p was half of the exact one
    values = [0.0] * 5 + [0.0, 0.0, high] + [high] * 4 + [1.0] * 2
    found = sampled_mean_p(values, [n < 6 for n in range(14)])
    assert found is not None and 0.9 * _exact(values, 6) <= found < 3 * _exact(values, 6)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_outlying_unit_elsewhere_makes_an_ordinary_slice_no_finding(sign: float) -> None:
    # 200 units at 0, 199 at 0.0131 and one at 1: no sum of 5 is below 0, which C(200, 5) of C(400, 5) choices give
    values = [sign * value for value in [0.0] * 200 + [0.0131] * 199 + [1.0]]
    found = sampled_mean_p(values, [n < 5 for n in range(400)])
    assert found == pytest.approx(2 * comb(200, 5) / comb(400, 5), rel=0.35)


def test_nothing_to_test_has_no_p() -> None:
    assert sampled_mean_p([1.0, 1.0, 1.0], [True, False, False]) is None
    assert sampled_mean_p([1.0, 0.0], [True, True]) is None
