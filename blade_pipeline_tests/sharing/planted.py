"""A run directory with a private string in every field and file that NeMo Gym writes."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

TASKS, REPEATS = 6, 2
BENCHMARK = "quiz"


class Planter:
    """Hands out the strings in turn, so that all of them are planted several times."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.used: set[str] = set()
        self._turn: Iterator[str] = itertools.cycle(texts)

    def __call__(self, around: str = "{}") -> str:
        text = next(self._turn)
        self.used.add(text)
        return around.replace("{}", text)

    def webhook(self) -> str:
        """An address whose last part alone looks like nothing."""
        return next(text for text in self.texts if text.startswith("https://hooks."))

    def machine(self) -> str:
        """An internal host, which between the dots of a longer name looks like nothing."""
        return next(text for text in self.texts if re.fullmatch(r"[a-z]+-\d+\.[a-z]+\.corp", text))

    def name(self) -> str:
        """A string that a file name can hold."""
        return self("{}.log").replace("/", "_").replace("\n", "_")


def write_run(folder: Path, plant: Planter, scores: list[float | None]) -> None:
    """A run whose every text field holds a planted string."""
    folder.mkdir(parents=True)
    inputs, rows, failures = [], [], []
    tasks = [_task(task, plant) for task in range(TASKS)]
    for n, (task, repeat) in enumerate(itertools.product(range(TASKS), range(REPEATS))):
        given = tasks[task] | {"_ng_rollout_index": repeat}
        inputs.append(given)
        score = scores[n % len(scores)]
        if score is None:
            failures.append(_failure(task, repeat, plant))
        else:
            rows.append(_row(given, score, plant))
    _lines(folder / "rollouts.jsonl", rows)
    with (folder / "rollouts.jsonl").open("a") as file:
        file.write("{torn " + plant().replace("\n", " ") + "\n")
    _lines(folder / "rollouts_materialized_inputs.jsonl", inputs)
    _lines(folder / "rollouts_failures.jsonl", failures)
    _lines(folder / "rollout_verdicts.jsonl", [_verdict(row, plant) for row in rows])
    _documents(folder, plant)


def write_team(folder: Path, plant: Planter, run: str, terms: list[str], texts: list[str]) -> None:
    """The team's own files: a profile that lets every text out, references and labels."""
    for name in ("profiles", "references", f"labels/{BENCHMARK}"):
        (folder / name).mkdir(parents=True)
    profile = {
        "private_terms": terms,
        "shareable_texts": texts,
        "slices": ["category", "source"],
        "funnel": [{"phase": plant("phase {}"), "when": "reward is not null"}, {"phase": "won", "when": "passed"}],
        "failure_modes": [
            {"code": plant("mode {}"), "when": "reward = 0.0 and task = '1'", "severity": 99, "note": plant()}
        ],
    }
    _yaml(folder / f"profiles/{BENCHMARK}.yaml", profile)
    reference = {"name": plant("card {}"), "score": 0.5, "source": plant(), "section": plant()}
    _yaml(folder / f"references/{BENCHMARK}.yaml", [reference])
    labels = [
        {"task": task, "root_cause": "KG", "note": plant("says {} here"), "behaviour": plant(), "analyst": plant()}
        for task in range(TASKS)
    ]
    _yaml(folder / f"labels/{BENCHMARK}/{run}.yaml", labels)


def _task(task: int, plant: Planter) -> dict[str, Any]:
    return {
        "_ng_task_index": task,
        "task_id": plant(f"task-{task} {{}}"),
        "question": plant("what is {}?"),
        "expected_answer": plant(),
        "category": plant("kind {}") if task % 2 else "plain",
        "source": plant(),
        "agent_ref": {"name": plant("agent {}") if task == 0 else "quiz_agent", "type": plant()},
        "responses_create_params": {
            "model": plant("model {}"),
            "instructions": plant("be brief, {}"),
            "temperature": 0.6,
            "input": [{"role": "user", "content": plant("user says {}")}],
            "tools": [{"type": "function", "name": plant(), "description": plant(), "parameters": {}}],
        },
    }


def _row(given: dict[str, Any], score: float, plant: Planter) -> dict[str, Any]:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": plant()}]},
        {"type": "function_call", "name": plant(), "arguments": plant('{"a": "{}"}'), "call_id": plant()},
        {"type": "function_call_output", "call_id": plant(), "output": plant("Error: {}")},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": plant("answer {}")}]},
    ]
    return {
        **given,
        "_ng_rollout_id": plant(),
        "reward": score,
        "response": {"id": plant(), "model": plant("served {}"), "status": plant(), "output": output, "error": plant()},
        "extracted_answer": plant(),
        "verifier_message": plant("AssertionError: {}") if score == 0 else plant(),
        "failure_reason": plant(),
        "error": plant("Traceback: {}"),
        "judge_evaluations": [{"verdict": plant(), "response": {"model": plant("judge {}"), "output": [plant()]}}],
        plant("field {}"): 3.5,
        plant("flag {}"): True,
        "metadata": {plant(): plant()},
    }


def _failure(task: int, repeat: int, plant: Planter) -> dict[str, Any]:
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "_ng_failure_class": plant("class {}"),
        "_ng_failure_terminal": True,
        "_ng_failure_type": plant(),
        "_ng_failure_message": plant("refused: {}"),
        "_ng_failure_response_body": plant(),
        "_ng_failure_stage": plant(),
    }


def _verdict(row: dict[str, Any], plant: Planter) -> dict[str, Any]:
    return {
        "task_index": row["_ng_task_index"],
        "rollout_index": row["_ng_rollout_index"],
        "verdict": "unhealthy",
        "checks": [{"name": plant(), "detail": plant(), "severity": plant()}],
        "reasons": [plant()],
    }


def _documents(folder: Path, plant: Planter) -> None:
    (folder / "quality_summary.json").write_text(json.dumps({plant(): {"note": plant(), "count": 2}, "path": plant()}))
    aggregate = {"agent_ref": {"name": plant()}, "agent_metrics": {plant("mean/{}"): 1.0, "mean/reward": 9.0}}
    (folder / "rollouts_aggregate_metrics.json").write_text(json.dumps([aggregate]))
    dataset = {name: plant.webhook() for name in ("name", "jsonl_fpath", "license", "prompt_config")}
    server = {"base_url": plant(), "api_key": plant(), "model": plant()}
    config = {
        "policy_model": {"responses_api_models": {plant.machine(): server | {"chat_template_kwargs": {"a": plant()}}}},
        "quiz_agent": {"responses_api_agents": {"simple_agent": {"datasets": [dataset]}}},
        "env": {"EXTRA": plant(), "cmd": plant("python run.py --key {}")},
    }
    _yaml(folder / "rollouts_resolved_config.yaml", config)
    (folder / "gym-job.json").write_text(
        json.dumps({"user": plant(), "command": plant(), "image": plant(), "host": plant()})
    )
    _yaml(folder / "run.yaml", {"model": plant("model {}"), "notes": plant("see {}")})
    (folder / plant.name()).write_text(plant())
    (folder / f"server_{plant.machine()}.log").write_text(plant())


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _yaml(path: Path, content: object) -> None:
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False))
