"""What must hold whatever the numbers are."""

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as gen

from blade_pipeline import statistics as st
from blade_pipeline_tests.statistics.approx import near

counts = gen.lists(gen.tuples(gen.integers(0, 12), gen.integers(0, 12)), min_size=1, max_size=12).map(
    lambda pairs: (np.array([a + b for a, b in pairs]), np.array([a for a, _b in pairs]))
)
shares = gen.lists(gen.integers(0, 8).map(lambda c: c / 8), min_size=1, max_size=15)
small_tasks = gen.lists(gen.lists(gen.sampled_from([0, 1, None]), min_size=1, max_size=4), min_size=1, max_size=3)


def _inside(values: np.ndarray) -> bool:
    return bool(np.all((values >= 0) & (values <= 1) | np.isnan(values)))


@given(counts)
def test_pass_at_k_never_falls_and_pass_hat_k_never_rises_with_k(data: tuple[np.ndarray, np.ndarray]) -> None:
    n, c = data
    most = max(1, int(n.min()))
    at = [st.pass_at_k(n, c, k) for k in range(1, most + 1)]
    hat = [st.pass_hat_k(n, c, k) for k in range(1, most + 1)]
    for smaller, larger in itertools.pairwise(at):
        assert np.all(larger >= smaller - 1e-12)
    for smaller, larger in itertools.pairwise(hat):
        assert np.all(larger <= smaller + 1e-12)
    assert all(_inside(values) for values in at + hat)
    assert np.array_equal(at[0], hat[0], equal_nan=True)


@given(counts, gen.integers(1, 6))
def test_g_pass_bridges_pass_at_k_and_pass_hat_k(data: tuple[np.ndarray, np.ndarray], k: int) -> None:
    n, c = data
    np.testing.assert_allclose(st.g_pass_at_k(n, c, k, 1e-6), st.pass_at_k(n, c, k), atol=1e-12)
    np.testing.assert_allclose(st.g_pass_at_k(n, c, k, 1.0), st.pass_hat_k(n, c, k), atol=1e-12)
    assert _inside(st.mg_pass_at_k(n, c, k))


@given(gen.lists(gen.sampled_from([0.0, 1.0]), min_size=1, max_size=10), gen.integers(1, 10))
def test_best_of_k_of_zeros_and_ones_is_pass_at_k(values: list[float], k: int) -> None:
    expected = st.pass_at_k(len(values), int(sum(values)), k)
    assert st.best_of_k(values, k) == near(expected, nan_ok=True)


@given(gen.lists(gen.floats(-5, 5), min_size=1, max_size=6), gen.integers(1, 6))
def test_best_of_k_is_the_mean_best_of_every_choice(values: list[float], k: int) -> None:
    best = [max(chosen) for chosen in itertools.combinations(values, k)]
    expected = math.fsum(best) / len(best) if best else math.nan
    assert st.best_of_k(values, k) == near(expected, abs=1e-12, nan_ok=True)


@given(shares, gen.randoms(use_true_random=False))
def test_the_order_of_tasks_is_irrelevant_to_the_last_bit(values: list[float], random: object) -> None:
    other = [value / 3 for value in values]
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    a, b = np.array(values), np.array(other)
    assert st.score_interval(a[order]) == st.score_interval(a)
    assert st.paired_difference(a[order], b[order]) == st.paired_difference(a, b)
    assert st.sign_flip_p((a - b)[order]) == st.sign_flip_p(a - b)
    assert st.within_task_interval(a[order], b[order], 4) == st.within_task_interval(a, b, 4)
    assert st.variance_split(a[order], b[order], 4) == st.variance_split(a, b, 4)
    assert st.stratified_difference(a[order], b[order], 4, b[order], a[order], 3) == st.stratified_difference(
        a, b, 4, b, a, 3
    )
    assert st.tost((a - b)[order], 0.1) == st.tost(a - b, 0.1)


@given(shares, gen.sampled_from([0.8, 0.95, 0.99]))
def test_a_score_interval_holds_its_estimate_and_stays_a_proportion(values: list[float], level: float) -> None:
    interval = st.score_interval(values, level=level)
    assert interval.estimate is not None
    if len(values) < 2:
        assert (interval.low, interval.high, interval.se) == (None, None, None)
        assert interval.reason
        return
    assert interval.low is not None and interval.high is not None
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.high > interval.low
    assert (interval.se == 0) == (len(set(values)) == 1)


@given(gen.integers(0, 40), gen.integers(0, 40))
def test_share_intervals_hold_the_share(passed: int, failed: int) -> None:
    n = passed + failed
    share = passed / n if n else 0.0
    for low, high in (st.wilson(passed, n), st.clopper_pearson(passed, n), st.jeffreys(passed, n)):
        assert 0 <= low <= share + 1e-12 <= high + 1e-11 <= 1 + 1e-9 or n == 0


@settings(deadline=None)
@given(small_tasks, gen.integers(1, 4))
def test_bounds_are_reached_and_hold_every_completion(rewards: list[list[int | None]], k: int) -> None:
    known = [[value for value in task if value is not None] for task in rewards]
    measured, passed = np.array([len(t) for t in known]), np.array([sum(t) for t in known])
    planned = np.array([len(task) for task in rewards])
    score = st.bounds(passed, passed + planned - measured, planned)
    reach = st.pass_at_k_bounds(passed, measured, planned - measured, k)
    rules = st.accountings(passed, measured, np.zeros_like(measured), planned)
    unknown = int(np.sum(planned - measured))
    scores, at, hat = [], [], []
    for guess in itertools.product([0, 1], repeat=unknown):
        fill = iter(guess)
        complete = [[next(fill) if value is None else value for value in task] for task in rewards]
        c = np.array([sum(task) for task in complete])
        scores.append(float(np.mean(c / planned)))
        at.append(st.pass_at_k(planned, c, k))
        hat.append(st.pass_hat_k(planned, c, k))
    assert (min(scores), max(scores)) == near((score.low, score.high))
    assert (rules["all_unscored_as_zero"], rules["all_as_one"]) == near((score.low, score.high))
    np.testing.assert_allclose(np.min(at, axis=0), reach.pass_at_low, atol=1e-12)
    np.testing.assert_allclose(np.max(at, axis=0), reach.pass_at_high, atol=1e-12)
    np.testing.assert_allclose(np.min(hat, axis=0), reach.pass_hat_low, atol=1e-12)
    np.testing.assert_allclose(np.max(hat, axis=0), reach.pass_hat_high, atol=1e-12)


def _bucket(task: tuple[int, ...]) -> str:
    return "always_pass" if all(task) else "sometimes_pass" if any(task) else "always_fail"


@given(small_tasks)
def test_possible_buckets_are_those_of_every_completion(rewards: list[list[int | None]]) -> None:
    columns = np.array([[t.count(1), t.count(0), t.count(None), 0, len(t)] for t in rewards]).T
    result = st.buckets(columns[0], columns[1], columns[2], columns[3], columns[4])
    for task, bucket, possible in zip(rewards, result.bucket, result.possible, strict=True):
        choices = [[0, 1] if value is None else [value] for value in task]
        reachable = {_bucket(complete) for complete in itertools.product(*choices)}
        assert set(possible.split("|")) == reachable
        if len(reachable) == 1:
            assert bucket in reachable
        else:
            assert bucket == ("missing" if task.count(None) == len(task) else "indeterminate")
    assert sum(result.counts().values()) == len(rewards)


@given(gen.lists(gen.integers(-4, 4), min_size=1, max_size=9))
def test_sign_flip_p_is_the_share_of_all_sign_vectors(quarters: list[int]) -> None:
    observed = abs(sum(quarters))
    sums = [
        abs(sum(s * q for s, q in zip(signs, quarters, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(quarters))
    ]
    expected = sum(value >= observed for value in sums) / len(sums)
    assert st.sign_flip_p(np.array(quarters) / 4) == near(expected, abs=1e-12)


@given(gen.lists(gen.floats(0, 1), min_size=1, max_size=20))
def test_corrected_p_values_never_shrink_and_holm_is_the_stricter(p: list[float]) -> None:
    holm, q = st.holm(p), st.benjamini_hochberg(p)
    assert np.all(holm >= q - 1e-12)
    assert np.all(q >= np.array(p) - 1e-12)
    assert _inside(holm)


@given(gen.integers(0, 6), gen.integers(0, 6), gen.integers(0, 6), gen.integers(0, 6))
def test_fisher_is_symmetric_in_the_runs(a: int, a_fails: int, b: int, b_fails: int) -> None:
    forward = st.fisher_p(a, a + a_fails, b, b + b_fails)
    assert np.array_equal(forward, st.fisher_p(b, b + b_fails, a, a + a_fails), equal_nan=True)
    assert _inside(forward)


def _means(rewards: list[list[int | None]]) -> list[float]:
    """Mean over tasks of every completion."""
    choices = [[[0, 1] if value is None else [value] for value in task] for task in rewards]
    per_task = [[sum(done) / len(done) for done in itertools.product(*task)] for task in choices]
    return [float(np.mean(means)) for means in itertools.product(*per_task)]


@given(small_tasks, small_tasks)
def test_pair_bounds_hold_every_completion_and_are_reached(
    first: list[list[int | None]], second: list[list[int | None]]
) -> None:
    tasks = min(len(first), len(second))
    first, second = first[:tasks], second[:tasks]

    def ends(rewards: list[list[int | None]]) -> tuple[np.ndarray, np.ndarray]:
        low = np.array([task.count(1) / len(task) for task in rewards])
        return low, low + np.array([task.count(None) / len(task) for task in rewards])

    result = st.pair_bounds(*ends(first), *ends(second))
    a, b = _means(first), _means(second)
    assert result.low == near(min(b) - max(a))
    assert result.high == near(max(b) - min(a))
