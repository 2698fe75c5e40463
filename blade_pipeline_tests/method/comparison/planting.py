"""Pairs of submitted runs with planted causes, written with ``json``, ``yaml`` and ``random`` alone.

A run starts as the same system on the same tasks; each plant edits one thing of it, as it would stand in the files of
a run that truly differs in that thing.
"""

import copy
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
BENCHMARK = "sums"
TOOLS = [{"type": "function", "name": "add", "parameters": {"type": "object"}}]
SUBMIT: Json = {
    "services": {
        "policy": {
            "type": "vllm", "container": "registry.example/vllm:0.12.1", "model": "org/policy-7b",
            "served_model_name": "policy-7b", "tensor_parallel_size": 1, "extra_args": "--max-model-len 32768",
        }
    },
    "driver": {
        "container": "registry.example/gym-driver:2026.10",
        "gym_install": {"repo": "https://git.example/gym", "ref": "5f2d0c1aa0b7"},
        "policy_model": "policy",
        "env": {"JUDGE_MODEL_NAME": "judge-large"},
        "benchmarks": {BENCHMARK: {"run": {"num_repeats": 4}}},
    },
}  # fmt: skip
GYM: Json = {
    "policy_model_name": "policy-7b",
    "sums_agent": {"responses_api_agents": {"simple_agent": {"max_turns": 5}}},
    "sums_server": {"resources_servers": {"sums": {"judge_model_name": "${oc.env:JUDGE_MODEL_NAME}"}}},
}


@dataclass
class Planted:
    """The contents of one run's files before they are written."""

    rows: list[Json]
    inputs: list[Json]
    rates: list[float]
    failures: list[Json] = field(default_factory=list)
    submit: Json = field(default_factory=lambda: copy.deepcopy(SUBMIT))
    gym: Json = field(default_factory=lambda: copy.deepcopy(GYM))
    job: Json = field(default_factory=lambda: {"gym_version": "0.7.0", "gym_commit": "5f2d0c1aa0b7"})

    def hardest(self, count: int) -> set[int]:
        """The tasks with the lowest success rates."""
        return set(sorted(range(len(self.rates)), key=self.rates.__getitem__)[:count])

    def write(self, root: Path, run: str) -> None:
        """The files of a submitted job with this one benchmark."""
        job = root / run
        artifacts = job / BENCHMARK / "artifacts"
        artifacts.mkdir(parents=True)
        (job / "resolved-config.yaml").write_text(yaml.safe_dump(self.submit))
        (job / "gym-job.json").write_text(json.dumps(self.job))
        (artifacts / "rollouts_resolved_config.yaml").write_text(yaml.safe_dump(self.gym))
        for name, rows in (("", self.rows), ("_materialized_inputs", self.inputs), ("_failures", self.failures)):
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (artifacts / f"rollouts{name}.jsonl").write_text(text)


def rates_of(tasks: int, seed: int = 3) -> list[float]:
    """Success rates of the tasks between 0 and 0.95."""
    source = random.Random(seed)
    return [0.95 * source.betavariate(0.6, 0.6) for _ in range(tasks)]


def system(seed: int, tasks: int = 40, repeats: int = 4, gain: float = 0.0) -> Planted:
    """One run of one system, whose success rates lie ``gain`` above those of the tasks."""
    source, rates = random.Random(seed), rates_of(tasks)
    rows, inputs = [], []
    for task, rate in enumerate(rates):
        for repeat in range(repeats):
            inputs.append(_input(task, repeat))
            rows.append(_row(task, repeat, source.random() < rate + gain, source.random()))
    return Planted(rows, inputs, rates)


def request(task: int) -> Json:
    """What the policy is asked for one task."""
    turns = [{"role": "system", "content": "You add."}, {"role": "user", "content": f"What is {task} + {task}?"}]
    return {"input": turns, "temperature": 0.6, "top_p": 0.95, "max_output_tokens": 2048, "tools": TOOLS}


def failure(row: Json, name: str = "agent_request_failed") -> Json:
    """The sidecar's row of a rollout."""
    keys = ("_ng_task_index", "_ng_rollout_index", "agent_ref")
    return {key: row[key] for key in keys} | {"_ng_failure_class": name, "_ng_failure_terminal": True}


def _keys(task: int, repeat: int) -> Json:
    return {"_ng_task_index": task, "_ng_rollout_index": repeat, "agent_ref": {"name": "sums_agent"}}


def _input(task: int, repeat: int) -> Json:
    dataset = {"expected_answer": str(2 * task), "category": "even" if task % 2 == 0 else "odd"}
    return {"responses_create_params": request(task)} | dataset | _keys(task, repeat)


def _row(task: int, repeat: int, passed: bool, spice: float) -> Json:
    text = f"After {spice:.9f} of thought: {2 * task + (not passed)}"
    content = [{"type": "output_text", "text": text}]
    message = {"type": "message", "role": "assistant", "content": content, "status": "completed"}
    response = {"id": f"resp-{spice}", "model": "policy-7b", "output": [message], "status": "completed"}
    row = {"responses_create_params": request(task), "response": response, "reward": float(passed)}
    return row | {"expected_answer": str(2 * task)} | _keys(task, repeat)
