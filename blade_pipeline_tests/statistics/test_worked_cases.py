"""The worked cases S01..S41 of the shared folder, each recomputed with the public functions."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blade_pipeline import statistics as st

Case = dict[str, Any]
CHECKS: dict[str, Callable[[Case], None]] = {}
IDS = [f"S{number:02d}" for number in range(1, 42)]


@pytest.fixture(scope="module")
def cases(shared: Path) -> dict[str, Case]:
    document = json.loads((shared / "cases/stat_cases.json").read_bytes())
    return {case["id"]: case for case in document["cases"]}


def case(name: str) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    def register(check: Callable[[Case], None]) -> Callable[[Case], None]:
        CHECKS[name] = check
        return check

    return register


def near(value: Any, case: Case) -> Any:
    return pytest.approx(value, rel=case["tolerance"], abs=case["tolerance"])


def table(rewards: dict[str, list[float | None]]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """n, passes, mean and variance (ddof 1) of each task, unmeasured rewards left out."""
    held = [[value for value in values if value is not None] for values in rewards.values()]
    n = np.array([len(values) for values in held])
    c = np.array([sum(values) for values in held])
    mean = np.array([np.mean(values) if values else np.nan for values in held])
    variance = np.array([np.var(values, ddof=1) if len(values) > 1 else np.nan for values in held])
    return n, c, mean, variance


def test_every_case_of_the_shared_folder_is_checked(cases: dict[str, Case]) -> None:
    assert set(cases) == set(IDS) == set(CHECKS)


@pytest.mark.parametrize("name", IDS)
def test_case(cases: dict[str, Case], name: str) -> None:
    CHECKS[name](cases[name])


@case("S01")
def _pass_at_k(c: Case) -> None:
    for k in c["inputs"]["k"]:
        assert st.pass_at_k(c["inputs"]["n"], c["inputs"]["c"], k) == near(c["expected"]["pass_at_k"][str(k)], c)


@case("S02")
def _not_the_plug_in(c: Case) -> None:
    value = st.pass_at_k(**c["inputs"])
    assert value == near(c["expected"]["unbiased"], c)
    assert abs(value - c["expected"]["biased_plug_in_must_differ"]) > 0.05


@case("S03")
def _too_few_repeats(c: Case) -> None:
    n, passed, _mean, _variance = table(c["inputs"]["rewards"])
    k, planned = c["inputs"]["k"], c["inputs"]["planned_repeats"]
    values = st.pass_at_k(n, passed, k)
    bounds = st.pass_at_k_bounds(passed, n, planned - n, k)
    assert int(np.sum(~np.isnan(values))) == c["expected"]["eligible_tasks"]
    assert values.size == c["expected"]["total_tasks"]
    assert np.nanmean(values) == near(c["expected"]["pass_at_4_eligible"], c)
    assert bounds.pass_at_low.mean() == near(c["expected"]["lower"], c)
    assert bounds.pass_at_high.mean() == near(c["expected"]["upper"], c)


@case("S04")
def _pass_hat_k(c: Case) -> None:
    for k in c["inputs"]["k"]:
        assert st.pass_hat_k(c["inputs"]["n"], c["inputs"]["c"], k) == near(c["expected"]["pass_hat_k"][str(k)], c)


@case("S05")
def _g_pass(c: Case) -> None:
    n, passed, k = (c["inputs"][key] for key in "nck")
    for tau, value in c["expected"]["g_pass"].items():
        assert st.g_pass_at_k(n, passed, k, float(tau)) == near([value], c)
    assert st.mg_pass_at_k(n, passed, k) == near([c["expected"]["mg_pass"]], c)


@case("S06")
def _macro_and_micro(c: Case) -> None:
    n, passed, mean, _variance = table(c["inputs"]["rewards"])
    assert st.score_interval(mean).estimate == near(c["expected"]["macro"], c)
    rules = st.accountings(float(passed.sum()), int(n.sum()), 0, int(n.sum()))
    assert rules["observed"] == near(c["expected"]["micro"], c)


@case("S07")
def _one_run(c: Case) -> None:
    rewards = c["inputs"]["run_A"]
    _n, _c, mean, _variance = table(rewards)
    interval = st.score_interval(mean, proportion=False)
    assert interval.estimate == near(c["expected"]["score"], c)
    assert interval.se == near(c["expected"]["se_clustered"], c)
    assert (interval.df, [interval.low, interval.high]) == (c["expected"]["t_df"], near(c["expected"]["ci95"], c))
    assert interval.se > c["expected"]["se_naive_pooled_binomial_must_not_be_used"]
    repeats = np.array(list(rewards.values()), dtype=float)
    native = st.native.agent_metrics(
        np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6), {"reward": repeats.reshape(-1)}
    )
    assert native["se_across_repeats/mean/reward"] == near(c["expected"]["se_over_repeat_means"], c)


@case("S08")
def _variance_split(c: Case) -> None:
    n, _c, mean, variance = table(c["inputs"]["run_A"])
    split = st.variance_split(mean, variance, n).as_dict()
    assert {key: split[key] for key in c["expected"]} == near(c["expected"], c)


@case("S09")
def _icc(c: Case) -> None:
    n, _c, mean, variance = table(c["inputs"]["run_A"])
    split = st.variance_split(mean, variance, n)
    assert split.icc == near(c["expected"]["icc1"], c)
    assert split.design_effect == near(c["expected"]["design_effect"], c)
    assert split.n_eff == near(c["expected"]["n_eff"], c)


@case("S10")
def _paired(c: Case) -> None:
    _n, _c, a, _va = table(c["inputs"]["run_A"])
    _n, _c, b, _vb = table(c["inputs"]["run_B"])
    difference = st.paired_difference(a, b)
    interval, expected = difference.interval, c["expected"]
    assert (interval.estimate, interval.se) == near((expected["diff"], expected["se_paired"]), c)
    assert (interval.df, difference.t, difference.p) == near((expected["df"], expected["t"], expected["p"]), c)
    assert [interval.low, interval.high] == near(expected["ci95"], c)


@case("S11")
def _stratified(c: Case) -> None:
    a, b, expected = table(c["inputs"]["run_A"]), table(c["inputs"]["run_B"]), c["expected"]
    interval = st.stratified_difference(a[2], a[3], a[0], b[2], b[3], b[0]).interval
    assert (interval.estimate, interval.se) == near((expected["diff"], expected["se_stratified"]), c)
    assert interval.df == near(expected["df_stratified"], c)
    assert [interval.low, interval.high] == near(expected["ci95_stratified"], c)
    welch = st.welch_over_repeats(expected["welch_repeat_means_A"], expected["welch_repeat_means_B"])
    assert (welch.t, welch.interval.df) == near((expected["welch_t"], expected["welch_df"]), c)
    assert [welch.interval.low, welch.interval.high] == near(expected["welch_ci95"], c)


@case("S12")
def _noise_floor(c: Case) -> None:
    n, _c, mean, variance = table(c["inputs"]["run_A"])
    sigma2 = st.variance_split(mean, variance, n).sigma2_within
    assert sigma2 is not None
    floor = st.noise_floor(sigma2, c["inputs"]["K_A"], sigma2, c["inputs"]["K_B"], 6)
    expected = c["expected"]
    assert (floor.sd, floor.band95) == near((expected["sd_null"], expected["band95"]), c)
    assert floor.expected_abs == near(expected["expected_abs_diff"], c)


@case("S13")
def _power(c: Case) -> None:
    rates = {"alpha": c["inputs"]["alpha"], "power": c["inputs"]["power"], "df": math.inf}

    def part(name: str) -> dict[str, Any]:
        names = {"omega2": "omega2", "sigma2_A": "sigma2_a", "K_A": "k_a", "sigma2_B": "sigma2_b", "K_B": "k_b"}
        return {ours: c["inputs"][name][theirs] for theirs, ours in names.items()}

    first, second, third = (c["inputs"][f"example{number}"] for number in (1, 2, 3))
    mde = st.minimum_detectable_effect(**part("example1"), n=first["n"], **rates)
    assert mde == near(c["expected"]["mde1"], c)
    assert st.tasks_needed(second["delta"], **part("example2"), **rates) == c["expected"]["n2"]
    assert st.tasks_needed(third["delta"], **part("example3"), **rates) == c["expected"]["n3"]


@case("S14")
def _omega2(c: Case) -> None:
    a, b = table(c["inputs"]["run_A"]), table(c["inputs"]["run_B"])
    result = st.omega2(b[2] - a[2], a[3], a[0], b[3], b[0])
    assert (result.var_d, result.noise) == near((c["expected"]["var_d"], c["expected"]["noise_part"]), c)
    assert (result.value, result.clamped) == (c["expected"]["omega2"], True)


@case("S15")
def _sign_test(c: Case) -> None:
    wins, losses, ties = (c["inputs"][key] for key in ("wins", "losses", "ties"))
    result = st.sign_test([1.0] * wins + [-1.0] * losses + [0.0] * ties)
    assert result.p == near(c["expected"]["p"], c)
    assert (result.wins + result.losses, result.ties) == (c["expected"]["n_used"], c["expected"]["ties_reported"])


@case("S16")
def _mcnemar(c: Case) -> None:
    result = st.mcnemar(c["inputs"]["b_A_only"], c["inputs"]["c_B_only"])
    assert (result.p_exact, result.p_mid) == near((c["expected"]["p_exact"], c["expected"]["p_mid"]), c)
    assert (result.chi2_cc, result.p_chi2_cc) == near((c["expected"]["chi2_cc"], c["expected"]["p_chi2_cc"]), c)


@case("S17")
def _bonett_price(c: Case) -> None:
    interval = st.bonett_price(c["inputs"]["b_A_only"], c["inputs"]["c_B_only"], c["inputs"]["N"])
    assert interval.estimate == near(c["expected"]["diff_observed"], c)
    assert interval.low is not None and interval.high is not None
    assert (interval.low + interval.high) / 2 == near(c["expected"]["diff_adjusted"], c)
    assert [interval.low, interval.high] == near(c["expected"]["ci95"], c)


@case("S18")
def _sign_flip(c: Case) -> None:
    quarters = np.array(c["inputs"]["d_quarters"])
    assert st.sign_flip_p(quarters / 4) == near(c["expected"]["exact_p"], c)


@case("S19")
def _shares(c: Case) -> None:
    for name, function in (("wilson", st.wilson), ("jeffreys", st.jeffreys), ("clopper_pearson", st.clopper_pearson)):
        ends = [list(function(k, n)) for k, n in c["inputs"]["pairs"]]
        assert np.array(ends) == near(np.array(c["expected"][name]), c), name


@case("S20")
def _all_pass(c: Case) -> None:
    n, x, alpha = (c["inputs"][key] for key in ("n", "x", "alpha"))
    assert st.clopper_pearson(x, n, 1 - alpha)[0] == near(c["expected"]["cp_two_sided_lower"], c)
    assert st.clopper_pearson(x, n, 1 - 2 * alpha)[0] == near(c["expected"]["one_sided_lower"], c)
    interval = st.score_interval(np.ones(n))
    assert (interval.se, interval.low) == (0.0, near(c["expected"]["cp_two_sided_lower"], c))
    assert interval.note is not None


@case("S21")
def _multiplicity(c: Case) -> None:
    assert st.holm(c["inputs"]["p"]) == near(np.array(c["expected"]["holm"]), c)
    assert st.benjamini_hochberg(c["inputs"]["p"]) == near(np.array(c["expected"]["bh"]), c)


@case("S22")
def _tost(c: Case) -> None:
    result, expected = st.tost(c["inputs"]["d"], c["inputs"]["margin"]), c["expected"]
    assert (result.mean, result.se) == near((expected["mean"], expected["se"]), c)
    assert (result.p, [result.low, result.high]) == (near(expected["p_tost"], c), near(expected["ci90"], c))
    assert result.equivalent is expected["equivalent_at_05"]


@case("S23")
def _rollout_bounds(c: Case) -> None:
    i, expected = c["inputs"], c["expected"]
    rules = st.accountings(i["passes"], i["scored"], i["failed_infra"], i["expected"])
    assert rules["observed"] == near(expected["observed_mean"], c)
    assert (rules["all_unscored_as_zero"], rules["all_as_one"]) == near((expected["lower"], expected["upper"]), c)
    unknown = i["missing"] + i["masked"] + i["failed_infra"]
    bounds = st.bounds(i["passes"], i["passes"] + unknown, i["expected"])
    assert (bounds.low, bounds.high) == near((expected["lower"], expected["upper"]), c)


@case("S24")
def _task_bounds(c: Case) -> None:
    n, passed, mean, _variance = table(c["inputs"]["rewards"])
    planned = c["inputs"]["K"]
    assert st.score_interval(mean).estimate == near(c["expected"]["observed_macro"], c)
    assert st.score_interval(mean).n == c["expected"]["observed_tasks"]
    bounds = st.bounds(passed, passed + planned - n, planned)
    assert (bounds.low, bounds.high) == near((c["expected"]["lower"], c["expected"]["upper"]), c)


@case("S25")
def _difference_bounds(c: Case) -> None:
    result = st.pair_bounds(*c["inputs"]["A"], *c["inputs"]["B"])
    assert (result.low, result.high) == near((c["expected"]["lower"], c["expected"]["upper"]), c)
    assert result.sign_identified is c["expected"]["sign_identified"]


@case("S26")
def _tipping_point(c: Case) -> None:
    sides = [c["inputs"][side][key] for side in "AB" for key in ("passes", "unscored", "expected")]
    result, expected = st.tipping_point(*sides), c["expected"]
    assert (result.q, result.observed) == near((expected["q_star"], expected["observed_diff_B_minus_A"]), c)
    assert (result.at_zero, result.at_one) == near((expected["diff_if_zero"], expected["diff_if_all_pass"]), c)


@case("S27")
def _lost_hard_tasks(c: Case) -> None:
    easy, hard = c["inputs"]["A"]["easy"]["tasks"], c["inputs"]["A"]["hard"]["tasks"]
    a = np.array([1.0] * easy + [0.0] * hard)
    b = np.array([1.0] * easy + [np.nan] * hard)
    assert st.score_interval(a).estimate == near(c["expected"]["mean_A"], c)
    assert st.score_interval(b).estimate == near(c["expected"]["mean_B_own_denominator"], c)
    assert st.paired_difference(a, b).interval.estimate == near(c["expected"]["diff_common_tasks"], c)
    bounds = st.bounds(np.nan_to_num(b), np.where(np.isnan(b), 1.0, b), 1)
    assert [bounds.low, bounds.high] == near(c["expected"]["B_bounds"], c)


@case("S28")
def _buckets(c: Case) -> None:
    rewards = list(c["inputs"]["rewards"].values())
    counts = [[row.count(1), row.count(0), row.count(None), row.count("masked")] for row in rewards]
    passed, failed, unknown, masked = np.array(counts).T
    result = st.buckets(passed, failed, unknown, masked, c["inputs"]["K"])
    words = {"always": "always_pass", "sometimes": "sometimes_pass", "never": "always_fail"}
    for bucket, possible, expected in zip(result.bucket, result.possible, c["expected"].values(), strict=True):
        if "_or_" in expected:
            assert bucket == "indeterminate"
            assert set(possible.split("|")) == {words[word] for word in expected.split("_or_")}
        else:
            assert bucket == words.get(expected, expected)
            assert (possible == bucket) is (expected in words)


@case("S29")
def _not_binary(c: Case) -> None:
    rewards, k = np.array(c["inputs"]["rewards"]), c["inputs"]["k"]
    assert st.best_of_k(rewards, k) == near(c["expected"]["best_of_2"], c)
    passed = int(st.passes(rewards, c["inputs"]["threshold_for_pass"]).sum())
    assert st.pass_at_k(4, passed, 2) == near(c["expected"]["pass_at_2_threshold_1"], c)
    assert st.pass_at_k(4, passed, 1) == near(c["expected"]["pass_at_1_threshold_1"], c)
    peer = st.native.pass_majority(np.zeros(4, dtype=np.int64), {"accuracy": rewards})
    assert peer["pass@2/accuracy"] == near(100 * c["expected"]["order_dependent_max_of_first_2"], c)
    assert st.best_of_k(rewards, 1) == near(c["expected"]["mean"], c)


@case("S30")
def _bayes(c: Case) -> None:
    rewards = np.array(c["inputs"]["R"])
    result = st.bayes_at_n(np.full(2, 4), rewards.sum(axis=1))
    assert (result.mean, result.sd) == near((c["expected"]["mu"], c["expected"]["sigma"]), c)


@case("S31")
def _bootstrap(c: Case) -> None:
    _n, _c, mean, _variance = table(c["inputs"]["run_A"])
    exact = st.cluster_bootstrap_se(mean)
    assert exact == near(c["expected"]["se_boot_exact"], c)
    assert st.cluster_bootstrap_se(mean, lambda sample: float(sample.mean())) == pytest.approx(exact, rel=0.02)


@case("S32")
def _pass_at_2(c: Case) -> None:
    n, passed, mean, _variance = table(c["inputs"]["run_A"])
    values = st.pass_at_k(n, passed, c["inputs"]["k"])
    assert values == near(np.array(list(c["expected"]["per_task"].values())), c)
    interval = st.score_interval(values)
    assert (interval.estimate, interval.se) == near((c["expected"]["pass_at_2"], c["expected"]["se"]), c)
    assert values.mean() - mean.mean() == near(c["expected"]["retry_value"], c)


@case("S33")
def _agreement(c: Case) -> None:
    agreement = st.repeat_agreement(c["inputs"]["n"], c["inputs"]["c"])
    assert agreement == near(np.array(c["expected"]["agreement"]), c)


@case("S34")
def _cochran(c: Case) -> None:
    result = st.cochran_q(c["inputs"]["matrix_tasks_x_repeats"])
    assert (result.q, result.df, result.p) == near(tuple(c["expected"][key] for key in ("Q", "df", "p")), c)


@case("S35")
def _suite(c: Case) -> None:
    cells = [st.SuiteCell(cell["w"], cell["a"], cell["b"]) for cell in c["inputs"]["cells"]]
    interval, expected = st.suite_welch(cells).interval, c["expected"]
    assert (interval.estimate, interval.se, interval.df) == near((expected["delta"], expected["se"], expected["df"]), c)
    assert [interval.low, interval.high] == near(expected["ci95"], c)


@case("S36")
def _duplicates(c: Case) -> None:
    kept = {(task, repeat): reward for task, repeat, reward in c["inputs"]["rows"]}
    assert st.score_interval(list(kept.values())).estimate == near(c["expected"]["mean_dedup"], c)
    conflict = [reward for _task, repeat, reward in c["inputs"]["conflict_rows"] if repeat == 0]
    sure = sum(reward for _task, repeat, reward in c["inputs"]["conflict_rows"] if repeat == 1)
    bounds = st.bounds(sure + min(conflict), sure + max(conflict), 2)
    assert [bounds.low, bounds.high] == near(c["expected"]["conflict_bounds"], c)


@case("S37")
def _guards(c: Case) -> None:
    one_task = st.score_interval(table(c["inputs"]["one_task"])[2])
    assert (one_task.estimate, one_task.se) == (c["expected"]["one_task"]["score"], None)
    assert one_task.reason is not None
    n, _c, mean, variance = table(c["inputs"]["one_repeat"])
    one_repeat = st.score_interval(mean)
    expected = c["expected"]["one_repeat"]
    assert (one_repeat.estimate, one_repeat.se) == near((expected["score"], expected["se_task"]), c)
    assert st.variance_split(mean, variance, n).sigma2_within is expected["sigma2_within"]
    assert st.within_task_interval(mean, variance, n).low is None


@case("S38")
def _families(c: Case) -> None:
    names = list(c["inputs"]["run_A"])
    family = {task: name for name, tasks in c["inputs"]["families"].items() for task in tasks}
    mean = table(c["inputs"]["run_A"])[2]
    interval = st.score_interval(mean, clusters=[family[name] for name in names])
    assert (interval.se, interval.df) == near((c["expected"]["se_family"], c["expected"]["df"]), c)
    assert st.score_interval(mean).se == near(c["expected"]["se_task"], c)


@case("S39")
def _effective_n(c: Case) -> None:
    interval = st.score_interval(table(c["inputs"]["run_A"])[2])
    p, se = interval.estimate, interval.se
    assert p is not None and se is not None and interval.low is not None and interval.high is not None
    n_eff = p * (1 - p) / se**2
    assert n_eff == near(c["expected"]["n_eff"], c)
    low, high = st.wilson(p * n_eff, n_eff)
    assert [low, high] == near(c["expected"]["ci95"], c)
    assert interval.low < low < high < interval.high


@case("S40")
def _flips(c: Case) -> None:
    columns = np.array(list(c["inputs"]["pairs"].values())).T
    p = st.fisher_p(*columns)
    assert p == near(np.array(list(c["expected"]["p"].values())), c)
    among = [p[0]] + [1.0] * (c["inputs"]["tasks_in_bh"] - 1)
    assert st.benjamini_hochberg(among)[0] == near(c["expected"]["bh_of_0/4_vs_4/4_among_10"], c)


@case("S41")
def _reward_statuses(c: Case) -> None:
    tokens = {"NaN token": math.nan, "Infinity token": math.inf}

    def value(row: dict[str, Any]) -> Any:
        reward = row.get("reward", st.ABSENT)
        return tokens.get(reward, reward) if isinstance(reward, str) else reward

    values = [value(row) for row in c["inputs"]["rows"]]
    low, high = c["inputs"]["range"]
    status = [st.reward_status(reward, (low, high)) for reward in values]
    assert status == c["expected"]["status"]
    assert status.count("scored") == c["expected"]["scored"]
    assert len(status) - status.count("scored") == c["expected"]["unscored"]
    scored = [float(reward) for reward, name in zip(values, status, strict=True) if name == "scored"]
    expected = [passes for passes in c["expected"]["passes"] if passes is not None]
    passed = st.passes(scored, c["inputs"]["pass_threshold"], c["inputs"]["pass_tolerance"])
    assert passed.tolist() == expected
