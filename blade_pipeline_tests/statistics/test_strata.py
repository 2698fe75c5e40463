"""The exact test inside strata, against counts by hand and Fisher's one-sided test."""

import pytest
from scipy.stats import fisher_exact

from blade_pipeline.statistics import strata_p


def test_one_stratum_is_fisher_s_test() -> None:
    assert strata_p([3], [3], [0], [3]) == pytest.approx(1 / 20), "one choice of 3 among 6"
    assert strata_p([7], [12], [2], [11]) == pytest.approx(fisher_exact([[7, 5], [2, 9]], alternative="greater").pvalue)


def test_strata_multiply_and_their_sums_add_up() -> None:
    """Two strata of one marked unit among two: both on A's side in 1 of 4 ways, one of them or both in 3 of 4."""
    assert strata_p([1, 1], [1, 1], [0, 0], [1, 1]) == pytest.approx(1 / 4)
    assert strata_p([1, 0], [1, 1], [0, 1], [1, 1]) == pytest.approx(3 / 4)


def test_a_mark_of_whole_strata_tells_nothing() -> None:
    """All marks lie in strata that hold one side alone, or mark every unit."""
    assert strata_p([4, 0], [4, 0], [0, 0], [0, 4]) == 1
    assert strata_p([2, 0], [2, 3], [2, 0], [2, 1]) == 1
