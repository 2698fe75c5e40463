"""The frequencies in the files are those of the documented process; bounds are at five standard deviations."""

import math
from collections import Counter
from pathlib import Path

import pytest

from blade_pipeline_tests.example.conftest import Json, lines_of, truth_of

TASKS, REPEATS = 600, 2


def _run(root: Path, benchmark: str, model: str) -> Json:
    runs: list[Json] = truth_of(root)["runs"]
    return next(run for run in runs if (run["benchmark"], run["model"]) == (benchmark, model))


@pytest.mark.parametrize("model", ["lumen-8b", "lumen-30b", "marl-8b"])
@pytest.mark.parametrize("benchmark", ["ledger_math", "shop_tools"])
def test_success_rate_is_the_mean_of_the_success_probabilities(large: Path, benchmark: str, model: str) -> None:
    # A sum of n independent Bernoulli draws has a variance of at most n/4. With n = 1200 rollouts the rate has a
    # standard deviation of at most sqrt(0.25/1200) = 0.0144. The damaged run loses 23 % of its rows at most.
    run = _run(large, benchmark, model)
    chance = {task["task"]: task["success_probability"] for task in run["tasks"]}
    rows = [row for row in lines_of(large / run["directory"] / "rollouts.jsonl") if not row.get("mask_sample")]
    assert len(rows) > 0.77 * TASKS * REPEATS
    rate = sum(row["reward"] for row in rows) / len(rows)
    expected = sum(chance[row["_ng_task_index"]] for row in rows) / len(rows)
    assert abs(rate - expected) < 5 * math.sqrt(0.25 / len(rows))


def test_base_chances_have_the_mean_of_their_beta_distribution(large: Path) -> None:
    # Beta(1, 1): mean 1/2, variance 1/12, sd of the mean of 600 draws sqrt(1/12/600) = 0.01179, five of them 0.0589.
    # Beta(1, 2): mean 1/3, variance 1*2/(3^2*4) = 1/18, sqrt(1/18/600) = 0.00962, five of them 0.0481.
    ledger = [task["base"] for task in _run(large, "ledger_math", "lumen-8b")["tasks"]]
    shop = [task["base"] for task in _run(large, "shop_tools", "lumen-8b")["tasks"]]
    assert abs(sum(ledger) / TASKS - 1 / 2) < 0.0589
    assert abs(sum(shop) / TASKS - 1 / 3) < 0.0481


def test_skill_multiplies_the_odds(large: Path) -> None:
    # A shift of 1.6 on the logit scale multiplies the odds by e^1.6 = 4.953032; a shift of 0.05 - 0.8 = -0.75 by
    # e^-0.75 = 0.472367. Six digits are kept.
    for benchmark, model, factor in (
        ("shop_tools", "lumen-8b", 1.0),
        ("ledger_math", "lumen-30b", 4.953032),
        ("ledger_math", "marl-8b", 0.472367),
    ):
        for task in _run(large, benchmark, model)["tasks"]:
            odds = task["base"] / (1 - task["base"]) * factor
            assert task["success_probability"] == pytest.approx(odds / (1 + odds), abs=2e-6)


def test_failure_modes_concentrate_in_one_category(large: Path) -> None:
    # Share 0.7 of the failures of these categories; with n failures the sd is sqrt(0.7*0.3/n).
    for benchmark, category, mode in (
        ("ledger_math", "exchange", "unit_mixup"),
        ("shop_tools", "coupon", "coupon_not_applied"),
    ):
        run = _run(large, benchmark, "lumen-8b")
        inside = {task["task"] for task in run["tasks"] if task["category"] == category}
        modes = Counter(r["mode"] for r in run["rollouts"] if r["mode"] is not None and r["task"] in inside)
        failures = modes.total()
        assert failures > 100
        assert abs(modes[mode] / failures - 0.7) < 5 * math.sqrt(0.7 * 0.3 / failures)


def test_losses_do_not_depend_on_the_task(large: Path) -> None:
    # The sampled share of hard tasks among lost rollouts: 0.06+0.08+0.05 of 1200 = 228 of them. Drawn without
    # replacement, so the binomial standard deviation is an upper bound.
    run = _run(large, "shop_tools", "lumen-30b")
    hard = {task["task"] for task in run["tasks"] if task["base"] < 0.3}
    lost = [rollout for rollout in run["rollouts"] if rollout["outcome"] != "measured"]
    assert len(lost) == 228
    share = len(hard) / TASKS
    assert abs(sum(r["task"] in hard for r in lost) / 228 - share) < 5 * math.sqrt(share * (1 - share) / 228)
