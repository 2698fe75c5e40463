"""The planted truth of an example: the process's parameters, and what really happened in every run."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from itertools import combinations

from blade_pipeline.example.benchmark import Benchmark, Json
from blade_pipeline.example.damage import SHARES
from blade_pipeline.example.plan import HOT_SHIFT, HOT_TEMPERATURE, Model, Run, Size, plan_models
from blade_pipeline.example.simulate import Result

OUTCOMES = ("measured", "masked", "failed", "missing")
NEAR_EQUAL = 0.1
"""Models whose skills differ by no more than this are called near-equal."""


def truth_document(size: Size, benchmarks: Iterable[Benchmark], results: list[Result]) -> Json:
    """All that ``truth.json`` holds: ``parameters``, ``process``, ``runs`` and ``pairs``."""
    return {
        "schema_version": 1,
        "parameters": asdict(size),
        "process": _process(plan_models(size), benchmarks),
        "runs": [_run(size, result) for result in results],
        "pairs": [_pair(a, b) for a, b in combinations(results, 2) if a.run.benchmark.name == b.run.benchmark.name],
    }


def _process(models: list[Model], benchmarks: Iterable[Benchmark]) -> Json:
    return {
        "skill": {model.name: model.skill for model in models},
        "planted_temperature": {"temperature": HOT_TEMPERATURE, "shift": HOT_SHIFT},
        "damage_shares": SHARES,
        "benchmarks": {
            benchmark.name: {
                "difficulty": {"distribution": "beta", "a": benchmark.difficulty[0], "b": benchmark.difficulty[1]},
                "failure_modes": benchmark.modes,
            }
            for benchmark in benchmarks
        },
    }


def _run(size: Size, result: Result) -> Json:
    run = result.run
    outcomes = Counter(rollout.outcome for rollout in result.truth)
    modes = Counter(rollout.mode for rollout in result.truth if rollout.mode is not None)
    return {
        "benchmark": run.benchmark.name,
        "run": run.name,
        "model": run.model.name,
        "directory": run.directory,
        "layout": run.benchmark.layout,
        "temperature": run.temperature,
        "logit_shift": round(run.model.skill + run.shift, 6),
        "counts": {"expected": size.tasks * size.repeats}
        | {name: outcomes[name] for name in OUTCOMES}
        | {
            "passed": sum(rollout.reward == 1.0 for rollout in result.truth),
            "recovered": sum(rollout.recovered for rollout in result.truth),
            "failed_attempts": len(result.failures),
        },
        "failure_modes": dict(sorted(modes.items())),
        "mean_success_probability": _mean(result.probabilities),
        "tasks": [
            {"task": task.index, "category": task.category, "base": task.base, "success_probability": probability}
            for task, probability in zip(result.tasks, result.probabilities, strict=True)
        ],
        "rollouts": [asdict(rollout) for rollout in result.truth],
    }


def _pair(a: Result, b: Result) -> Json:
    method = _method_difference(a.run, b.run)
    skill = round(b.run.model.skill - a.run.model.skill, 6)
    return {
        "benchmark": a.run.benchmark.name,
        "run_a": a.run.name,
        "run_b": b.run.name,
        "comparable": not method,
        "why_not": method or None,
        "damaged": [run.name for run in (a.run, b.run) if run.damaged],
        "skill_difference": skill,
        "near_equal": abs(skill) <= NEAR_EQUAL,
        "mean_success_difference": round(_mean(b.probabilities) - _mean(a.probabilities), 6),
    }


def _method_difference(a: Run, b: Run) -> str:
    if a.temperature == b.temperature:
        return ""
    return f"{a.name} ran at temperature {a.temperature} and {b.name} at {b.temperature}"


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 6)
