"""Accounting rules, bounds, buckets and reward values beyond the worked cases."""

import numpy as np
import pytest

from blade_pipeline import statistics as st
from blade_pipeline_tests.statistics.approx import near


def test_the_four_rules_of_the_errors_in_the_denominator() -> None:
    # inspect_ai 3707: 20 tasks x 1, 16 pass, 2 fail, 2 failed: 16/18, 16/20, 16/20, 18/20
    passed = np.array([1] * 16 + [0] * 4)
    measured = np.array([1] * 18 + [0] * 2)
    rules = st.accountings(passed, measured, 1 - measured, 1)
    assert list(rules) == list(st.RULES)
    assert list(rules.values()) == near([16 / 18, 16 / 20, 16 / 20, 18 / 20])


def test_masked_rows_are_not_failures() -> None:
    # one task, 4 planned: passes 1, measured 2, failed 1, masked 1: 1/2, 1/3, 1/4, (1+2)/4
    rules = st.accountings(1, 2, 1, 4)
    assert list(rules.values()) == near([1 / 2, 1 / 3, 1 / 4, 3 / 4])


def test_rules_of_a_reward_with_its_own_range() -> None:
    # scores -1..1, one of two measured at 1: zero rule (1-1)/2, best (1+1)/2
    rules = st.accountings(1, 1, 0, 2, lowest=-1.0, highest=1.0)
    assert (rules["all_unscored_as_zero"], rules["all_as_one"]) == (0.0, 1.0)


def test_nothing_measured_has_no_observed_score() -> None:
    # Gym 3351: only a sidecar row: observed null, bounds [0, 1]
    rules = st.accountings(0, 0, 1, 1)
    assert list(rules.values()) == [None, 0.0, 0.0, 1.0]
    assert st.bounds([], [], []).as_dict() == {"low": None, "high": None}


def test_pass_hat_bounds_of_one_lost_rollout() -> None:
    # tau2-bench 497: 4 planned, 3 passes, 1 failed: pass^2 between C(3,2)/C(4,2) = .5 and 1
    result = st.pass_at_k_bounds(3, 3, 1, 2)
    assert (result.pass_hat_low[0], result.pass_hat_high[0]) == (near(0.5), 1.0)
    assert np.isnan(st.pass_at_k_bounds(1, 1, 0, 2).pass_at_low).all()
    with pytest.raises(ValueError, match="passes"):
        st.pass_at_k_bounds(2, 1, 3, 1)


def test_a_masked_and_missing_task_is_missing() -> None:
    result = st.buckets([0, 0], [0, 0], [1, 0], [1, 0], [2, 2])
    assert result.bucket.tolist() == ["missing", "missing"]
    assert result.observed.tolist() == ["", ""]


def test_buckets_keep_the_observed_label_beside_the_open_one() -> None:
    result = st.buckets(3, 0, 1, 0, 4)
    assert (result.bucket[0], result.observed[0], result.possible[0]) == (
        "indeterminate", "always_pass", "always_pass|sometimes_pass",
    )  # fmt: skip
    assert result.counts() == {
        "always_pass": 0, "sometimes_pass": 0, "always_fail": 0, "indeterminate": 1, "missing": 0, "masked": 0,
    }  # fmt: skip
    with pytest.raises(ValueError, match="negative"):
        st.buckets(-1, 0, 0, 0, 1)


def test_one_planned_repeat_can_never_be_sometimes() -> None:
    assert st.buckets(0, 0, 1, 0, 1).possible[0] == "always_pass|always_fail"


def test_complete_runs_have_an_identified_difference_even_of_zero() -> None:
    assert st.pair_bounds([0.5], [0.5], [0.5], [0.5]).sign_identified
    assert not st.pair_bounds([0.0], [0.5], [0.0], [0.0]).sign_identified
    assert st.pair_bounds([np.nan], [1], [0], [1]).as_dict() == {"low": None, "high": None, "sign_identified": False}


def test_a_tipping_point_outside_zero_to_one_does_not_exist() -> None:
    # A 20/40 with 6 unscored, B 39/40: even all six passing leave A at 26/40
    assert st.tipping_point(20, 6, 40, 39, 0, 40).q is None
    assert st.tipping_point(1, 0, 2, 1, 0, 2).q is None
    assert st.tipping_point(0, 2, 2, 1, 0, 2).observed is None
    with pytest.raises(ValueError, match="expect"):
        st.tipping_point(0, 0, 0, 1, 0, 1)


def test_reward_statuses_of_the_bug_report() -> None:
    # inspect_ai 4286: 1, 0, 1.7, -0.2, null, absent, "C" in the range 0..1
    values = [1, 0, 1.7, -0.2, None, st.ABSENT, "C"]
    statuses = [st.reward_status(value, (0.0, 1.0)) for value in values]
    assert statuses == ["scored"] * 2 + ["out_of_range"] * 2 + ["invalid_null", "invalid_absent", "invalid_type"]
    assert st.reward_status(19.4) == "scored"
    assert st.reward_status(10**400) == st.reward_status(-1e100) == "too_large"
    assert st.reward_status(-9e99) == "scored"
    assert repr(st.ABSENT) == "ABSENT"


def test_lower_is_better_turns_the_pass_mark_round() -> None:
    assert st.passes([0.1, 0.3, np.nan], 0.2, higher_is_better=False).tolist() == [True, False, False]


def test_arrays_of_different_lengths_are_never_stretched() -> None:
    with pytest.raises(ValueError, match="lengths"):
        st.paired_difference([0.5], [0.5, 1.0])
    assert st.bounds([0.0, 1.0], [1.0, 1.0], 1).low == 0.5
