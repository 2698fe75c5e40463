"""The manifest of a run: what its files say of how it was made."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from blade_pipeline.gym import discover, read_expected, read_manifest, read_rollouts
from blade_pipeline.gym.manifest import KEYS, NOT_STATED
from blade_pipeline_tests.gym.manifests import CONFIG, configured, manifest_of, submitted, values_of
from blade_pipeline_tests.gym.run_folder import jsonl, only_run, rollout, write_run


@pytest.mark.parametrize("benchmark", ["sums", "words"])
def test_the_submitted_run_says_what_was_counted_by_hand(shared: Path, benchmark: str) -> None:
    runs = discover(shared / "cases" / "run_dirs" / "submitted").runs
    [run] = [run for run in runs if run.benchmark == benchmark]
    manifest = manifest_of(run)
    values = {key: value["value"] for key, value in manifest["values"].items()}
    expected = {
        "gym_version": "0.7.0",
        "scoring_commit": "v0.7.1",
        "submitter_commit": "5f2d0c1aa-dirty",
        "driver_container": "registry.example/gym-driver:2026.10",
        "image": "registry.example/vllm:0.12.1",
        "serving_engine": "vllm",
        "serving_version": "0.12.1",
        "parallelism": "tensor parallel 2",
        "precision": "bfloat16",
        "context_limit": 32768,
        "reasoning_parser": "p1",
        "temperature": 0.6,
        "top_p": 0.95,
        "max_output_tokens": 2048,
        "judge": "judge-large",
        "model": "policy-7b",
        "checkpoint": "org/policy-7b",
        "repeats": 2,
    }
    assert {key: values[key] for key in expected} == expected
    sources = {key: value["source"] for key, value in manifest["values"].items()}
    assert sources["scoring_commit"] == "resolved-config.yaml driver.gym_install.ref"
    assert sources["max_output_tokens"] == "rows responses_create_params.max_output_tokens (6 of 6)"
    assert sources["judge"].endswith("via resolved-config.yaml driver.env.JUDGE_MODEL_NAME")
    text = json.dumps(manifest)
    assert not any(private in text for private in ("10.0.0.5", "http", "****", "JUDGE_BASE_URL", "someone", '"c1"'))


def test_all_keys_are_always_there_with_a_reason_when_unknown(tmp_path: Path) -> None:
    manifest = manifest_of(write_run(tmp_path, b""))
    keys = {"benchmark", "run", "layout", "original_names", "files", "values", "aggregates", "findings"}
    assert set(manifest) == keys
    assert tuple(manifest["values"]) == KEYS
    for key, value in manifest["values"].items():
        assert value["value"] is None
        words = NOT_STATED.reason if key == "redaction_limits" else "no file of the run records it"
        assert value["reason"] == words
    json.dumps(manifest)


def test_files_are_named_relative_to_the_run(tmp_path: Path) -> None:
    run = submitted(tmp_path, {}, {})
    listed = [(file["role"], file["name"]) for file in manifest_of(run)["files"]]
    assert listed == [
        ("gym_job", "../../gym-job.json"),
        ("submit_config", "../../resolved-config.yaml"),
        ("rollouts", "rollouts.jsonl"),
        ("resolved_config", CONFIG),
    ]


def test_b25_two_models_in_one_run_are_a_finding_and_no_value(tmp_path: Path) -> None:
    rows = [rollout(n, 0, 1.0, response={"model": "m-a" if n < 4 else "m-b"}) for n in range(8)]
    manifest = manifest_of(configured(tmp_path, {"policy_model_name": "m-a"}, *rows))
    assert manifest["values"]["model"] == {
        "value": None,
        "source": "rows response.model (8 of 8)",
        "reason": "rows disagree: m-a (4), m-b (4)",
        "several": [{"value": "m-a", "rows": 4}, {"value": "m-b", "rows": 4}],
    }
    assert manifest["findings"][0] == {
        "kind": "several values of model in one run",
        "detail": "8 of 8 rows name 2 values of model: m-a (4), m-b (4).",
    }


def test_rows_win_over_the_config_and_the_difference_is_a_finding(tmp_path: Path) -> None:
    row = rollout(0, 0, 1.0, responses_create_params={"temperature": 0.7})
    manifest = manifest_of(configured(tmp_path, {"responses_create_params": {"temperature": 0.6}}, row))
    assert manifest["values"]["temperature"]["value"] == 0.7
    assert [finding["kind"] for finding in manifest["findings"]] == ["two sources differ on temperature"]
    assert CONFIG in manifest["findings"][0]["detail"]


SERVER = {"s": {"resources_servers": {"impl": {"judge_model_name": "${oc.env:JUDGE,judge-default}"}}}}


@pytest.mark.parametrize(
    ("judge", "env", "value", "reason"),
    [
        ("${oc.env:JUDGE}", {"JUDGE": "lit:j"}, "j", None),
        ("${oc.env:JUDGE}", {"JUDGE": "j"}, "j", None),
        ("${oc.env:JUDGE}", {}, None, "depends on the variable JUDGE, which driver.env does not set"),
        ("${oc.env:JUDGE}", {"JUDGE": "runtime:J"}, None, "known only where the run ran"),
        ("${oc.env:JUDGE,fallback}", {}, "fallback", None),
        ("${oc.env:JUDGE,fallback}", {"JUDGE": "j"}, "j", None),
        ("${names.judge}", {}, "named", None),
        ("pre-${names.judge}-post", {}, "pre-named-post", None),
        ("${names.${which}}", {}, "named", None),
        ("${names.gone}", {}, None, "depends on names.gone"),
        ("${loop}", {}, None, "do not end"),
        ("${oc.env:JUDGE}", {"JUDGE": "****"}, None, "masked"),
    ],
)
def test_interpolations(tmp_path: Path, judge: str, env: dict[str, str], value: str | None, reason: str | None) -> None:
    gym = {
        "s": {"resources_servers": {"impl": {"judge_model_name": judge}}},
        "names": {"judge": "named"},
        "which": "judge",
        "loop": "${loop}",
    }
    found = manifest_of(submitted(tmp_path, gym, {"driver": {"env": env}}))["values"]["judge"]
    assert found["value"] == value
    assert (found["reason"] is None) if reason is None else (reason in found["reason"])


def test_a_default_is_no_value_where_the_environment_is_not_recorded(tmp_path: Path) -> None:
    value = manifest_of(configured(tmp_path, SERVER))["values"]["judge"]
    assert value["value"] is None
    assert value["reason"] == "depends on the variable JUDGE, which no file of the run records"


def test_method_settings_of_agent_dataset_and_run(tmp_path: Path) -> None:
    gym = {
        "simple_agent": {
            "responses_api_agents": {
                "simple": {
                    "max_steps": 30,
                    "timeout": 600,
                    "datasets": [
                        {"name": "train", "type": "train", "jsonl_fpath": "/home/u/train.jsonl"},
                        {"name": "sums", "type": "benchmark", "license": "CC-BY-4.0", "prompt_config": "p/q.yaml"},
                    ],
                }
            }
        },
        "s": {"resources_servers": {"impl": {"user_model_server": {"name": "user_sim"}}}},
        "user_sim": {"responses_api_models": {"openai": {"openai_model": "sim-1"}}},
        "policy_model": {"responses_api_models": {"vllm": {"chat_template_kwargs": {"enable_thinking": False}}}},
        "num_repeats": 4,
        "limit": 100,
        "split": "test",
        "count_failure_classes_as_zero": ["judge_failed", "agent_timeout"],
        "count_missing_rollouts_as_zero": False,
        "route_failures_to_sidecar": True,
        "responses_create_params": {"reasoning": {"effort": "high"}},
    }
    values = values_of(configured(tmp_path, gym))
    expected = {
        "harness": "simple",
        "max_turns": 30,
        "timeout": 600,
        "dataset": "sums",
        "dataset_license": "CC-BY-4.0",
        "prompt_config": "q.yaml",
        "user_simulator": "sim-1",
        "chat_template": '{"enable_thinking":false}',
        "repeats": 4,
        "limit": 100,
        "split": "test",
        "count_failures_as_zero": "agent_timeout, judge_failed",
        "count_missing_as_zero": False,
        "route_failures_to_sidecar": True,
        "reasoning_effort": "high",
    }
    assert {key: values[key] for key in expected} == expected


def test_serving_flags_in_any_spelling(tmp_path: Path) -> None:
    service = {
        "type": "vllm",
        "container": "/lustre/users/someone/images/vllm.sqsh",
        "model": "/lustre/users/someone/ckpt/step-500",
        "pipeline_parallel_size": 2,
        "tensor_parallel_size": 1,
        "number_of_instances": 4,
        "extra_args": ["--dtype=auto", "--quantization", "fp8", "--tool-call-parser=hermes", "--api-key", "sk-abc"],
    }
    pools = {"gpu": {"gpus_per_node": 8, "extra_args": "--gres=gpu:h100:8 --exclusive"}}
    submit = {
        "services": {"p": service},
        "compute": {"c": {"hostname": "login.x", "account": "acct", "node_pools": pools}},
    }
    manifest = manifest_of(submitted(tmp_path, {}, submit))
    values = {key: value["value"] for key, value in manifest["values"].items()}
    expected = {
        "image": "vllm.sqsh",
        "checkpoint": "step-500",
        "precision": "auto, fp8 quantization",
        "tool_call_parser": "hermes",
        "parallelism": "tensor parallel 1, pipeline parallel 2, instances 4",
        "gpu_type": "h100",
    }
    assert {key: values[key] for key in expected} == expected
    assert not any(word in json.dumps(manifest) for word in ("lustre", "someone", "sk-abc", "login.x", "acct"))


def test_the_driver_container_scored_when_no_commit_is_pinned(tmp_path: Path) -> None:
    submit = {"driver": {"container": "user:pw@10.1.2.3:5000/team/gym:1"}}
    values = manifest_of(submitted(tmp_path, {}, submit, {"gym_commit": "abc"}))["values"]
    assert values["scoring_commit"]["value"] is None
    assert "the driver container's Gym scored" in values["scoring_commit"]["reason"]
    assert values["submitter_commit"]["value"] == "abc"
    assert values["driver_container"]["value"] == "team/gym:1"


def test_unequal_repeats_are_told_as_a_range(tmp_path: Path) -> None:
    keys = [(0, 0), (0, 1), (1, 0)]
    planned = jsonl(*[{"_ng_task_index": task, "_ng_rollout_index": repeat} for task, repeat in keys])
    assert values_of(write_run(tmp_path, b"", materialized_inputs=planned))["repeats"] == "1 to 2"


def test_system_prompt_and_tools_are_digests_none_or_how_many(tmp_path: Path) -> None:
    def asked(**params: Any) -> dict[str, Any]:
        return rollout(0, 0, 1.0, responses_create_params={"input": "q", **params})

    plain = values_of(write_run(tmp_path / "a", jsonl(asked())))
    same = values_of(write_run(tmp_path / "b", jsonl(asked(instructions="x", tools=[{"name": "t"}]))))
    mixed = values_of(write_run(tmp_path / "c", jsonl(asked(instructions="x"), asked(instructions="y"))))
    assert (plain["system_prompt"], plain["tools"]) == ("none", "none")
    assert len(same["system_prompt"]) == 32
    assert same["tools"].startswith("1 tool ")
    assert mixed["system_prompt"].startswith("2 system prompts, together ")


def test_a_system_prompt_that_only_the_rows_show_wins_and_lost_rows_change_nothing(tmp_path: Path) -> None:
    def asked(task: int, system: str, tool: str) -> dict[str, Any]:
        request = {"instructions": system, "input": f"q{task}", "tools": [{"name": tool}]}
        return {"_ng_task_index": task, "_ng_rollout_index": 0, "responses_create_params": request}

    inputs = jsonl(asked(0, "x", "s"), asked(1, "y", "t"))
    full, partial, other = (
        values_of(
            write_run(tmp_path / name, jsonl(*[row | {"reward": 1.0} for row in rows]), materialized_inputs=inputs)
        )
        for name, rows in (
            ("a", (asked(0, "x", "s"), asked(1, "y", "t"))),
            ("b", (asked(0, "x", "s"),)),
            ("c", (asked(0, "z", "u"), asked(1, "z", "u"))),
        )
    )
    only = values_of(write_run(tmp_path / "d", jsonl(asked(0, "z", "u") | {"reward": 1.0})))
    for key in ("system_prompt", "tools"):
        assert full[key] == partial[key]
        assert other[key] == only[key]


def test_numbers_that_a_config_holds_as_text_are_numbers(tmp_path: Path) -> None:
    settings = {"temperature": "0.60", "top_p": "1", "max_output_tokens": "4096"}
    found = values_of(configured(tmp_path, {"responses_create_params": settings}))
    assert [found[key] for key in settings] == [0.6, 1, 4096]


def test_times_are_those_of_the_rows(tmp_path: Path) -> None:
    rows = [rollout(n, 0, 1.0, response={"created_at": 1_700_000_000 + n * 60}) for n in range(3)]
    values = values_of(write_run(tmp_path, jsonl(*rows)))
    # 1,700,000,000 s after 1970 is 2023-11-14 22:13:20 UTC
    assert values["started_at"] == "2023-11-14T22:13:20+00:00"
    assert values["finished_at"] == "2023-11-14T22:15:20+00:00"


def test_findings_about_files(tmp_path: Path) -> None:
    files = {"rollouts-2.jsonl": b"", "unsafe_rollouts.jsonl": b"", "rollouts_aggregate_metrics.json": "[]"}
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)), others=files)
    os.utime(run.path / "rollouts_aggregate_metrics.json", (1_000_000, 1_000_000))
    kinds = [finding["kind"] for finding in manifest_of(only_run(tmp_path))["findings"]]
    assert kinds == ["re-verified rewards", "several shards", "stale aggregate"]


def test_a_profile_only_run_says_so(tmp_path: Path) -> None:
    run = write_run(tmp_path, reward_profiling=jsonl({"rollout_infos": [{"reward": 1.0}]}))
    assert [finding["kind"] for finding in manifest_of(run)["findings"]] == ["scored from a reward profile"]


@pytest.mark.parametrize("text", ["a: [", "- 1", "\x00", "7", "a: &x [*x]", "? {a: b}\n: c\n"])
def test_a_broken_config_is_a_finding_or_empty_never_an_error(tmp_path: Path, text: str) -> None:
    run = write_run(tmp_path, b"", others={CONFIG: text, "gym-job.json": text, "resolved-config.yaml": text})
    manifest = manifest_of(run)
    assert {value["value"] for value in manifest["values"].values()} == {None}


def test_configs_of_any_shape_never_raise(tmp_path: Path) -> None:
    strange: list[Any] = ["text", 7, True, None, [1, {"a": 1}], {"a": {"b": [1]}}]
    for value in strange:
        gym = dict.fromkeys("policy_model_name responses_create_params num_repeats s agent_name limit".split(), value)
        gym |= {"t": {"resources_servers": value}, "u": {"resources_servers": {"v": value}}}
        gym |= {"w": {"responses_api_agents": {"x": {"datasets": value, "timeout": value, "max_turns": value}}}}
        submit = dict.fromkeys(("services", "driver", "compute"), value)
        run = write_run(
            tmp_path, b"", others={CONFIG: yaml.safe_dump(gym), "resolved-config.yaml": yaml.safe_dump(submit)}
        )
        json.dumps(manifest_of(run))
        submit = {"services": {"p": value}, "driver": {"env": value, "benchmarks": value}, "compute": {"c": value}}
        (run.path / "resolved-config.yaml").write_text(yaml.safe_dump(submit))
        json.dumps(manifest_of(run))


def test_redaction_limits_are_what_the_team_states_and_unknown_otherwise(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl({"reward": 1.0}))
    entry = manifest_of(run)["values"]["redaction_limits"]
    reason = "no file of a run records it, and the benchmark's profile does not state it"
    assert entry == {"value": None, "source": None, "reason": reason}
    told = {"redaction_limits": ("answers of the held-out part are masked", "profile sums.yaml redaction_limits")}
    entry = read_manifest(run, read_rollouts(run), read_expected(run), told)["values"]["redaction_limits"]
    assert (entry["value"], entry["source"]) == told["redaction_limits"]


def test_values_too_long_to_show_differ_where_their_ends_do(tmp_path: Path) -> None:
    one, other = (
        values_of(configured(tmp_path / end, {"agent_name": "agent " * 100 + end}))["agent"] for end in ("a", "b")
    )
    assert one != other
    assert one.startswith("agent " * 40)
    assert len(one) < 310
