"""Settings of the judge and of the chat template, key by key: what differs is named, what is masked is unknown."""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.gym.chat_template import chat_template
from blade_pipeline.gym.config import Config, Value
from blade_pipeline.gym.judging import judging_values
from blade_pipeline.gym.measurement import sampling_of
from blade_pipeline.method.comparison import compare
from blade_pipeline.method.comparison.settings import settings_status
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder
from blade_pipeline_tests.method.comparison.planting import BENCHMARK, system

Json = dict[str, Any]
JUDGE = {
    "judge_prompt_template": "Is {generated_answer} the same as {expected_answer}? Answer yes or no, and nothing else.",
    "judge_responses_create_params": {"input": [], "temperature": 0.0, "max_output_tokens": "****"},
}


def judged(tmp_path: Path, a: Json, b: Json, **options: Any) -> Json:
    for run, name, settings in ((system(1), "a", a), (system(2), "b", b)):
        run.gym["sums_server"]["resources_servers"]["sums"] |= settings
        run.write(tmp_path, name)
    found = analyzed_folder(tmp_path)
    return compare(*(found[f"{BENCHMARK}/{name}"].side(name) for name in "ab"), Profile(), **options)


def check(found: Json, name: str) -> Json:
    return next(item for item in found["checks"] if item["id"] == name)


def test_another_judge_prompt_is_another_method_and_named(tmp_path: Path) -> None:
    found = judged(tmp_path, JUDGE, JUDGE | {"judge_prompt_template": "Same?"})
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "judge_prompt")
    # the first prompt has 88 characters
    assert "the judge's prompt differs (judge_prompt_template: 88 characters, digest " in found["sentence"]
    assert found["sentence"].endswith(" against Same?).")
    studied = judged(tmp_path / "studied", JUDGE, JUDGE | {"judge_prompt_template": "Same?"}, varying="judge")
    assert studied["headline_check"] == "noise"


def test_every_setting_that_keeps_two_runs_apart_is_named(tmp_path: Path) -> None:
    cold, hot = ({"judge_responses_create_params": {"temperature": degree}} for degree in (0, 1))
    found = judged(tmp_path, {"judge_prompt_template": "Same?"} | cold, {"judge_prompt_template": "Equal?"} | hot)
    assert found["headline_check"] == "judge_prompt"
    assert ", and so does the judge's sampling (temperature: 0 against 1)." in found["sentence"]
    assert "with the judge's prompt and the judge's sampling of the other (" in found["settle"][0]
    assert "If that is what you study, compare with --varying judge." in found["settle"]


@pytest.mark.parametrize(
    ("sampling", "status", "note"),
    [
        ({"temperature": 0, "max_output_tokens": "****"}, "unknown", "masked or not resolved: max_output_tokens"),
        ({"temperature": 1.0, "max_output_tokens": "****"}, "different", "temperature: 0 against 1"),
        ({"max_output_tokens": "****"}, "different", "temperature: 0 against not set"),
        ({"temperature": 0, "max_output_tokens": 512}, "unknown", "masked or not resolved: max_output_tokens"),
        ({"temperature": "${oc.env:HEAT}"}, "unknown", "masked or not resolved: max_output_tokens, temperature"),
    ],
)
def test_a_masked_limit_of_the_judge_is_unknown_and_hides_no_other_temperature(
    sampling: Json, status: str, note: str
) -> None:
    found = []
    for params in (JUDGE["judge_responses_create_params"], {"input": []} | sampling):
        server = {"judge_responses_create_params": params}
        found.append(judging_values(Config("c.yaml", {"s": {"resources_servers": {"impl": server}}})))
    assert settings_status(*(values["judge_sampling"].value for values in found)) == (status, note)


def test_a_prompt_in_a_file_is_compared_by_its_path_and_that_is_said(tmp_path: Path) -> None:
    same = {"judge_prompt_template_fpath": "prompts/judge.txt"}
    found = check(judged(tmp_path / "same", same, same), "judge_prompt")
    assert (found["status"], found["note"]) == (
        "same",
        "judge_prompt_template_fpath compared by path, since a run does not hold the file",
    )
    other = check(judged(tmp_path / "other", same, {"judge_prompt_template_fpath": "prompts/judge_v2.txt"}),
                  "judge_prompt")  # fmt: skip
    assert other["note"] == "judge_prompt_template_fpath: prompts/judge.txt against prompts/judge_v2.txt"


def test_runs_without_judge_settings_agree_on_having_none(tmp_path: Path) -> None:
    found = judged(tmp_path, {}, {})
    for name in ("judge_prompt", "judge_sampling"):
        assert (check(found, name)["status"], check(found, name)["a"]) == ("same", "none")


OFF = {"chat_template_kwargs": '{"enable_thinking": false}'}
IN_BODY = {"extra_body": '{"chat_template_kwargs": {"enable_thinking": false}, "seed": 1}'}


@pytest.mark.parametrize(
    ("metadata", "config", "value"),
    [
        (None, {}, "none"),
        (OFF, {}, '{"enable_thinking":false}'),
        (IN_BODY, {}, '{"enable_thinking":false}'),
        (OFF, {"enable_thinking": True, "budget": 9}, '{"budget":9,"enable_thinking":false}'),
        ({"extra_body": '{"seed": 1}'}, {"budget": 9}, '{"budget":9}'),
        ({"chat_template_kwargs": "no JSON"}, {}, "none"),
        (OFF, None, '{"enable_thinking":false}'),
        (None, None, None),
    ],
)
def test_arguments_of_the_requests_lie_over_those_of_the_config(
    metadata: Json | None, config: Json | None, value: str | None
) -> None:
    asked = sampling_of({"input": "q", "metadata": metadata}, {}).chat_template
    server = {"policy_model": {"responses_api_models": {"vllm": {"chat_template_kwargs": config}}}}
    gym = Config("c.yaml", {} if config is None else server)
    found = chat_template(None, gym, Value(asked, "rows"))
    assert (found and found.value) == value


def test_arguments_that_the_rows_alone_show_are_another_method(tmp_path: Path) -> None:
    for name, seed, metadata in (("a", 1, None), ("b", 2, OFF)):
        run = system(seed)
        run.gym["policy_model"] = {"responses_api_models": {"vllm_model": {}}}
        for row in run.rows:
            row["responses_create_params"]["metadata"] = metadata
        run.write(tmp_path, name)
    found = analyzed_folder(tmp_path)
    pair = compare(*(found[f"{BENCHMARK}/{name}"].side(name) for name in "ab"), Profile())
    assert pair["headline_check"] == "chat_template"
    assert pair["sentence"].endswith("the chat template differs (enable_thinking: not set against False).")


def test_one_text_in_two_roles_is_one_system_prompt_and_that_is_said(tmp_path: Path) -> None:
    for name, seed, role in (("a", 1, "system"), ("b", 2, "developer")):
        run = system(seed)
        for row in (*run.rows, *run.inputs):
            row["responses_create_params"]["input"][0]["role"] = role
        run.write(tmp_path, name)
    found = analyzed_folder(tmp_path)
    pair = compare(*(found[f"{BENCHMARK}/{name}"].side(name) for name in "ab"), Profile())
    prompt = check(pair, "system_prompt")
    assert (prompt["status"], prompt["note"]) == (
        "same",
        "the same text, given as system in a and as developer in b",
    )
