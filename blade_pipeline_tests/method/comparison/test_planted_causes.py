"""Pairs of runs with one planted cause each: the headline names it and claims nothing beyond it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.comparison import Side, compare
from blade_pipeline.models import Factor, Profile
from blade_pipeline_tests.method.chain import analyzed_folder
from blade_pipeline_tests.method.comparison import causes
from blade_pipeline_tests.method.comparison.causes import CAUSES, LATER
from blade_pipeline_tests.method.comparison.planting import BENCHMARK, Planted, failure, system

Pair = dict[str, Any]
GROUPS = ("code", "benchmark", "method", "accounting", "noise")
CLAIMS = ("model_change", "equivalent", "no_detectable_change")


def sides(root: Path, *runs: Planted) -> list[Side]:
    for number, run in enumerate(runs):
        run.write(root, f"job-{number}")
    found = analyzed_folder(root)
    return [found[f"{BENCHMARK}/job-{number}"].side("ab"[number]) for number in range(len(runs))]


def compared(root: Path, a: Planted, b: Planted) -> Pair:
    first, second = sides(root, a, b)
    return compare(first, second, Profile())


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Side:
    [side] = sides(tmp_path_factory.mktemp("a"), system(1))
    return side


def against(baseline: Side, tmp_path: Path, *plants: Callable[[Planted], None], **options: Any) -> Pair:
    run = system(2)
    for plant in plants:
        plant(run)
    run.write(tmp_path, "b")
    return compare(baseline, analyzed_folder(tmp_path)[f"{BENCHMARK}/b"].side("b"), Profile(), **options)


def differing(pair: Pair, group: str) -> set[str]:
    return {check["id"] for check in pair["checks"] if check["status"] == "different" and check["group"] == group}


@pytest.mark.parametrize("name", CAUSES)
def test_the_headline_names_the_planted_cause(baseline: Side, tmp_path: Path, name: str) -> None:
    cause = CAUSES[name]
    found = against(baseline, tmp_path, cause.plant)
    assert (found["headline_check"], found["verdict"]) == (cause.headline, cause.verdict)
    earlier = GROUPS[: GROUPS.index(cause.group)]
    assert [differing(found, group) for group in earlier] == [set()] * len(earlier)
    assert not any(word in found["sentence"] for word in ("equivalent", "chance", "points against"))
    assert found["settle"]


@pytest.mark.parametrize("name", [name for name, cause in CAUSES.items() if cause.group in LATER])
def test_a_second_later_difference_leaves_the_headline(baseline: Side, tmp_path: Path, name: str) -> None:
    cause = CAUSES[name]
    found = against(baseline, tmp_path, cause.plant, LATER[cause.group])
    assert (found["headline_check"], found["verdict"]) == (cause.headline, cause.verdict)
    later = GROUPS[GROUPS.index(cause.group) + 1]
    assert differing(found, later), "the later difference is still shown"


def test_the_same_system_twice_claims_nothing(baseline: Side, tmp_path: Path) -> None:
    found = against(baseline, tmp_path)
    assert (found["verdict"], found["headline_check"]) == ("no_detectable_change", "noise")
    assert found["conditional_on"] == ["reasoning_effort", "chat_template", "user_simulator"]
    assert found["sentence"].endswith(
        "provided that the reasoning mode, the chat template and the user simulator did not change (unknown)."
    )
    assert [differing(found, group) for group in GROUPS] == [set()] * 5
    assert found["pairing"] == {"method": "content", "common": 40, "only_a": 0, "only_b": 0, "changed_content": 0}


@pytest.mark.parametrize(
    ("a", "b", "status"),
    [
        ("5f2d0c1aa0b7", "5f2d0c1", "same"),
        ("5f2d0c1aa0b7", "5F2D0C1AA0B7", "same"),
        ("5f2d0c1aa0b7", "5f2d0c1bb0b7", "different"),
        ("5f2d0c1aa0b7", "5f2d", "different"),
        ("5f2d0c1aa0b7", "5f2d0c1-dirty", "different"),
        ("5f2d0c1aa0b7-dirty", "5f2d0c1-dirty", "unknown"),
        ("main", "5f2d0c1aa0b7", "unknown"),
        ("v0.7.1", "5f2d0c1aa0b7", "unknown"),
        ("v0.7.1", "main", "unknown"),
        ("main", "main", "unknown"),
        ("v0.7.1", "v0.7.1", "same"),
        ("v0.7.1", "v0.7.2", "different"),
        ("main", "fix-judge", "different"),
    ],
)
def test_what_two_names_say_of_the_code(tmp_path: Path, a: str, b: str, status: str) -> None:
    runs = system(1), system(2)
    for run, ref in zip(runs, (a, b), strict=True):
        run.submit["driver"]["gym_install"]["ref"] = ref
    found = {check["id"]: check for check in compared(tmp_path, *runs)["checks"]}
    assert found["scoring_commit"]["status"] == status
    if status == "unknown":
        assert found["scoring_commit"]["note"]


def test_a_value_whose_rows_are_lost_is_no_other_value(tmp_path: Path) -> None:
    runs = system(1), system(2)
    for run in runs:
        for row in (*run.rows, *run.inputs):
            if row["_ng_task_index"] % 4 == 0:
                row["responses_create_params"]["max_output_tokens"] = 8192
    both = compared(tmp_path / "both", *runs)
    runs[1].rows = [row for row in runs[1].rows if row["_ng_task_index"] % 4]
    lost = compared(tmp_path / "lost", *runs)
    assert "max_output_tokens" in both["conditional_on"], "the same values may stand in other rows"
    assert (lost["verdict"], lost["headline_check"]) == ("failure_accounting", "missing_rate")


def test_several_values_are_told_with_their_rows(baseline: Side, tmp_path: Path) -> None:
    found = against(baseline, tmp_path, causes.shorter_limit_in_half)
    assert found["sentence"].endswith("the output limit differs (2048 against 2048 (80), 512 (80)).")


def test_renumbered_tasks_pair_by_content(tmp_path: Path) -> None:
    other = system(1)
    for row in (*other.rows, *other.inputs):
        row["_ng_task_index"] = 39 - row["_ng_task_index"]
    found = compared(tmp_path, system(1), other)
    assert found["pairing"] == {"method": "content", "common": 40, "only_a": 0, "only_b": 0, "changed_content": 0}
    assert (found["difference"]["value"], found["flips"]["unchanged"]) == (0.0, 40)
    assert found["verdict"] in CLAIMS[1:]


def test_other_numbers_and_other_tasks_are_no_changed_benchmark(tmp_path: Path) -> None:
    # of 40 tasks the first run has 0 to 29 and the other 10 to 39, which stand there under 29 to 0
    first, other = system(1), system(1)
    for rows in (other.rows, other.inputs):
        for row in rows:
            row["_ng_task_index"] = 39 - row["_ng_task_index"]
    for run in (first, other):
        run.rows = [row for row in run.rows if row["_ng_task_index"] < 30]
        run.inputs = [row for row in run.inputs if row["_ng_task_index"] < 30]
    found = compared(tmp_path, first, other)
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "task_set")
    [note] = [check["note"] for check in found["checks"] if check["id"] == "task_set"]
    assert note == (
        "20 tasks pair by content, 10 stand only in the first run and 10 only in the second; 10 tasks under one index "
        "differ in content, but 20 of 20 pairs stand under different indices"
    )


def test_a_true_gain_of_five_points_is_a_change_of_about_five(tmp_path: Path) -> None:
    # 300 tasks x 8: SE about sqrt(2*.09/8/300) = .9 points, so 5 points are 5 standard errors
    found = compared(tmp_path, system(1, 300, 8), system(2, 300, 8, gain=0.05))
    assert (found["verdict"], found["headline_check"]) == ("model_change", None)
    assert found["difference"]["new_tasks"]["low"] < 0.05 < found["difference"]["new_tasks"]["high"]


def test_a_change_names_what_else_differs(tmp_path: Path) -> None:
    runs = system(1, gain=-1.0), system(2, gain=1.0)
    runs[1].submit["services"]["policy"]["container"] = "registry.example/vllm:0.13.0"
    found = compared(tmp_path, *runs)
    assert found["verdict"] == "model_change"
    assert "would show, though the serving image and the serving version differ too, provided" in found["sentence"]


def test_a_true_gain_hidden_by_accounting_is_no_change_and_no_equality(tmp_path: Path) -> None:
    other = system(2, 300, 8, gain=0.05)
    lost = [row for row in other.rows if row["reward"] == 1.0][::10]
    other.failures = [failure(row) for row in lost]
    other.rows = [row for row in other.rows if not any(row is gone for gone in lost)]
    found = compared(tmp_path, system(1, 300, 8), other)
    assert (found["verdict"], found["headline_check"]) == ("failure_accounting", "error_rate")
    by_rule = found["difference"]["accountings"]
    assert by_rule["all_as_one"] > 0.03
    assert by_rule["failures_as_zero"] < 0.02
    assert "accounting_rules" in differing(found, "accounting")


def test_one_repeat_a_side_has_mcnemar_and_no_rerun_interval(tmp_path: Path) -> None:
    found = compared(tmp_path, system(1, repeats=1), system(2, repeats=1))
    assert (found["verdict"], found["headline_check"]) == ("no_detectable_change", "noise")
    difference = found["difference"]
    [copies] = [check for check in found["checks"] if check["id"] == "repeat_copies"]
    assert (copies["status"], copies["a"], copies["blocking"]) == ("unknown", "0 of 0", False)
    assert difference["these_tasks"]["low"] is None
    # the difference's own standard error and Student's t with 39 degrees of freedom: (2.02269 + 0.85094) SE
    assert difference["mde"]["value"] == pytest.approx((2.02269 + 0.85094) * difference["new_tasks"]["se"], rel=1e-4)
    assert (difference["noise_floor"], difference["mde"]["omega2"], difference["mde"]["at_least"]) == (None,) * 2 + (
        False,
    )
    assert "without two repeats in both runs nobody can say how much smaller" in found["paragraph"]
    single = difference["single_repeat"]
    gap = (single["gained"] - single["lost"]) / 40
    assert single["bonett_price"]["estimate"] == pytest.approx(gap) == pytest.approx(difference["value"])
    assert single["p_exact"] >= single["p_mid"]


def test_unequal_repeats_are_reported_and_decide_nothing(tmp_path: Path) -> None:
    found = compared(tmp_path, system(1, repeats=2), system(2, repeats=4))
    assert (found["verdict"], found["headline_check"]) == ("no_detectable_change", "noise")
    assert "repeats" in differing(found, "method")
    assert found["difference"]["single_repeat"] is None


@pytest.mark.parametrize(
    ("cause", "varying"),
    [("other temperature", "sampling"), ("other judge through an environment variable", "judge"),
     ("other tool list", "tools"), ("other commit", "code"), ("other system prompt", "prompt"),
     ("other tool list", "harness")],
)  # fmt: skip
def test_a_declared_factor_is_studied_and_no_longer_blocks(
    baseline: Side, tmp_path: Path, cause: str, varying: Factor
) -> None:
    found = against(baseline, tmp_path, CAUSES[cause].plant, varying=varying)
    assert (found["verdict"], found["headline_check"]) == ("no_detectable_change", "noise")
    assert CAUSES[cause].headline in {check["id"] for check in found["checks"] if check["status"] == "different"}


def test_another_model_blocks_when_something_else_is_studied(baseline: Side, tmp_path: Path) -> None:
    def other_model(run: Planted) -> None:
        for row in run.rows:
            row["response"]["model"] = "policy-70b"

    found = against(baseline, tmp_path, other_model, varying="judge")
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "model")
    again = tmp_path / "again"
    assert against(baseline, again, other_model)["headline_check"] == "noise"


def test_another_checkpoint_blocks_when_something_else_is_studied(baseline: Side, tmp_path: Path) -> None:
    def other_checkpoint(run: Planted) -> None:
        run.submit["services"]["policy"]["model"] = "org/policy-7b-v2"

    found = against(baseline, tmp_path, other_checkpoint, varying="judge")
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "checkpoint")


def both(tmp_path: Path, plant: Callable[[Planted], None]) -> Pair:
    runs = system(1), system(2)
    for run in runs:
        plant(run)
    return compared(tmp_path, *runs)


@pytest.mark.parametrize(("ref", "why"), [("5f2d0c1aa0b7-dirty", "-dirty"), ("main", "main is a branch")])
def test_a_name_that_can_mean_two_things_is_not_the_same_code(tmp_path: Path, ref: str, why: str) -> None:
    found = both(tmp_path, lambda run: run.submit["driver"]["gym_install"].update(ref=ref))
    [check] = [check for check in found["checks"] if check["id"] == "scoring_commit"]
    assert (check["status"], check["a"], check["b"]) == ("unknown", ref, ref)
    assert why in check["note"]
    assert found["conditional_on"][0] == "scoring_commit"


@pytest.mark.parametrize("image", ["registry.example/gym-driver:latest", "registry.example/gym-driver"])
def test_a_moving_container_tag_is_not_the_same_container(tmp_path: Path, image: str) -> None:
    found = both(tmp_path, lambda run: run.submit["driver"].update(container=image))
    assert "driver_container" in found["conditional_on"]


def test_without_an_installed_commit_the_container_scored(tmp_path: Path) -> None:
    found = both(tmp_path, lambda run: run.submit["driver"].update(gym_install=None))
    assert "scoring_commit" not in found["conditional_on"]
    [check] = [check for check in found["checks"] if check["id"] == "scoring_commit"]
    assert (check["status"], check["a"]) == ("same", "registry.example/gym-driver:2026.10")
    assert "the driver container's Gym" in check["note"]


def test_the_submitters_commit_is_reported_and_decides_only_alone(tmp_path: Path) -> None:
    def submitted_from(run: Planted, commit: str) -> Planted:
        run.job["gym_commit"] = commit
        return run

    known = compared(tmp_path / "known", system(1), submitted_from(system(2), "0badc0de1234-dirty"))
    assert known["headline_check"] == "noise"
    assert differing(known, "code") == {"submitter_commit"}
    alone = [system(1), submitted_from(system(2), "0badc0de1234")]
    for run in alone:
        del run.submit["driver"]["gym_install"], run.submit["driver"]["container"]
    found = compared(tmp_path / "alone", *alone)
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "submitter_commit")


def test_an_unresolved_judge_is_unknown_and_never_the_same(tmp_path: Path) -> None:
    found = both(tmp_path, lambda run: run.submit["driver"].update(env={}))
    [check] = [check for check in found["checks"] if check["id"] == "judge"]
    assert (check["status"], check["a"]) == ("unknown", None)
    assert "JUDGE_MODEL_NAME" in check["source_a"]
    assert "judge" in found["conditional_on"]


def test_lost_hard_tasks_are_said_to_be_hard(baseline: Side, tmp_path: Path) -> None:
    found = against(baseline, tmp_path, causes.missing_hard_tasks)
    [check] = [check for check in found["checks"] if check["id"] == "lost_on_hard_tasks"]
    assert check["status"] == "different"
    assert check["note"].startswith("b lost rollouts on 6 tasks, on which a scores ")
    assert check["note"].endswith("so hard tasks were lost")
    assert check["b"] == "24 missing of 160"


def test_greedy_decoding_may_repeat_itself(tmp_path: Path) -> None:
    runs = system(1), system(2)
    for run in runs:
        causes.cached_repeats(run)
        for row in (*run.rows, *run.inputs):
            row["responses_create_params"]["temperature"] = 0.0
    found = compared(tmp_path, *runs)
    assert found["headline_check"] == "noise"


def test_the_same_tasks_with_every_prompt_edited_differ_in_prompts(baseline: Side, tmp_path: Path) -> None:
    def edited(run: Planted) -> None:
        for row in (*run.rows, *run.inputs):
            row["responses_create_params"]["input"][1]["content"] += " Answer in words."

    found = against(baseline, tmp_path, edited)
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "prompts")
    [tasks] = [check for check in found["checks"] if check["id"] == "task_set"]
    assert tasks["status"] == "unknown"
    assert "under every index the expected answer is the same, the prompt not" in tasks["note"]


def test_the_same_tasks_with_every_answer_edited_differ_in_answers(baseline: Side, tmp_path: Path) -> None:
    def as_number(run: Planted) -> None:
        for row in (*run.rows, *run.inputs):
            row["expected_answer"] = int(row["expected_answer"])

    found = against(baseline, tmp_path, as_number)
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "expected_answers")
    [tasks] = [check for check in found["checks"] if check["id"] == "task_set"]
    assert (tasks["status"], tasks["note"]) == (
        "unknown",
        "no task pairs by content; under every index the prompt is the same, the expected answer not",
    )


def test_another_rubric_in_every_task_is_another_benchmark(baseline: Side, tmp_path: Path) -> None:
    def other_rubric(run: Planted) -> None:
        for row in run.inputs:
            row["rubric"] = "Show every step."

    found = against(baseline, tmp_path, other_rubric)
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "task_set")
    assert found["sentence"].endswith(
        "(40 tasks pair by prompt and answer alone; in 40 tasks other fields of the dataset differ)."
    )


def test_equal_scores_are_said_to_be_the_same(tmp_path: Path) -> None:
    runs = system(1), system(1)
    for row in runs[1].rows:
        row["response"]["id"] += "-again"
    found = compared(tmp_path, *runs)
    assert found["sentence"].startswith("Compared with a, b scores the same (0.0 points), which is within what chance")


@pytest.mark.parametrize(
    ("times", "status"), [(1, "same"), (3, "same"), (9, "same"), (10, "different"), (0, "unknown")]
)
def test_only_scores_far_above_one_are_another_scale(baseline: Side, tmp_path: Path, times: int, status: str) -> None:
    """A game may give 3 points where another run won 1; ten times the best of a run is no better play."""

    def scaled(run: Planted) -> None:
        for row in run.rows:
            row["reward"] *= times

    found = against(baseline, tmp_path, scaled)
    [scale] = [check for check in found["checks"] if check["id"] == "score_scale"]
    assert (scale["status"], scale["blocking"]) == (status, status == "different")
    assert (scale["a"], scale["b"]) == (1.0, times or None)
    assert any("to one scale" in advice for advice in found["settle"]) == (status == "different")
