"""The share of pairs in which a marked value is larger, and its test: by hand, by scipy and by every permutation."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from blade_pipeline.statistics import stratified_superiority
from blade_pipeline_tests.statistics.approx import near


def test_one_stratum_of_single_values_is_the_rank_sum_test_with_ties() -> None:
    marked, other = [3, 5, 5, 8, 9, 9], [1, 2, 3, 3, 4, 5, 5, 7]
    found = stratified_superiority([*marked, *other], [1] * 6 + [0] * 8, range(14), [0] * 14)
    expected = stats.mannwhitneyu(marked, other, use_continuity=False, method="asymptotic")
    assert (found.probability, found.p) == near((expected.statistic / 48, expected.pvalue))
    assert (found.values, found.clusters, found.strata) == (14, 14, 1)


def test_two_strata_by_hand() -> None:
    # A: marked 3, 5 and others 1, 4: 3 of 4 pairs, weight 4/5. B: marked 2 and others 1, 6: 1 of 2, weight 2/4.
    # Share (4/5 * 3/4 + 1/2 * 1/2) / (4/5 + 1/2) = .85 / 1.3. Rank sums 6 and 2, expected 5 and 2: excess 1/5.
    # Variances 2*2/(4*3) * 5 / 25 = 1/15 and 1*2/(3*2) * 2 / 16 = 1/24.
    found = stratified_superiority([3, 5, 1, 4, 2, 1, 6], [1, 1, 0, 0, 1, 0, 0], range(7), [0, 0, 0, 0, 1, 1, 1])
    assert (found.probability, found.z) == near((0.85 / 1.3, 0.2 / math.sqrt(1 / 15 + 1 / 24)))
    assert found.p is None  # seven clusters are too few for the normal tail
    assert (found.values, found.clusters, found.strata) == (7, 7, 2)


def test_clusters_are_exchanged_whole_and_inside() -> None:
    # Three clusters of two values, of which 2, 1 and 0 are marked. All 3! * 2^3 ways to lay the ranks of a cluster on
    # the marks of another give the mean and variance of the marked values' rank sum.
    marks, ranks = [(1, 1), (1, 0), (0, 0)], [(6, 3), (5, 1), (4, 2)]
    sums = [
        sum(mark * rank for row, own in zip(marks, laid, strict=True) for mark, rank in zip(row, own, strict=True))
        for order in permutations(ranks)
        for laid in product(*((own, own[::-1]) for own in order))
    ]
    observed = 6 + 3 + 5
    found = stratified_superiority(np.ravel(ranks) * 10, np.ravel(marks), [0, 0, 1, 1, 2, 2], [0] * 6)
    assert len(sums) == 48
    assert found.z == near((observed - np.mean(sums)) / np.std(sums))
    assert found.probability == near((observed - 6) / 9)


def test_clusters_marked_equally_often_leave_what_differs_inside_them() -> None:
    # Marked 2 and 11 against 1 and 10: 3 of 4 pairs. Inside each cluster the marked rank is 1/2 above the mean, with
    # variance 1/4: z = 1 / sqrt(1/2), however far apart the clusters are.
    found = stratified_superiority([1, 2, 10, 11], [0, 1, 0, 1], [0, 0, 1, 1], [0] * 4)
    assert (found.probability, found.z) == near((0.75, math.sqrt(2)))


def test_strata_of_one_kind_and_unknown_values_have_no_say() -> None:
    values, marked = [1, 2, math.nan, 9, 9], [0, 1, 0, 1, 1]
    found = stratified_superiority(values, marked, range(5), [0, 0, 0, 1, 1])
    assert (found.probability, found.values, found.clusters, found.strata) == (1.0, 2, 2, 1)


@pytest.mark.parametrize("values", [[], [1.0, 2.0], [math.nan, 1.0]])
def test_without_a_pair_there_is_no_share(values: list[float]) -> None:
    found = stratified_superiority(values, [1] * len(values), range(len(values)), [0] * len(values))
    assert (found.probability, found.z, found.p, found.values) == (None, None, None, 0)


def test_equal_values_tell_nothing() -> None:
    found = stratified_superiority([5] * 12, [0, 1] * 6, range(12), [0] * 12)
    assert (found.probability, found.z, found.p) == (0.5, None, None)


def test_a_trait_of_the_tasks_fools_the_pooled_test_and_not_the_one_at_equal_marks() -> None:
    # 60 clusters of 4: hard ones are marked more often and have larger values, and nothing else is planted. Of 400
    # draws 20 are expected at p <= 0.05; 34 or more come with a chance of 0.002.
    generator = np.random.default_rng(20_261_130)
    clusters, hits = np.repeat(np.arange(60), 4), {"pooled": 0, "equal marks": 0}
    for _ in range(400):
        hard = generator.beta(0.6, 0.6, 60)
        marks = generator.random((60, 4)) < hard[:, None]
        values = (3 * hard + generator.normal(0, 1, 60))[:, None] + generator.normal(0, 0.7, (60, 4))
        for name, strata in (("pooled", np.zeros(240)), ("equal marks", marks.sum(1).repeat(4))):
            p = stratified_superiority(values.ravel(), marks.ravel(), clusters, strata).p
            hits[name] += p is not None and p <= 0.05
    assert hits["pooled"] > 380
    assert hits["equal marks"] < 34
