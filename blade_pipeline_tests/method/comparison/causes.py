"""The causes that are planted in the second run of a pair, and what the comparison must say of each."""

from collections.abc import Callable
from typing import Any, NamedTuple

from blade_pipeline_tests.method.comparison.planting import TOOLS, Planted, failure


class Cause(NamedTuple):
    """An edit of the second run, the check that must decide and the verdict."""

    plant: Callable[[Planted], None]
    group: str
    headline: str
    verdict: str


def _requests(run: Planted) -> list[dict[str, Any]]:
    return [row["responses_create_params"] for row in (*run.rows, *run.inputs)]


def other_commit(run: Planted) -> None:
    run.submit["driver"]["gym_install"]["ref"] = "77aa01bc33de"


def dirty_commit(run: Planted) -> None:
    run.submit["driver"]["gym_install"]["ref"] += "-dirty"


def moved_container_tag(run: Planted) -> None:
    run.submit["driver"]["container"] = "registry.example/gym-driver:2026.11"


def changed_prompts(run: Planted) -> None:
    for row in (*run.rows, *run.inputs):
        if row["_ng_task_index"] in (4, 9, 23):
            row["responses_create_params"]["input"][1]["content"] += " Answer in words."


def changed_answers(run: Planted) -> None:
    for row in (*run.rows, *run.inputs):
        if row["_ng_task_index"] in (4, 9, 23):
            row["expected_answer"] += ".0"


def fewer_tasks(run: Planted) -> None:
    run.rows = [row for row in run.rows if row["_ng_task_index"] > 3]
    run.inputs = [row for row in run.inputs if row["_ng_task_index"] > 3]


def disjoint_tasks(run: Planted) -> None:
    for row in (*run.rows, *run.inputs):
        row["_ng_task_index"] += 1000
        row["responses_create_params"]["input"][1]["content"] = f"What is 3 times {row['_ng_task_index']}?"
        row["expected_answer"] = str(3 * row["_ng_task_index"])


def other_temperature(run: Planted) -> None:
    for request in _requests(run):
        request["temperature"] = 1.0


def shorter_limit_with_truncation(run: Planted) -> None:
    for request in _requests(run):
        request["max_output_tokens"] = 256
    for row in run.rows[::4]:
        row["reward"] = 0.0
        row["response"] |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}


def other_judge(run: Planted) -> None:
    run.submit["driver"]["env"]["JUDGE_MODEL_NAME"] = "judge-small"


def other_tools(run: Planted) -> None:
    for request in _requests(run):
        request["tools"] = [*TOOLS, {"type": "function", "name": "subtract", "parameters": {"type": "object"}}]


def other_system_prompt(run: Planted) -> None:
    for request in _requests(run):
        request["input"][0]["content"] = "You add slowly."


def other_judge_prompt(run: Planted) -> None:
    run.gym["sums_server"]["resources_servers"]["sums"]["judge_prompt_template"] = "Is it right? Answer\nyes or no."


def hotter_judge(run: Planted) -> None:
    run.gym["sums_server"]["resources_servers"]["sums"]["judge_responses_create_params"] = {"temperature": 1.0}


def two_models(run: Planted) -> None:
    for row in run.rows[::2]:
        row["response"]["model"] = "policy-70b"


def two_temperatures(run: Planted) -> None:
    for row in run.rows[::2]:
        row["responses_create_params"]["temperature"] = 1.0


def shorter_limit_in_half(run: Planted) -> None:
    for row in run.rows:
        if row["_ng_task_index"] % 2:
            row["responses_create_params"]["max_output_tokens"] = 512


def judge_swapped_midway(run: Planted) -> None:
    for position, row in enumerate(run.rows):
        row["judge_model"] = "judge-large" if position < 90 else "judge-small"


def system_prompt_in_rows_alone(run: Planted) -> None:
    for row in run.rows:
        row["responses_create_params"]["input"][0]["content"] = "You add slowly."


def tools_in_rows_alone(run: Planted) -> None:
    for row in run.rows:
        row["responses_create_params"]["tools"] = [{"type": "function", "name": "subtract", "parameters": {}}]


def zeros_to_sidecar(run: Planted) -> None:
    lost = [row for row in run.rows if row["reward"] == 0.0][::3]
    run.failures = [failure(row) for row in lost]
    run.rows = [row for row in run.rows if not any(row is other for other in lost)]


def masked_hard_tasks(run: Planted) -> None:
    hard = run.hardest(6)
    for row in run.rows:
        if row["_ng_task_index"] in hard:
            row["mask_sample"] = True


def missing_hard_tasks(run: Planted) -> None:
    hard = run.hardest(6)
    run.rows = [row for row in run.rows if row["_ng_task_index"] not in hard]


def empty_answers(run: Planted) -> None:
    for row in run.rows[::4]:
        row["reward"] = 0.0
        row["response"]["output"][0]["content"] = [{"type": "output_text", "text": ""}]


def cached_repeats(run: Planted) -> None:
    first = {row["_ng_task_index"]: row for row in reversed(run.rows)}
    for row in run.rows:
        row |= {name: first[row["_ng_task_index"]][name] for name in ("response", "reward")}


def more_turns(run: Planted) -> None:
    run.gym["sums_agent"]["responses_api_agents"]["simple_agent"]["max_turns"] = 50


def scores_out_of_a_hundred(run: Planted) -> None:
    for row in run.rows:
        row["reward"] *= 100


CAUSES = {
    "other commit": Cause(other_commit, "code", "scoring_commit", "not_comparable"),
    "dirty commit": Cause(dirty_commit, "code", "scoring_commit", "not_comparable"),
    "moved container tag": Cause(moved_container_tag, "code", "driver_container", "not_comparable"),
    "changed prompts in 3 tasks": Cause(changed_prompts, "benchmark", "prompts", "not_comparable"),
    "changed answers in 3 tasks": Cause(changed_answers, "benchmark", "expected_answers", "not_comparable"),
    "fewer tasks": Cause(fewer_tasks, "benchmark", "task_set", "not_comparable"),
    "disjoint tasks": Cause(disjoint_tasks, "benchmark", "task_set", "not_comparable"),
    "other temperature": Cause(other_temperature, "method", "temperature", "not_comparable"),
    "other max_output_tokens with truncation": Cause(
        shorter_limit_with_truncation, "method", "max_output_tokens", "not_comparable"
    ),
    "other judge through an environment variable": Cause(other_judge, "method", "judge", "not_comparable"),
    "other judge prompt": Cause(other_judge_prompt, "method", "judge_prompt", "not_comparable"),
    "hotter judge": Cause(hotter_judge, "method", "judge_sampling", "not_comparable"),
    "two models in one run": Cause(two_models, "method", "mixed_rows", "not_comparable"),
    "two temperatures in one run": Cause(two_temperatures, "method", "temperature", "not_comparable"),
    "other tool list": Cause(other_tools, "method", "tools", "not_comparable"),
    "other system prompt": Cause(other_system_prompt, "method", "system_prompt", "not_comparable"),
    "shorter output limit in half the rows": Cause(
        shorter_limit_in_half, "method", "max_output_tokens", "not_comparable"
    ),
    "judge swapped midway": Cause(judge_swapped_midway, "method", "judge", "not_comparable"),
    "system prompt that the rows alone show": Cause(
        system_prompt_in_rows_alone, "method", "system_prompt", "not_comparable"
    ),
    "tools that the rows alone show": Cause(tools_in_rows_alone, "method", "tools", "not_comparable"),
    "more turns": Cause(more_turns, "method", "max_turns", "not_comparable"),
    "scores out of a hundred": Cause(scores_out_of_a_hundred, "method", "score_scale", "not_comparable"),
    "failures to sidecar against failures as zero": Cause(
        zeros_to_sidecar, "accounting", "error_rate", "failure_accounting"
    ),
    "masked hard tasks": Cause(masked_hard_tasks, "accounting", "mask_rate", "failure_accounting"),
    "missing hard tasks": Cause(missing_hard_tasks, "accounting", "missing_rate", "failure_accounting"),
    "empty answers": Cause(empty_answers, "accounting", "empty_answers", "failure_accounting"),
    "identical cached repeats": Cause(cached_repeats, "noise", "repeat_copies", "insufficient_evidence"),
}

LATER = {
    "code": changed_prompts,
    "benchmark": other_temperature,
    "method": masked_hard_tasks,
    "accounting": cached_repeats,
}
"""A second difference, of a later group, per group of the first."""
