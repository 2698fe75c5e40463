"""What a manifest says of the judge, its prompt and its sampling."""

import hashlib
import json
from pathlib import Path
from typing import Any

from blade_pipeline_tests.gym.manifests import CONFIG, configured, manifest_of, values_of
from blade_pipeline_tests.gym.run_folder import jsonl, rollout, write_run


def test_b40_a_judge_swap_inside_a_run_is_a_finding(tmp_path: Path) -> None:
    rows = [rollout(n, 0, 1.0, judge={"model": "j1" if n < 4 else "j2"}) for n in range(6)]
    manifest = manifest_of(write_run(tmp_path, jsonl(*rows)))
    assert manifest["values"]["judge"]["reason"] == "rows disagree: j1 (4), j2 (2)"


def test_a_judge_that_is_the_policy_or_off_is_named(tmp_path: Path) -> None:
    policy = {
        "policy_model": {"responses_api_models": {"vllm": {"model": "${policy_model_name}"}}},
        "policy_model_name": "p",
    }
    own = {"s": {"resources_servers": {"impl": {"judge_model_server": {"name": "policy_model"}}}}}
    off = {"s": {"resources_servers": {"impl": {"should_use_judge": False, "judge_model_name": "j"}}}}
    found = manifest_of(configured(tmp_path / "a", {**policy, **own}))["values"]["judge"]
    assert found["value"] == "p"
    assert "the policy judges itself" in found["source"]
    assert values_of(configured(tmp_path / "b", off))["judge"] == "none"


PROMPT = "Compare.\nA: {expected_answer}\nB: {generated_answer}"

JUDGING = {
    "judge_model_server": {"type": "responses_api_models", "name": "judge_model"},
    "judge_responses_create_params": {"input": [], "temperature": 0.0, "max_output_tokens": "****"},
    "judge_prompt_template": PROMPT,
    "judge_prompt_template_fpath": "/home/someone/gym/prompts/judge.txt",
    "judge_equal_label": "[[A=B]]",
    "judge_system_message": None,
    "judge_endpoint_max_concurrency": 64,
    "judge_base_url": "http://10.9.9.9/v1",
}


def test_the_judges_prompt_is_a_digest_and_its_sampling_is_readable(tmp_path: Path) -> None:
    found = manifest_of(configured(tmp_path, {"s": {"resources_servers": {"impl": JUDGING}}}))["values"]
    digest = hashlib.sha256(PROMPT.encode()).hexdigest()[:12]
    assert json.loads(found["judge_prompt"]["value"]) == {
        "judge_equal_label": "[[A=B]]",
        "judge_prompt_template": f"{len(PROMPT)} characters, digest {digest}",
        "judge_prompt_template_fpath": "judge.txt",
    }
    assert json.loads(found["judge_sampling"]["value"]) == {"max_output_tokens": "****", "temperature": 0}
    assert found["judge_prompt"]["source"] == f"{CONFIG} s.resources_servers.impl.judge_*"


def test_without_a_judge_its_prompt_is_none_and_without_a_config_unknown(tmp_path: Path) -> None:
    off = {"s": {"resources_servers": {"impl": JUDGING | {"should_use_judge": False}}}}
    for name, config in (("plain", {"s": {"resources_servers": {"impl": {"n": 1}}}}), ("off", off)):
        found = values_of(configured(tmp_path / name, config))
        assert (found["judge_prompt"], found["judge_sampling"]) == ("none", "none")
    for name, config in (("bare", {}), ("no server", {"num_repeats": 1})):
        bare = values_of(configured(tmp_path / name, config))
        assert (bare["judge_prompt"], bare["judge_sampling"]) == (None, None)


def test_judge_settings_too_many_to_show_are_one_digest_and_unknown_where_one_is_masked(tmp_path: Path) -> None:
    many = {f"judge_label_{n:02d}": f"the label that stands for outcome number {n:02d}" for n in range(9)}
    found = values_of(configured(tmp_path / "a", {"s": {"resources_servers": {"impl": many}}}))
    masked = many | {"judge_label_03": "****"}
    hidden = values_of(configured(tmp_path / "b", {"s": {"resources_servers": {"impl": masked}}}))
    assert found["judge_prompt"].startswith("9 settings, together digest ")
    assert hidden["judge_prompt"] is None


def test_the_judges_requests_in_the_rows_win_over_a_masked_config(tmp_path: Path) -> None:
    def judged(task: int, params: dict[str, Any]) -> dict[str, Any]:
        evaluation = {"responses_create_params": {"input": "q", "tool_choice": "auto", "top_p": None} | params}
        return rollout(task, 0, 1.0, judge_evaluations=[evaluation, {"responses_create_params": {"temperature": 9}}])

    config = {"s": {"resources_servers": {"impl": JUDGING}}}
    asked = {"temperature": 0.0, "max_output_tokens": 512, "reasoning": {"effort": "low", "summary": None}}
    found = values_of(
        configured(tmp_path / "one", config, judged(0, asked), rollout(1, 0, 1.0, judge_evaluations=None))
    )
    assert json.loads(found["judge_sampling"]) == {
        "temperature": 0, "max_output_tokens": 512, "reasoning": '{"effort":"low"}',
    }  # fmt: skip
    assert values_of(configured(tmp_path / "bare", {}, judged(0, {})))["judge_sampling"] == "none"
    mixed = manifest_of(configured(tmp_path / "two", config, judged(0, asked), judged(1, {"temperature": 1.0})))
    assert mixed["values"]["judge_sampling"]["value"] is None
    assert "several values of judge sampling in one run" in [entry["kind"] for entry in mixed["findings"]]
