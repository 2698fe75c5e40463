"""Intervals and variance of one run, at the edges that the worked cases leave out."""

import math

import numpy as np
import pytest
from scipy import stats

from blade_pipeline import statistics as st
from blade_pipeline_tests.statistics.approx import near


def test_the_interval_in_the_centre_by_hand() -> None:
    # means 1, 1/2, 0: p=1/2, sd=1/2, SE=1/(2 sqrt 3), n_eff = (1/4)/(1/12) = 3; t_2(.975)=4.302653, squared 18.512821
    # Wilson: shift 6.170940, half sqrt(.25*6.170940 + 6.170940^2/4)/7.170940 = 3.326088/7.170940 = .463829
    interval = st.score_interval([1, 0.5, 0])
    assert (interval.se, interval.df) == near((0.2886751346, 2))
    assert (interval.low, interval.high) == near((0.036171, 0.963829), abs=1e-6)
    assert interval.question == "new_tasks"


def test_the_interval_near_one_by_hand() -> None:
    # means 1, 1, 1, 1/2: p=7/8, sd=1/4, SE=1/8; logit 1.945910, SE/(7/64) = 8/7; t_3(.975) = 3.182446
    # half 3.637081; 1/(1+e^(1.691171)) = .155622; 1/(1+e^(-5.582991)) = .996253
    interval = st.score_interval([1, 1, 1, 0.5])
    assert (interval.low, interval.high) == near((0.155622, 0.996253), abs=1e-6)
    assert interval.method == "t on the logit scale, task means"


def test_a_score_beyond_zero_and_one_gets_plain_t() -> None:
    interval = st.score_interval([-1, 2, 3])
    expected = stats.ttest_1samp([-1, 2, 3], 0).confidence_interval()
    assert (interval.low, interval.high) == (near(expected.low), near(expected.high))
    assert interval.method == "t on task means"


def test_unmeasured_tasks_are_left_out_and_nothing_is_not_zero() -> None:
    assert st.score_interval([1, math.nan, 0]).n == 2
    nothing = st.score_interval([math.nan])
    assert (nothing.estimate, nothing.se, nothing.reason) == (None, None, "no task has a measured rollout")


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (1.0, 0.6915029, 1.0),  # Clopper-Pearson .025^(1/10), the case S19 of 10 of 10
        (0.0, 0.0, 0.3084971),
    ],
)
def test_ten_equal_tasks_are_not_certainty(value: float, low: float, high: float) -> None:
    interval = st.score_interval([value] * 10)
    assert (interval.se, interval.low, interval.high) == (0.0, near(low), near(high))
    assert interval.note == "all 10 tasks have the same mean, which is not certainty"


def test_equal_tasks_between_zero_and_one_keep_a_width() -> None:
    # Wilson at p=1/2 with t_9(.975)=2.262157, squared 5.117355: shift .511736,
    # half sqrt(.25*.511736+.511736^2/4)/1.511736 = .439774/1.511736 = .290907
    interval = st.score_interval([0.5] * 10)
    assert (interval.low, interval.high) == (near(0.209093, abs=1e-6), near(0.790907, abs=1e-6))


def test_equal_scores_without_range_leave_the_interval_open() -> None:
    interval = st.score_interval([3.0, 3.0], proportion=False)
    assert (interval.se, interval.low, interval.high) == (0.0, None, None)
    assert interval.reason


def test_few_families_are_named_and_one_family_has_no_interval() -> None:
    means = [1, 0, 0.5, 0.25]
    assert st.score_interval(means, clusters=["a", "a", "b", "b"]).note == "only 2 families"
    one = st.score_interval(means, clusters=["a"] * 4)
    assert (one.se, one.n) == (None, 1)


def test_families_that_balance_exactly_do_not_give_a_zero_width() -> None:
    # both families have mean 1/2, so the clustered SE is 0 although tasks differ
    interval = st.score_interval([1, 0, 0, 1], clusters=["a", "a", "b", "b"])
    assert interval.se == 0.0
    assert interval.low is not None and interval.low < 0.5


def test_within_task_interval_by_hand() -> None:
    # two tasks x 2 repeats: {1,0} s^2=1/2, {1,1} 0; SE=sqrt(1/4)/2=.25; df=(1/4)^2/((1/4)^2/1)=1;
    # t_1(.975)=12.7062, 0.75 +- 3.18 cut to [0, 1]
    interval = st.within_task_interval([0.5, 1.0], [0.5, 0.0], 2)
    assert (interval.estimate, interval.se, interval.df) == (0.75, 0.25, near(1.0))
    assert (interval.low, interval.high) == (0.0, 1.0)
    open_ended = st.within_task_interval([0.5, 1.0], [0.5, 0.0], 2, proportion=False)
    assert open_ended.high == near(0.75 + 12.7062047 * 0.25)


def test_a_task_with_one_repeat_borrows_the_mean_variance() -> None:
    # s^2 = .5 and 0 at K=2, mean .25; sum = .25 + 0 + .25 = .5; SE = sqrt(.5)/3 = .235702
    interval = st.within_task_interval([0.5, 1.0, 1.0], [0.5, 0.0, math.nan], [2, 2, 1])
    assert interval.se == near(math.sqrt(0.5) / 3)
    assert interval.note == "1 task(s) with one repeat were given the mean variance of the others"


def test_equal_repeats_are_not_certainty_either() -> None:
    # 5 tasks x 4: none of 20 rollouts differed; 1-.025^(1/20) = .168433
    interval = st.within_task_interval([1, 1, 1, 1, 0], [0] * 5, 4)
    assert (interval.se, interval.estimate) == (0.0, 0.8)
    assert (interval.low, interval.high) == (near(0.631567, abs=1e-6), near(0.968433, abs=1e-6))


def test_variance_split_with_unequal_repeats_by_hand() -> None:
    # tasks {1,0,1,0} (mean 1/2, s^2 1/3, K 4) and {1,1} (mean 1, s^2 0, K 2)
    # sigma2 = 1/6; Var(means) = 1/8; noise = (1/12 + 0)/2 = 1/24; between = 1/8 - 1/24 = 1/12; share 1/3
    # grand 4/6; MSB = 4(1/6)^2 + 2(1/3)^2 = 1/3; MSW = 3(1/3)/4 = 1/4; K0 = 6-20/6 = 8/3
    # ICC = (1/12)/(1/3 + 5/3*1/4) = (1/12)/(3/4) = 1/9; K = 20/6; deff = 1 + 7/3/9 = 34/27; n_eff = 81/17
    split = st.variance_split([0.5, 1.0], [1 / 3, 0.0], [4, 2])
    assert (split.sigma2_within, split.var_task_means) == (near(1 / 6), near(1 / 8))
    assert (split.between, split.share_sampling_noise) == (near(1 / 12), near(1 / 3))
    assert (split.icc, split.design_effect) == (near(1 / 9), near(34 / 27))
    assert split.n_eff == near(81 / 17)


def test_variance_split_says_why_it_knows_nothing() -> None:
    assert st.variance_split([], [], 1).reason == "no task was measured"
    assert st.variance_split([0.5], [0.25], 4).reason == "one task has no spread between tasks"
    assert st.variance_split([1, 1], [0, 0], 4).reason == "all rollouts have the same score"


def test_negative_icc_does_not_multiply_the_rollouts() -> None:
    # both tasks {1,0}: MSB 0, MSW 1/2, ICC -1, yet the design effect stays 1
    split = st.variance_split([0.5, 0.5], [0.5, 0.5], 2)
    assert (split.icc, split.design_effect, split.n_eff) == (near(-1.0), 1.0, 4.0)


def test_cochran_needs_tasks_whose_repeats_differ() -> None:
    assert st.cochran_q([[1, 1], [0, 0]]) == (None, 1, None, 2)
    assert st.cochran_q(np.array([[1, 0], [1, np.nan]])).tasks == 1
    # one differing task gives Q = k - 1 whichever repeats pass; two that agree: (2 * 4 - 4) / (2 * 2 - 2) = 2
    assert st.cochran_q([[1, 0, 0], [1, 1, 1]]) == (None, 2, None, 2)
    assert st.cochran_q([[1, 0], [1, 0]]).q == near(2.0)
    with pytest.raises(ValueError, match="tasks by repeats"):
        st.cochran_q([1, 0])


def test_bootstrap_of_few_tasks_is_unknown_and_seeded_otherwise() -> None:
    assert math.isnan(st.cluster_bootstrap_se([0.5]))
    values = np.linspace(0, 1, 30)
    first = st.cluster_bootstrap_se(values, lambda x: float(np.median(x)), draws=500)
    assert first == st.cluster_bootstrap_se(values[::-1], lambda x: float(np.median(x)), draws=500)


def test_one_of_twenty_tasks_has_the_standard_error_of_the_bug_report() -> None:
    # lm-evaluation-harness 3966: 1 pass of 20; sd = sqrt(20/19*.05*.95), SE = sqrt(.05*.95/19) = .05
    assert st.score_interval([1] + [0] * 19).se == near(0.05)
    assert st.score_interval([1] * 20).low == near(0.8316, abs=1e-4)


@pytest.mark.parametrize("k", [-1, 11])
def test_more_successes_than_units_is_an_error(k: int) -> None:
    for function in (st.wilson, st.clopper_pearson, st.jeffreys):
        with pytest.raises(ValueError, match="successes"):
            function(k, 10)


def test_no_unit_leaves_a_share_open() -> None:
    assert st.wilson(0, 0) == st.clopper_pearson(0, 0) == st.jeffreys(0, 0) == (0.0, 1.0)


def test_bad_counts_are_errors() -> None:
    with pytest.raises(ValueError, match="k must"):
        st.pass_at_k(4, 2, 0)
    with pytest.raises(ValueError, match="passes"):
        st.pass_hat_k(4, 5, 1)
    with pytest.raises(ValueError, match="tau"):
        st.g_pass_at_k(4, 2, 2, 0.0)
    with pytest.raises(ValueError, match="k must"):
        st.best_of_k([1.0], 0)


def test_one_repeat_gives_pass_at_1_only() -> None:
    # aprender 2118: 6 tasks x 1, 2 pass; pass@1 = 1/3, pass@5 unknown
    passed = np.array([1, 1, 0, 0, 0, 0])
    assert st.pass_at_k(np.ones(6, dtype=int), passed, 1).mean() == near(1 / 3)
    assert np.isnan(st.pass_at_k(np.ones(6, dtype=int), passed, 5)).all()


def test_pass_at_k_of_many_repeats_stays_exact() -> None:
    # C(800,100)/C(1000,100) = product (800-j)/(1000-j)
    exact = 1 - math.comb(800, 100) / math.comb(1000, 100)
    assert st.pass_at_k(1000, 200, 100) == near(exact, abs=1e-12)
    assert st.pass_hat_k(1000, 900, 100) == near(math.comb(900, 100) / math.comb(1000, 100), rel=1e-9)


def test_agreement_and_bayes_without_data() -> None:
    assert np.isnan(st.repeat_agreement(1, 1)).all()
    assert math.isnan(st.bayes_at_n([], []).mean)
    # no repeat at all leaves the uniform prior: mean 1/2, variance 1/12
    assert st.bayes_at_n(0, 0) == near((0.5, math.sqrt(1 / 12)))


def test_friedman_ranks_the_repeats_of_each_task() -> None:
    # ranks 1 2 3, 1 2 3, 2 1 3: sums 4 5 9 about 6: (4+1+9)*2/(3*2) = 14/3; chi-square with 2 df has the tail exp(-q/2)
    found = st.friedman([[0.1, 0.2, 0.9], [0.3, 0.4, 0.5], [0.2, 0.1, 0.3]])
    assert (found.q, found.df, found.tasks) == (near(14 / 3), 2, 3)
    assert found.p == near(math.exp(-7 / 3))
    tied = [[0.5, 0.5, 0.9], [0.3, 0.4, 0.5], [0.2, 0.1, 0.2], [0.7, 0.7, 0.7]]
    peer = stats.friedmanchisquare(*np.transpose(tied))
    assert (st.friedman(tied).q, st.friedman(tied).p) == (near(peer.statistic), near(peer.pvalue))


def test_friedman_of_passes_is_cochrans_q() -> None:
    # case S34
    rows = ["1101", "0000", "1001", "1111", "0100", "1110", "1101", "1101", "0101", "1100"]
    passes = [[int(mark) for mark in row] for row in rows]
    assert st.friedman(passes).q == near(9.222222222222221)
    assert st.friedman(passes).p == near(st.cochran_q(passes).p)


def test_friedman_takes_many_repeats() -> None:
    """Each task beside each of its repeats' pairs would be gigabytes."""
    passes = np.tile([1.0, 0.0, 0.0, 1.0], (3, 5_000))
    assert st.friedman(passes).q == near(st.cochran_q(passes).q)


@pytest.mark.parametrize("matrix", [np.zeros((0, 3)), [[0.1, 0.2]], [[0.5, 0.5], [0.1, 0.2]], [[0.5], [0.1]]])
def test_friedman_needs_two_tasks_whose_repeats_differ(matrix: list[list[float]]) -> None:
    assert (st.friedman(matrix).q, st.friedman(matrix).p) == (None, None)
