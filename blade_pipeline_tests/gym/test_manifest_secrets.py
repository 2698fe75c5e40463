"""Manifests of configs and rows that hold secrets, addresses and masked values."""

import json
from pathlib import Path

import pytest

from blade_pipeline_tests.gym.manifests import CONFIG, configured, manifest_of, submitted
from blade_pipeline_tests.gym.run_folder import jsonl, rollout, write_run


def test_a_masked_value_is_unknown_and_never_four_stars(tmp_path: Path) -> None:
    manifest = manifest_of(configured(tmp_path, {"responses_create_params": {"max_output_tokens": "****"}}))
    value = manifest["values"]["max_output_tokens"]
    assert (value["value"], value["reason"]) == (None, f"masked in {CONFIG}")


def test_b46_no_secret_address_or_name_of_a_config_reaches_the_manifest(tmp_path: Path) -> None:
    gym = {
        "db_password": "p4ss-EXAMPLE",
        "client_secret": "sec-EXAMPLE",
        "policy_base_url": "http://user:pw@10.1.2.3:8000/v1",
        "policy_model_name": "http://user:pw@10.1.2.3:8000/v1",
        "agent_name": "nvapi-ABCDEFGHIJKLMNOPQRSTUVWX",
        "split": "Bearer abcdef",
        "prompt_config": "/home/someone/prompts/p.yaml",
        "s": {
            "resources_servers": {
                "a": {"judge_model_name": "http://10.9.9.9/j", "judge_base_url": "http://10.9.9.9"},
                "b": {"judge_model_name": "j-two", "headers": {"Authorization": "Bearer xyz"}},
            }
        },
    }
    submit = {
        "driver": {"env": {"HF_TOKEN": "hf_abcdefghijklmnop"}, "policy_host": "node17.internal"},
        "compute": {"c": {"account": "secret-acct", "hostname": "login.internal"}},
    }
    job = {"submitted_by": "someone", "hostname": "login.internal", "cluster": "cluster-x", "gym_version": "0.7.0"}
    text = json.dumps(manifest_of(submitted(tmp_path, gym, submit, job)))
    private = "EXAMPLE pw@ 10.1.2.3 10.9.9.9 nvapi Bearer someone hf_abc internal secret-acct cluster-x http".split()
    assert [word for word in private if word in text] == []


TOKEN = "q7Xw2LkP0sZdV4rT8nYb"


@pytest.mark.parametrize(
    "address",
    [
        f"https://hooks.slack.com/services/T01/B02/{TOKEN}",
        f"hooks.slack.com/services/T01/B02/{TOKEN}",
        f"https://data.example/get/{TOKEN}/quiz.jsonl?t={TOKEN}",
        f"https://user:{TOKEN}@data.example/quiz",
        f"file:///home/someone/quiz.jsonl?t={TOKEN}",
    ],
)
def test_the_last_part_of_an_address_is_not_shown_for_it(tmp_path: Path, address: str) -> None:
    datasets = [{"name": address, "license": address, "prompt_config": address, "type": "benchmark"}]
    agents = [{"datasets": datasets, "max_turns": address}, {"datasets": [], "max_turns": f"{address}2"}]
    models = {"m": {"chat_template_kwargs": {"path": address}, "openai_model": address}}
    gym = {
        "policy_model": {"responses_api_models": models},
        "quiz": {"responses_api_agents": {"a": agents[0], "b": agents[1]}},
        "judge": {"resources_servers": {"j": {"judge_model": address}, "k": {"judge_model": f"{address}2"}}},
    }
    service = {
        "container": address,
        "model": address,
        "served_model_name": address,
        "extra_args": f"--chat-template {address}",
    }
    submit = {"services": {"p": service}, "driver": {"container": address, "gym_install": {"ref": address}}}
    manifest = manifest_of(submitted(tmp_path, gym, submit))
    text = json.dumps(manifest)
    assert [part for part in (TOKEN, "T01", "data.example", "someone") if part in text] == []
    for key in ("dataset", "image", "driver_container", "checkpoint"):
        entry = manifest["values"][key]
        assert entry["value"] is None
        assert entry["reason"].startswith("not shown: it looks like a")
        assert entry["source"] is not None


@pytest.mark.parametrize("machine", ["172.20.140.214", "judge-07.cluster.corp", "10.0.7.9:8000", "db.internal"])
def test_a_server_named_after_its_machine_is_masked_where_a_value_was_read(tmp_path: Path, machine: str) -> None:
    dataset = [{"name": "quiz", "type": "benchmark"}]
    gym = {
        "policy_model": {"responses_api_models": {machine: {"chat_template_kwargs": {"a": 1}, "model": "m"}}},
        machine: {
            "responses_api_agents": {
                machine: {"datasets": dataset, "max_turns": 3, "timeout": f"${{{machine}.limit}}"}
            },
            "resources_servers": {machine: {"judge_model_server": {"name": "policy_model"}, "judge_temperature": 0}},
        },
    }
    pools = {machine: {"gpu_type": "h100"}}
    service = {"container": "team/vllm:1", "type": "vllm", "tensor_parallel_size": 2, "extra_args": "--dtype auto"}
    submit = {"services": {machine: service}, "compute": {machine: {"node_pools": pools}}}
    manifest = manifest_of(submitted(tmp_path, gym, submit))
    assert machine.split(":")[0] not in json.dumps(manifest)
    sources = {key: entry["source"] for key, entry in manifest["values"].items()}
    place = "policy_model.responses_api_models.[not shown].chat_template_kwargs"
    assert sources["chat_template"] == f"{CONFIG} {place}"
    assert sources["dataset"] == f"{CONFIG} [not shown].responses_api_agents.[not shown].datasets.name"
    assert sources["gpu_type"] == "resolved-config.yaml compute.[not shown].node_pools.[not shown].gpu_type"
    assert manifest["values"]["timeout"]["reason"].startswith("depends on [not shown]")


def test_a_tag_is_no_part_of_a_login(tmp_path: Path) -> None:
    submit = {"services": {"p": {"container": f"user:{TOKEN}@registry"}}}
    assert TOKEN not in json.dumps(manifest_of(submitted(tmp_path, {}, submit)))


def test_a_key_in_rows_that_looks_like_a_secret_is_not_shown_either(tmp_path: Path) -> None:
    rows = [rollout(n, 0, 1.0, response={"model": f"http://10.1.2.{n}/v1"}) for n in range(2)]
    assert "10.1.2" not in json.dumps(manifest_of(write_run(tmp_path, jsonl(*rows))))
