"""Comparisons of two runs, at the edges that the worked cases leave out."""

import math

import numpy as np
import pytest
from scipy import stats

from blade_pipeline import statistics as st
from blade_pipeline_tests.statistics.approx import near


def test_a_run_against_itself_is_not_proof_of_equality() -> None:
    # 30 equal tasks: 1-.025^(1/30) = .115703 of new tasks could differ
    means = np.linspace(0, 1, 30)
    result = st.paired_difference(means, means)
    assert (result.interval.estimate, result.interval.se, result.p) == (0.0, 0.0, 1.0)
    assert (result.interval.low, result.interval.high) == (
        near(-0.115703, abs=1e-6),
        near(0.115703, abs=1e-6),
    )
    assert result.interval.note


@pytest.mark.parametrize(("tasks", "excludes"), [(2, False), (5, False), (6, True)])
def test_equal_gains_decide_from_six_tasks_on_like_the_sign_test(tasks: int, excludes: bool) -> None:
    # sign test 2/2^5 = .0625, 2/2^6 = .03125
    result = st.paired_difference([0.0] * tasks, [1.0] * tasks)
    assert result.interval.excludes_zero() is excludes
    assert result.p == near(2 * 0.5**tasks)


def test_equal_differences_without_range_leave_the_interval_open() -> None:
    interval = st.paired_difference([0.0, 0.0], [3.0, 3.0]).interval
    assert (interval.low, interval.se) == (None, 0.0)
    assert interval.reason


def test_paired_difference_leaves_out_tasks_that_one_run_lacks() -> None:
    result = st.paired_difference([0, 1, 0.5, math.nan], [1, 1, 0, 1])
    expected = stats.ttest_rel([1, 1, 0], [0, 1, 0.5])
    assert (result.interval.n, result.t, result.p) == (
        3, near(expected.statistic), near(expected.pvalue),
    )  # fmt: skip
    assert st.paired_difference([math.nan], [1.0]).interval.reason == "no task was measured in both runs"
    assert st.paired_difference([0.0], [1.0]).interval.reason == "one common task or family has no spread"


def test_paired_families_by_hand() -> None:
    # d = (1,1,0,0) in families (a,a,b,b): mean 1/2, family sums 1 and -1, SE = sqrt(2/1*2)/4 = 1/2, df 1
    interval = st.paired_difference([0] * 4, [1, 1, 0, 0], clusters=["a", "a", "b", "b"]).interval
    assert (interval.se, interval.df, interval.n) == (near(0.5), 1.0, 2)
    # 1/2 +- 12.7 * 1/2 leaves what a difference of proportions can be
    assert (interval.low, interval.high) == (-1.0, 1.0)
    assert interval.note == "only 2 families; cut at the largest possible difference"


def test_stratified_difference_is_unknown_at_one_repeat() -> None:
    result = st.stratified_difference([1, 0], [math.nan] * 2, 1, [1, 1], [0, 0], 4)
    assert (result.interval.estimate, result.interval.low, result.p) == (0.5, None, None)
    assert result.interval.reason == "one of the runs has one repeat per task"


def test_stratified_difference_of_systems_that_never_vary() -> None:
    # 5 tasks x 4 on each side: shares of A and B together at most 2(1-.025^(1/40)):
    # ln .025 = -3.688879, /40 = -.0922220, e^ = .9119027, share .1761946
    result = st.stratified_difference([1] * 5, [0] * 5, 4, [1, 1, 1, 1, 0], [0] * 5, 4)
    assert result.interval.se == 0.0
    assert (result.interval.low, result.interval.high) == (
        near(-0.376195, abs=1e-6),
        near(-0.023805, abs=1e-6),
    )
    # p = 2 (1-.1)^40
    assert result.p == near(2 * 0.9**40)


def test_stratified_difference_borrows_variances_side_by_side() -> None:
    # A: s^2 .5 at K=2 and one repeat -> .25+.5; B: {0 at K=2} twice -> 0; SE = sqrt(.75)/2
    result = st.stratified_difference([0.5, 1], [0.5, math.nan], [2, 1], [1, 1], [0, 0], 2)
    assert result.interval.se == near(math.sqrt(0.75) / 2)
    assert result.interval.note is not None
    assert result.interval.note.startswith("1 task(s) with one repeat were given the mean variance of the others")


def test_welch_agrees_with_scipy_and_needs_two_repeats() -> None:
    a, b = [0.5, 0.6, 0.55], [0.7, 0.65]
    result, expected = st.welch_over_repeats(a, b), stats.ttest_ind(b, a, equal_var=False)
    interval = expected.confidence_interval()
    assert (result.t, result.p) == (near(expected.statistic), near(expected.pvalue))
    assert (result.interval.low, result.interval.high) == (near(interval.low), near(interval.high))
    assert st.welch_over_repeats([0.5], b).interval.reason == "a side has fewer than two repeats"
    flat = st.welch_over_repeats([0.5, 0.5], [0.5, 0.5])
    assert (flat.interval.se, flat.p) == (0.0, 1.0)


def test_sign_flip_beyond_enumeration_is_seeded_and_close_to_exact() -> None:
    d = np.array([1.0, 2.0, -1.0] * 8)
    # normal form: sum 16 with variance 48: |z| = 2.309, p about .0209
    p = st.sign_flip_p(d)
    assert p == st.sign_flip_p(d[::-1])
    assert p == near(0.0209, abs=0.008)
    assert (p * 20_001) == near(round(p * 20_001))


def test_the_mid_p_of_sign_flips_counts_half_of_the_ties() -> None:
    # 4 of 5 up by 1: all 16 sign vectors, |sum| = 4 for 2 of them: p = 2/16, mid-p = 1/16
    assert st.sign_flip([1.0, 1.0, 1.0, 1.0, 0.0]) == (0.125, 0.0625, 4)
    # .1, .2, .3 up: 2 of 8 reach .6, both by a tie
    assert st.sign_flip([0.1, 0.2, 0.3]) == (0.25, 0.125, 3)
    assert st.sign_flip([0.0]) == (1.0, 1.0, 0)
    found = st.sign_flip(np.array([1.0, 2.0, -1.0] * 8))
    assert found.p == st.sign_flip_p(np.array([1.0, 2.0, -1.0] * 8))
    assert 0.0 < found.mid_p < found.p
    assert found.moved == 24


def test_sign_flip_ignores_rounding_and_empty_differences() -> None:
    # 0.1+0.2 = 0.3 up to rounding: signs (+,+,-) and (-,-,+) give a sum of 0, all others reach .6 or .4 or .2;
    # observed .1+.2-.3 = 0, which every sign vector reaches
    assert st.sign_flip_p([0.1, 0.2, -0.3]) == 1.0
    assert st.sign_flip_p([0.0, math.nan]) == 1.0
    # .1+.2+.3: only the two equal-sign vectors of 8 reach it
    assert st.sign_flip_p([0.1, 0.2, 0.3]) == 0.25


def test_no_discordant_task_is_no_evidence() -> None:
    result = st.mcnemar(0, 0)
    assert (result.p_exact, result.p_mid, result.chi2_cc) == (1.0, 1.0, None)
    # 0 of 1: exact 2*1/2 = 1; mid-p 1 - 1/2
    assert (st.mcnemar(0, 1).p_exact, st.mcnemar(0, 1).p_mid) == (1.0, 0.5)
    assert st.sign_test([0.0, 0.0]).p == 1.0
    with pytest.raises(ValueError, match="negative"):
        st.mcnemar(-1, 0)


def test_bonett_price_needs_counts_that_fit() -> None:
    with pytest.raises(ValueError, match="discordant"):
        st.bonett_price(3, 3, 5)
    assert st.bonett_price(0, 0, 0).reason == "no common task"


def test_detectable_effect_over_repeats_follows_the_published_row() -> None:
    # n=198, omega2=.05, sigma2=.1 each side: 9.96, 7.71, 6.30, 5.45 points for K=1, 2, 4, 8; limit 4.45
    ks = (1, 2, 4, 8, math.inf)
    points = [100 * st.minimum_detectable_effect(0.05, 0.1, k, 0.1, k, 198, df=math.inf) for k in ks]
    assert points == near([9.96, 7.71, 6.30, 5.45, 4.45], abs=0.0051)


@pytest.mark.parametrize("n", [6, 10, 30, 198])
def test_the_t_test_has_the_promised_power_at_its_detectable_effect(n: int) -> None:
    # scipy's non-central t is the exact power; the sum of two quantiles falls short of it by less than one percent
    effect = st.minimum_detectable_effect(0.05, 0.1, 4, 0.1, 4, n)
    critical, shift = stats.t.ppf(0.975, n - 1), effect / math.sqrt((0.05 + 0.1 / 4 + 0.1 / 4) / n)
    assert stats.nct.sf(critical, n - 1, shift) == near(0.8, abs=0.006)
    normal = st.minimum_detectable_effect(0.05, 0.1, 4, 0.1, 4, n, df=math.inf)
    assert effect > normal


def test_tasks_needed_is_the_first_number_of_tasks_whose_detectable_effect_is_no_larger() -> None:
    for delta in (0.01, 0.03, 0.2, 0.5):
        n = st.tasks_needed(delta, 0.05, 0.1, 4, 0.1, 4)
        assert st.minimum_detectable_effect(0.05, 0.1, 4, 0.1, 4, n) <= delta + 1e-9
        assert st.minimum_detectable_effect(0.05, 0.1, 4, 0.1, 4, n - 1) > delta


def test_repeats_needed_inverts_the_detectable_effect() -> None:
    # at the 6.33 points of 4 repeats 4 repeats are enough and 3 are not; below the limit of 4.45 no number is
    effect = st.minimum_detectable_effect(0.05, 0.1, 4, 0.1, 4, 198)
    assert st.repeats_needed(effect, 198, 0.05, 0.1, 0.1) == 4
    assert st.repeats_needed(effect - 1e-6, 198, 0.05, 0.1, 0.1) == 5
    assert st.repeats_needed(0.04, 198, 0.05, 0.1, 0.1) is None
    with pytest.raises(ValueError, match="never"):
        st.tasks_needed(0.0, 0.1, 0.1, 1, 0.1, 1)


def test_noise_of_unequal_repeats_uses_their_harmonic_mean() -> None:
    # 1/2 (1/1 + 1/4) = 5/8
    assert st.harmonic_repeats([1, 4]) == near(8 / 5)
    assert st.omega2([0.5], 0.1, 1, 0.1, 1).value is None


def test_equivalence_of_equal_runs_needs_enough_tasks() -> None:
    # one-sided: (1-.02)^n < .05 from n = 149 on (ln .05/ln .98 = 148.3)
    assert st.tost([0.0] * 148, 0.02).equivalent is False
    result = st.tost([0.0] * 149, 0.02)
    assert (result.equivalent, result.p) == (True, near(0.98**149))
    assert result.high is not None and result.high < 0.02


def test_equivalence_guards() -> None:
    with pytest.raises(ValueError, match="margin"):
        st.tost([0.1, 0.2], 0.0)
    assert st.tost([math.nan], 0.1).equivalent is None
    labels = st.tost([0.1, 0.2], 0.5, alpha=0.05).as_dict()
    assert (labels["level"], labels["method"], labels["question"]) == (0.9, "two one-sided tests", "new_tasks")
    assert st.tost([0.1], 0.1).reason == "one common task or family"
    assert st.tost([0.5, 0.5], 0.1).p == 1.0
    assert st.tost([5.0, 5.0], 0.1).equivalent is None


def test_nan_p_values_are_no_tests() -> None:
    assert st.holm([0.01, math.nan, 0.04]) == near([0.02, math.nan, 0.04], nan_ok=True)
    assert st.benjamini_hochberg([math.nan]) == near([math.nan], nan_ok=True)


def test_fisher_agrees_with_scipy_and_is_unknown_without_repeats() -> None:
    tables = [(a, 5, b, 7) for a in range(6) for b in range(8)]
    ours = st.fisher_p(*np.array(tables).T)
    theirs = [stats.fisher_exact(np.array([[a, m - a], [b, n - b]])).pvalue for a, m, b, n in tables]
    assert ours == near(theirs)
    assert np.isnan(st.fisher_p(0, 0, 1, 4)).all()
    with pytest.raises(ValueError, match="passes"):
        st.fisher_p(5, 4, 0, 4)


@pytest.mark.parametrize(
    "table", [(400, 1000, 450, 1000), (700, 16000, 650, 16000), (0, 5000, 3, 5000), (1, 501, 1, 3)]
)
def test_fisher_agrees_with_scipy_on_whole_runs(table: tuple[int, int, int, int]) -> None:
    a, m, b, n = table
    assert st.fisher_p(*table)[0] == near(stats.fisher_exact(np.array([[a, m - a], [b, n - b]])).pvalue, rel=1e-9)


def test_welch_and_stratified_errors_estimate_the_same_thing() -> None:
    generator = np.random.Generator(np.random.PCG64(3))
    rates = generator.random(400)
    a, b = (generator.random((400, 50)) < rates[:, None] for _ in range(2))
    stratified = st.stratified_difference(a.mean(1), a.var(1, ddof=1), 50, b.mean(1), b.var(1, ddof=1), 50).interval
    welch = st.welch_over_repeats(a.mean(0), b.mean(0)).interval
    assert stratified.se == near(welch.se, rel=0.2)


@pytest.mark.parametrize("scale", [1e99, 1.0, 1e-99])
def test_degrees_of_freedom_do_not_depend_on_the_unit(scale: float) -> None:
    # terms v/K of 1/2 with 1 df each: two give (1/2 + 1/2)^2/(1/4 + 1/4) = 2, four give 2^2/(4/4) = 4
    unit, square = [scale, scale], [scale**2, scale**2]
    assert st.within_task_interval(unit, square, 2, proportion=False).df == pytest.approx(2)
    shifted = [3 * scale, 3 * scale]
    assert st.stratified_difference(unit, square, 2, shifted, square, 2, proportion=False).interval.df == pytest.approx(
        4
    )
    assert st.welch_over_repeats([0, 2 * scale], [0, 2 * scale]).interval.df == pytest.approx(2)
    assert st.welch_of_means(scale, scale, 2, scale, 2).df == pytest.approx(2)


def test_the_mean_score_of_one_task_in_two_runs() -> None:
    # task 0: .2 .4 .6 against .5 .9; task 1 has one repeat in B, task 2 no spread, in task 3 only B's repeats vary
    a, b = ([0.2, 0.4, 0.6], [0.1, 0.3], [0.5, 0.5], [0.5, 0.5]), ([0.5, 0.9], [0.8], [0.7, 0.7], [0.6, 0.8])
    told = [[np.mean(own), np.var(own, ddof=1) if len(own) > 1 else math.nan, len(own)] for own in (*a, *b)]
    sides = (list(zip(*rows, strict=True)) for rows in (told[:4], told[4:]))
    found = st.welch_by_task(*(column for side in sides for column in side))
    assert found[0] == near(stats.ttest_ind(a[0], b[0], equal_var=False).pvalue)
    assert np.isnan(found[1:3]).all()
    # t = .2/.1 with 1 degree of freedom, whose tail is 1/2 - arctan(t)/pi
    assert found[3] == near(1 - 2 * math.atan(2) / math.pi)
