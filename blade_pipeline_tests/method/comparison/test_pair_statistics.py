"""The statistics of a pair beside its checks, by hand or by scipy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from blade_pipeline.method.comparison import compare
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, failure, planned, rollout, write_run

Scores = list[list[float]]


def pair(
    tmp_path: Path, a: Scores, b: Scores, profile: Profile | None = None, categories: tuple[str, str] = ("", ""),
    sources: str = "", **options: Any,
) -> dict[str, Any]:  # fmt: skip
    """Two runs given as rewards per task and repeat; ``categories`` has one letter per task of either run.

    ``sources`` has one letter per task of both.
    """
    profile = profile or Profile()
    for name, scores, letters in (("a", a, categories[0]), ("b", b, categories[1])):
        labels = [{"category": letter} for letter in letters] or [{} for _ in scores]
        for label, source in zip(labels, sources, strict=False):
            label["source"] = source
        inputs = [planned(t, r, **labels[t]) for t, line in enumerate(scores) for r in range(len(line))]
        rows = [rollout(t, r, x, **labels[t]) for t, line in enumerate(scores) for r, x in enumerate(line)]
        write_run(tmp_path / "bench" / name, rows, inputs)
    runs = analyzed_folder(tmp_path, profile)
    return compare(runs["bench/a"].side("a"), runs["bench/b"].side("b"), profile, **options)


def test_four_flips_among_five_tasks_are_no_change_and_six_of_six_are(tmp_path: Path) -> None:
    # d = 1,1,1,1,0: t interval .8 -+ 2.776*.2 excludes 0, yet 2 of 16 sign vectors reach it: p = .125, mid-p .0625
    four = pair(tmp_path / "four", [[0.0]] * 5, [[1.0]] * 4 + [[0.0]])
    assert four["difference"]["new_tasks"]["low"] > 0
    assert (four["difference"]["sign_flip_p"], four["difference"]["sign_flip_mid_p"]) == (0.125, 0.0625)
    assert (four["verdict"], four["headline_check"]) == ("no_detectable_change", "noise")
    assert pair(tmp_path / "five", [[0.0]] * 5, [[1.0]] * 5)["verdict"] == "no_detectable_change"
    assert pair(tmp_path / "six", [[0.0]] * 6, [[1.0]] * 6)["verdict"] == "model_change"
    rare = pair(tmp_path / "rare", [[0.0]] * 100, [[1.0]] * 4 + [[0.0]] * 96)
    assert rare["difference"]["new_tasks"]["low"] > 0
    assert rare["verdict"] == "no_detectable_change"


def test_scores_between_0_and_1_that_all_move_alike_are_bounded(tmp_path: Path) -> None:
    # all 40 up by .1: u = 1-.025^(1/40) = .0880973, low = .1 - u*1.1 = .003093
    found = pair(tmp_path / "many", [[0.2]] * 40, [[0.3]] * 40)
    assert found["difference"]["metric"] == "mean score"
    assert found["difference"]["new_tasks"]["low"] == pytest.approx(0.003093, abs=1e-6)
    assert found["verdict"] == "model_change"
    assert "scores +0.1 against a" in found["sentence"]
    few = pair(tmp_path / "few", [[0.2]] * 10, [[0.3]] * 10, Profile(higher_is_better=False))
    assert few["verdict"] == "no_detectable_change"
    assert "b scores +0.1 against a (lower is better), which is within what chance" in few["sentence"]
    assert "10 tasks scored higher, 0 lower and 0 tied" in few["paragraph"]


def test_scores_on_a_declared_range_that_all_move_alike_are_bounded(tmp_path: Path) -> None:
    # 30 tasks from 3 to 5 of 0 to 10: u = 1-.025^(1/30) = .1157033, low = 2 - 12u, high = 2 + 8u
    profile = Profile(reward_range=(0, 10), slices=("category",))
    halves = "x" * 15 + "y" * 15
    found = pair(tmp_path, [[3.0] * 2] * 30, [[5.0] * 2] * 30, profile, (halves, halves))
    new_tasks, tost = found["difference"]["new_tasks"], found["difference"]["tost"]
    assert (new_tasks["low"], new_tasks["high"]) == pytest.approx((0.611560, 2.925626), abs=1e-6)
    assert found["verdict"] == "model_change"
    assert (tost["equivalent"], tost["margin"]) == (False, 0.2)
    # 120 rollouts, none unlike its task's other: 2 +- 2 * 10 * (1-.025^(1/120))
    assert found["difference"]["these_tasks"]["low"] == pytest.approx(1.394541, abs=1e-6)
    # 15 tasks of a category: u = 1-.025^(1/15)
    assert found["secondary"][-1]["low"] == pytest.approx(2 - 12 * (1 - 0.025 ** (1 / 15)))


def test_categories_of_scores_without_a_range_that_all_move_alike_stay_open(tmp_path: Path) -> None:
    scores = [[2.0]] * 5 + [[3.0]] * 5, [[2.5]] * 5 + [[4.5]] * 5
    found = pair(tmp_path, *scores, Profile(slices=("category",)), ("xxxxxyyyyy", "xxxxxyyyyy"))
    assert [(entry["value"], entry["low"]) for entry in found["secondary"]] == [(0.5, None), (1.5, None)]


def test_scores_without_a_range_that_all_move_alike_stay_open(tmp_path: Path) -> None:
    found = pair(tmp_path, [[2.0]] * 10, [[3.0]] * 10)
    assert (found["verdict"], found["headline_check"]) == ("insufficient_evidence", "noise")
    assert "declare the range of the score" in found["settle"][0]


def test_equivalence_at_the_margin_of_the_profile(tmp_path: Path) -> None:
    same = [[1.0, 0.0, 1.0, 1.0]] * 60
    found = pair(tmp_path / "wide", same, same, Profile(equivalence_margin=0.06))
    # 60 equal tasks: p = (1-.06)^60 = .0244
    assert (found["verdict"], found["headline_check"]) == ("equivalent", "noise")
    assert found["difference"]["tost"]["p"] == pytest.approx(0.94**60)
    assert "equivalent within 6.0 points" in found["sentence"]
    narrow = pair(tmp_path / "narrow", same, same, margin=0.02)
    assert narrow["verdict"] == "no_detectable_change"


def test_families_count_as_one(tmp_path: Path) -> None:
    # 12 tasks of 4 sources: the sign-flip test has 4 signs, so p is at least 2/16
    scores: tuple[Scores, Scores] = ([[0.0, 0.0]] * 12, [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] * 4)
    found = pair(tmp_path, *scores, Profile(family_field="category"), ("aaabbbcccddd", "aaabbbcccddd"))
    assert found["difference"]["new_tasks"]["n"] == 4
    assert found["difference"]["sign_flip_p"] == 0.125
    assert found["verdict"] == "no_detectable_change"


def test_families_count_as_one_in_secondary_comparisons_too(tmp_path: Path) -> None:
    # both passes@2 rise from 0 by 1, and by 0, 1, 0 in each family, whose sums are equal: p = 2 of 2^4 signs
    scores: tuple[Scores, Scores] = ([[0.0, 0.0]] * 12, [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] * 4)
    found = pair(tmp_path, *scores, Profile(family_field="category"), ("aaabbbcccddd", "aaabbbcccddd"))
    retries = [(entry["name"], entry["p"]) for entry in found["secondary"][:2]]
    assert retries == [("pass@2", 0.125), ("pass^2", 0.125)]


def test_a_slice_of_three_families_cannot_move_beyond_chance(tmp_path: Path) -> None:
    # all 12 tasks of x gain 1; they come from 3 sources, whose signs agree by chance in 2 of 2^3 cases
    profile = Profile(family_field="source", slices=("category",))
    letters, rows = "x" * 12 + "y" * 12, ([[0.0]] * 24, [[1.0]] * 12 + [[0.0]] * 12)
    found = pair(tmp_path / "families", *rows, profile, (letters, letters), sources="aaaabbbbccccddddeeeeffff")
    assert [entry["p"] for entry in found["secondary"]] == [0.25, 1.0]
    assert found["slice_sentence"] == ""
    alone = pair(tmp_path / "alone", *rows, profile, (letters, letters), sources="abcdefghijklmnopqrstuvwx")
    assert alone["secondary"][0]["p"] == 2 / 2**12
    assert "category = x (12 tasks) went from 0.0% before to 100.0%" in alone["slice_sentence"]


@pytest.mark.parametrize("categories", [("", "aaabbbcccddd"), ("aaabbbcccddd", "")])
def test_families_that_only_one_run_knows_count_as_one(tmp_path: Path, categories: tuple[str, str]) -> None:
    scores: tuple[Scores, Scores] = ([[0.0, 0.0]] * 12, [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] * 4)
    found = pair(tmp_path, *scores, Profile(family_field="category"), categories)
    assert found["difference"]["new_tasks"]["n"] == 4
    assert found["difference"]["sign_flip_p"] == 0.125


def test_a_task_of_several_agents_is_one_of_the_sample(tmp_path: Path) -> None:
    # both agents gain 0, 0, 1 and 1 on four tasks: mean 1/2, SE sqrt(4/3 * 4 * 1/4) / 4, df 3
    keys = [(agent, task, repeat) for agent in range(2) for task in range(4) for repeat in range(2)]
    for run, passing in (("a", 4), ("b", 2)):
        rows = [rollout(t, 2 * a + r, float(t >= passing), agent_ref={"name": f"x{a}"}) for a, t, r in keys]
        inputs = [planned(t, 2 * a + r, agent_ref={"name": f"x{a}"}) for a, t, r in keys]
        write_run(tmp_path / "bench" / run, rows, inputs)
    runs = analyzed_folder(tmp_path)
    found = compare(runs["bench/a"].side("a"), runs["bench/b"].side("b"), Profile())["difference"]["new_tasks"]
    assert (found["estimate"], found["n"], found["df"]) == (0.5, 4, 3)
    assert found["se"] == pytest.approx((4 / 3) ** 0.5 / 4)


def test_secondary_comparisons_are_corrected_together(tmp_path: Path) -> None:
    generator = np.random.Generator(np.random.PCG64(4))
    a, b = (generator.integers(0, 2, (20, 3)).astype(float).tolist() for _ in range(2))
    found = pair(tmp_path, a, b, Profile(slices=("category",)), ("x" * 8 + "y" * 12, "x" * 8 + "y" * 12))
    entries = {entry["name"]: entry for entry in found["secondary"]}
    labelled = [*entries.values(), found["difference"]["new_tasks"], found["difference"]["these_tasks"]]
    assert all(entry["level"] == 0.95 and entry["method"] and entry["question"] for entry in labelled)
    assert {entry["question"] for entry in entries.values()} == {"new_tasks"}
    assert all((entry["low"] is None) == (entry["reason"] is not None) for entry in entries.values())
    assert list(entries) == ["pass@3", "pass^3", "category = x", "category = y"]
    by_hand = stats.ttest_rel([max(line) for line in b], [max(line) for line in a])
    assert entries["pass@3"]["p"] == pytest.approx(by_hand.pvalue)
    # Holm: the smallest of four p times 4, then the running maximum of 3p, 2p, p
    ordered = sorted(entries.values(), key=lambda entry: entry["p"])
    steps = np.maximum.accumulate([entry["p"] * n for entry, n in zip(ordered, (4, 3, 2, 1), strict=True)])
    assert [entry["holm_p"] for entry in ordered] == pytest.approx(np.minimum(steps, 1.0).tolist())
    assert entries["category = x"]["tasks"] == 8


def test_a_slice_that_moved_is_told_though_the_run_did_not(tmp_path: Path) -> None:
    # Ten tasks of x fall from 3/4 to 1/4 or 0, thirty of y wobble by one repeat either way.
    a = [[1.0, 1, 1, 0]] * 10 + [[1.0, 1, 0, 0]] * 30
    b = [[1.0, 0, 0, 0]] * 5 + [[0.0] * 4] * 5 + [[1.0, 1, 1, 0], [1.0, 0, 0, 0]] * 15
    labels = "x" * 10 + "y" * 30
    found = pair(tmp_path, a, b, Profile(slices=("category",)), (labels, labels))
    assert found["slice_sentence"].startswith(
        "Beyond chance in a slice: category = x (10 tasks) went from 75.0% before to 12.5%, -62.5 points, p = "
    )
    assert found["slice_sentence"] in found["paragraph"] and found["slice_sentence"] not in found["sentence"]
    entry = next(entry for entry in found["secondary"] if entry["name"] == "category = x")
    # All ten signs alike: half of 2/1024.
    assert entry["sign_flip_mid_p"] == pytest.approx(1 / 1024)


def test_few_tasks_that_fall_nearly_alike_are_no_slice_that_moved(tmp_path: Path) -> None:
    a = [[1.0, 1, 1, 1]] * 4 + [[1.0, 1, 0, 0]] * 20
    b = [[0.0, 0, 0, 0]] * 3 + [[1.0, 0, 0, 0]] + [[1.0, 1, 0, 0]] * 20
    labels = "x" * 4 + "y" * 20
    found = pair(tmp_path, a, b, Profile(slices=("category",)), (labels, labels))
    entry = next(entry for entry in found["secondary"] if entry["name"] == "category = x")
    assert entry["holm_p"] <= 0.05 < entry["sign_flip_mid_p"]
    assert found["slice_sentence"] == ""


def test_the_mix_of_categories_or_their_rates(tmp_path: Path) -> None:
    # A: x 1,1,0 y 0,0,0; B: x 1,1,1,0 y 0,0: own means 2/6 and 3/6, x 2/3 and 3/4, y 0 and 0
    # rates: (3/6+4/6)/2 * (3/4-2/3) = .0486; mix: (2/3+3/4)/2 * (4/6-3/6) = .1181; together 1/6
    a, b = [[1.0], [1.0], [0.0], [0.0], [0.0], [0.0]], [[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]]
    found = pair(tmp_path, a, b, Profile(slices=("category",)), ("xxxyyy", "xxxxyy"))["mix"]
    [split] = found["by"]
    assert found["difference"] == pytest.approx(1 / 6)
    assert (split["rates"], split["mix"]) == (pytest.approx(7 / 12 / 12), pytest.approx(17 / 24 / 6))
    assert split["rates"] + split["mix"] == pytest.approx(found["difference"])
    assert split["categories"][0] == {
        "value": "x", "tasks_a": 3, "tasks_b": 4, "a": pytest.approx(2 / 3), "b": pytest.approx(3 / 4),
    }  # fmt: skip


def test_a_category_that_one_run_lacks_is_mix(tmp_path: Path) -> None:
    found = pair(tmp_path, [[1.0], [1.0]], [[1.0], [1.0], [0.0], [0.0]], Profile(slices=("category",)), ("xx", "xxyy"))[
        "mix"
    ]
    [split] = found["by"]
    assert (found["difference"], split["rates"], split["mix"]) == (-0.5, 0.0, -0.5)


def test_the_tools_numbers_stand_beside_ours(tmp_path: Path) -> None:
    a: Scores = [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    b: Scores = [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]
    [found] = pair(tmp_path, a, b)["gym_compare"]["agents"]
    # task 0 falls, 2 rises, 1 and 4 stand at exactly one half on a side, 3 stays
    assert found["flips"] == {
        "mode": "binary", "pass_to_fail_count": 1, "fail_to_pass_count": 1, "tied_count": 2, "unchanged_count": 1,
        "net": 0, "common_task_count": 5, "baseline_only_task_count": 0, "candidate_only_task_count": 0,
    }  # fmt: skip
    reward = next(row for row in found["metrics"] if row["metric"] == "mean/reward")
    # means per repeat: A .6, .4; B .6, .8
    expected = stats.ttest_ind([0.6, 0.8], [0.6, 0.4], equal_var=False).confidence_interval()
    assert (reward["baseline"], reward["candidate"], reward["delta"]) == (
        pytest.approx(0.5), pytest.approx(0.7), pytest.approx(0.2),
    )  # fmt: skip
    assert reward["delta_pct"] == pytest.approx(40.0)
    assert (reward["delta_ci_low"], reward["delta_ci_high"]) == (
        pytest.approx(expected.low), pytest.approx(expected.high),
    )  # fmt: skip


def test_the_tools_flips_of_scores_that_are_no_passes(tmp_path: Path) -> None:
    [found] = pair(tmp_path, [[0.2], [0.5]], [[0.3], [0.5]])["gym_compare"]["agents"]
    assert (found["flips"]["mode"], found["flips"]["unchanged_count"]) == ("continuous", 1)
    assert found["flips"]["pass_to_fail_count"] is None


def test_the_tipping_point_of_lost_rollouts(tmp_path: Path) -> None:
    # A 5 of 10; B 4 of 8 with 2 failed: .4 + .2q = .5 at q = .5
    expected = [planned(task, 0) for task in range(10)]
    write_run(tmp_path / "bench" / "a", [rollout(task, 0, float(task < 5)) for task in range(10)], expected)
    write_run(
        tmp_path / "bench" / "b",
        [rollout(task, 0, float(task < 4)) for task in range(8)],
        expected,
        [failure(8, 0), failure(9, 0)],
    )
    runs = analyzed_folder(tmp_path)
    found = compare(runs["bench/a"].side("a"), runs["bench/b"].side("b"), Profile())["difference"]
    assert found["tipping_point"]["q"] == pytest.approx(0.5)
    assert (found["bounds"]["low"], found["bounds"]["high"]) == (pytest.approx(-0.1), pytest.approx(0.1))


def test_flips_that_cannot_survive_are_candidates(tmp_path: Path) -> None:
    # 0/4 against 4/4 has p = 2/70; over two tasks q is at least .057 ... over five .14
    a, b = [[0.0] * 4] * 5, [[1.0] * 4] + [[0.0] * 4] * 4
    found = pair(tmp_path, a, b)["flips"]
    assert found["candidates"][0]["p"] == pytest.approx(2 / 70)
    assert (found["surviving"], found["candidates"][0]["survives"]) == (0, False)
    assert "a single flip could not, with so few repeats" in found["note"]
    many = pair(tmp_path / "many", [[0.0] * 12] * 2, [[1.0] * 12, [0.0] * 12])["flips"]
    assert (many["surviving"], many["candidates"][0]["survives"]) == (1, True)


def test_a_pair_too_small_to_find_any_difference_says_so(tmp_path: Path) -> None:
    # sigma^2 = .5 in all ten cells of 2 repeats: se = sqrt((.5/2 + .5/2) / 5) = .3162; (2.776 + .941) * .3162 = 1.175
    found = pair(tmp_path, [[1.0, 0.0]] * 5, [[0.0, 1.0], [1.0, 0.0]] + [[0.0, 1.0]] * 3)
    assert found["difference"]["mde"]["value"] == pytest.approx(1.1754, abs=1e-3)
    assert "This design finds no possible difference with 80% power." in found["paragraph"]


def test_four_tasks_or_no_spread_have_no_detectable_difference(tmp_path: Path) -> None:
    found = pair(tmp_path, [[1.0, 0.0]] * 4, [[0.0, 1.0]] * 4)
    assert found["difference"]["mde"]["value"] is None
    assert "can be named: with fewer than 5 tasks or families in common no difference is beyond" in found["paragraph"]
    still = pair(tmp_path / "still", [[1.0, 1.0]] * 9, [[1.0, 1.0]] * 9)["difference"]["mde"]
    assert still["value"] is None
    assert still["reason"].startswith("nothing varied between tasks or repeats")


def test_one_repeat_a_side_needs_mcnemars_mid_p_as_well(tmp_path: Path) -> None:
    # 17 gained and 7 lost of 100: t = 2.075 > 1.984; mid-p = 2 P(X<7) + P(X=7), X ~ Bin(24, 1/2) = .0433
    # 18 gained and 8 lost: t = 1.990 > 1.984, and mid-p = .0522
    a = [[1.0]] * 8 + [[0.0]] * 92
    claimed = pair(tmp_path / "a", [[1.0]] * 7 + [[0.0]] * 93, [[0.0]] * 7 + [[1.0]] * 17 + [[0.0]] * 76)
    assert claimed["verdict"] == "model_change"
    found = pair(tmp_path / "b", a, [[0.0]] * 8 + [[1.0]] * 18 + [[0.0]] * 74)
    assert found["difference"]["new_tasks"]["low"] > 0
    assert found["difference"]["single_repeat"]["p_mid"] > 0.05
    assert found["verdict"] == "no_detectable_change"
    [noise] = [check for check in found["checks"] if check["id"] == "noise"]
    assert "with one repeat a side every flip is of one size" in noise["note"]


def test_a_graded_score_is_no_point_under_the_counting_rules(tmp_path: Path) -> None:
    # task means 1.5 and 0.75 against 3: +1.875 of a score, which is not 187.5 points
    found = pair(tmp_path, [[1.0, 2.0], [1.5, 0.0]], [[3.0, 3.0], [3.0, 3.0]])
    [rules] = [check for check in found["checks"] if check["id"] == "accounting_rules"]
    assert found["difference"]["metric"] == "mean score"
    assert rules["note"].startswith("the difference is +1.875")
    assert "points" not in rules["note"]


def test_the_margin_is_a_share_of_the_range_of_the_score(tmp_path: Path) -> None:
    # out of 100, half a point up and down: se = .5 sqrt(40/39)/sqrt(40) = .0801, far inside 2% of 100 = 2 points
    a, b = [[60.0]] * 40, [[60.5], [59.5]] * 20
    declared = pair(tmp_path / "declared", a, b, Profile(reward_range=(0, 100)))
    assert (declared["verdict"], declared["difference"]["tost"]["margin"]) == ("equivalent", 2.0)
    assert declared["sentence"].startswith("Compared with a, b scores the same (0), which is equivalent within 2")
    unknown = pair(tmp_path / "unknown", a, b)
    assert unknown["verdict"] == "no_detectable_change"
    assert (unknown["difference"]["tost"]["margin"], unknown["difference"]["tost"]["equivalent"]) == (None, None)
    assert (
        "equality was not tested, since scores leave 0 to 1 and the profile declares no reward_range"
        in (unknown["paragraph"])
    )
    assert unknown["settle"][0].startswith("Declare the score's reward_range")
    unit = pair(tmp_path / "unit", [[0.6]] * 40, [[0.65], [0.55]] * 20)
    # se = .05 sqrt(40/39)/sqrt(40) = .008: the 90% interval ends at 1.685 * .008 = .0135, inside .02
    assert (unit["verdict"], unit["difference"]["tost"]["margin"]) == ("equivalent", 0.02)


def test_lost_rollouts_count_from_the_lowest_to_the_highest_score(tmp_path: Path) -> None:
    # ten tasks at 50 of 0 to 100, one lost in b: between (0 - 50) / 10 and (100 - 50) / 10
    expected = [planned(task, 0) for task in range(10)]
    for name, kept in (("a", 10), ("b", 9)):
        write_run(tmp_path / "bench" / name, [rollout(task, 0, 50.0) for task in range(kept)], expected)
    profile = Profile(reward_range=(0, 100))
    runs = analyzed_folder(tmp_path, profile)
    declared = compare(runs["bench/a"].side("a"), runs["bench/b"].side("b"), profile)
    bounds = declared["difference"]["bounds"]
    assert ([bounds["low"], bounds["high"]], bounds["sign_identified"]) == (pytest.approx([-5.0, 5.0]), False)
    assert declared["difference"]["accountings"] == pytest.approx(
        {"observed": 0.0, "failures_as_zero": 0.0, "all_unscored_as_zero": -5.0, "all_as_one": 5.0}
    )
    assert (declared["verdict"], declared["headline_check"]) == ("failure_accounting", "accounting_rules")
    unknown = compare(runs["bench/a"].side("a"), runs["bench/b"].side("b"), Profile())
    assert unknown["difference"]["bounds"] == {"low": None, "high": None, "sign_identified": None}
    [rules] = [check for check in unknown["checks"] if check["id"] == "accounting_rules"]
    assert (rules["status"], rules["note"][:44]) == ("unknown", "the profile declares no reward_range, so nob")


def test_with_few_tasks_the_detectable_difference_is_a_least_one(tmp_path: Path) -> None:
    a, b = [[1.0, 0.0]] * 9, [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]] * 3
    assert pair(tmp_path / "enough", a[:8], b[:8])["difference"]["mde"]["at_least"] is False
    few = pair(tmp_path / "few", a[:7], b[:7])
    assert few["difference"]["mde"]["at_least"] is True
    assert "this design needs one of more than" in few["paragraph"]
    assert pair(tmp_path / "one", [r[:1] for r in a], [r[1:] for r in b])["difference"]["mde"]["at_least"] is True


def test_tasks_are_told_by_how_far_their_mean_score_moved(tmp_path: Path) -> None:
    a: Scores = [[0.2, 0.4], [0.5, 0.5], [0.6, 0.8], [0.1, 0.1]]
    b: Scores = [[0.6, 0.8], [0.5, 0.5], [0.5, 0.7], [0.3, 0.3]]
    found = pair(tmp_path, a, b)["moves"]
    assert (found["up"], found["down"], found["unchanged"], found["tested"]) == (2, 1, 1, 2)
    first, second, third = found["candidates"]
    assert [row["task"] for row in (first, second, third)] == ["0", "3", "2"]
    assert (first["a"], first["b"], first["change"]) == (pytest.approx(0.3), pytest.approx(0.7), pytest.approx(0.4))
    # both variances .02: t = .4/sqrt(.02) = 2 sqrt 2 with 2 df, p = 1 - t/sqrt(t^2 + 2) = 1 - 2/sqrt 5; of two, q = 2p
    assert (first["p"], first["q"]) == (pytest.approx(1 - 2 / 5**0.5), pytest.approx(2 * (1 - 2 / 5**0.5)))
    # task 3's repeats are all alike, which says nothing of chance
    assert (second["p"], second["q"], second["survives"]) == (None, None, False)
    assert found["note"] == "all 3 are candidates: none survives Benjamini-Hochberg at q = 0.10 over 2 tasks"
    assert "moves" not in pair(tmp_path / "passes", [[1.0], [0.0]], [[1.0], [1.0]])
