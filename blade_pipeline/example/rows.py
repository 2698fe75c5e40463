"""Rows of the rollouts file and of the materialized inputs, in NeMo Gym's shape."""

import json
from typing import Any

from blade_pipeline.example.benchmark import Answer, Benchmark, Json, Task
from blade_pipeline.example.plan import Run, Size

CHARACTERS_PER_TOKEN = 4


def request(run: Run, task: Task) -> Json:
    """The request of a task at the run's sampling."""
    benchmark = run.benchmark
    return {
        "input": [
            {"role": "system", "content": benchmark.system},
            {"role": "user", "content": task.question},
        ],
        "temperature": run.temperature,
        "top_p": benchmark.top_p,
        "max_output_tokens": benchmark.max_output_tokens,
        "reasoning": {"effort": "low"},
        "tools": benchmark.tools,
    }


def materialized_rows(size: Size, run: Run, tasks: list[Task]) -> list[Json]:
    """One row per expected rollout, in the order of the dataset."""
    return [
        {
            **task.fields,
            "responses_create_params": request(run, task),
            "agent_ref": run.benchmark.agent,
            "_ng_environment_server": run.benchmark.name,
            "_ng_task_index": task.index,
            "_ng_rollout_index": repeat,
        }
        for task in tasks
        for repeat in range(size.repeats)
    ]


def rollout_row(run: Run, task: Task, answer: Answer, *, reward: float, response_id: str, at: float) -> Json:
    """A row without its collector keys: echoed request, response, reward and verifier fields.

    ``at`` is when the response was made, in seconds since 1970.
    """
    asked = request(run, task)
    return {
        "responses_create_params": {**asked, "instructions": None, "metadata": None, "model": None},
        "response": _response(run, answer, asked, response_id, at),
        "reward": reward,
        **answer.verifier,
        **_observed(run.benchmark, answer),
    }


def _response(run: Run, answer: Answer, asked: Json, response_id: str, at: float) -> Json:
    incomplete = answer.incomplete
    return {
        "id": response_id,
        "created_at": at,
        "error": None,
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "model": run.model.name,
        "object": "response",
        "output": answer.output,
        "status": "incomplete" if incomplete else "completed",
        "temperature": run.temperature,
        "top_p": run.benchmark.top_p,
        "usage": _usage(run.benchmark, answer, asked),
    }


def _usage(benchmark: Benchmark, answer: Answer, asked: Json) -> Json:
    """Token counts from the lengths of the texts; a truncated answer used its whole budget, mostly for thinking."""
    visible = _tokens([item for item in answer.output if item["type"] != "function_call_output"])
    thinking = answer.thinking
    if answer.incomplete:
        thinking = benchmark.max_output_tokens - visible
    output = visible + thinking
    entered = _tokens(asked) * answer.turns
    return {
        "input_tokens": entered,
        "input_tokens_details": {"cached_tokens": _tokens(asked) * (answer.turns - 1)},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": thinking},
        "total_tokens": entered + output,
    }


def _observed(benchmark: Benchmark, answer: Answer) -> Json:
    """What a submitted run, which observes its agents, notes per row."""
    if benchmark.layout != "submit":
        return {}
    calls = sum(item["type"] == "function_call" for item in answer.output)
    perf = {"num_turns": answer.turns, "num_tool_calls": calls, "token_observability_coverage": 0.0}
    return {"ng_perf": perf}


def _tokens(value: Any) -> int:
    return len(json.dumps(value)) // CHARACTERS_PER_TOKEN
