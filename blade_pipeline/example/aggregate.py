"""The aggregate that NeMo Gym writes beside the rows: its baseline statistics over the measured rows.

The repeat-level block and the benchmark's own metrics, which depend on the version and the benchmark, are left out.
"""

import statistics
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from blade_pipeline.example.benchmark import Json
from blade_pipeline.example.simulate import Result

_STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "max": max,
    "min": min,
    "median": statistics.median,
    "std": lambda values: statistics.stdev(values) if len(values) > 1 else 0.0,
}


def aggregate_entries(result: Result) -> list[Json]:
    """The aggregate's array, with one entry: agent metrics, key metrics and a group per task."""
    rows = sorted(result.rows, key=lambda row: (row["_ng_task_index"], row["_ng_rollout_index"]))
    measured = [row for row in rows if not row.get("mask_sample")]
    metrics = _described(measured)
    metrics["num_repeats"] = len({row["_ng_rollout_index"] for row in rows})
    coverage = _coverage(rows, measured)
    entry = {
        "agent_ref": {"name": result.run.benchmark.agent["name"]},
        "_ng_environment_server": result.run.benchmark.name,
        "agent_metrics": metrics | coverage,
        "key_metrics": {name: value for name, value in metrics.items() if name.startswith("mean/")} | coverage,
        "group_level_metrics": _groups(measured),
    }
    return [entry | _performance(rows)]


def _groups(measured: list[Json]) -> list[Json]:
    by_task: dict[int, list[Json]] = defaultdict(list)
    for row in measured:
        by_task[row["_ng_task_index"]].append(row)
    return [
        {
            "_ng_task_index": task,
            **_described(rows),
            "num_rollouts": len(rows),
            "expected_num_rollouts": len(rows),
            "missing_num_rollouts": 0,
            "reward_profile_completion_pct": 100.0,
        }
        for task, rows in by_task.items()
    ]


def _described(rows: list[Json]) -> dict[str, Any]:
    """Five statistics per numeric or boolean field of the rows and of their usage."""
    columns: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        for name, value in (row | row["response"]["usage"]).items():
            if isinstance(value, (bool, int, float)) and not name.startswith("_"):
                columns[name].append(float(value))
    return {
        f"{statistic}/{name}": compute(values)
        for statistic, compute in _STATISTICS.items()
        for name, values in columns.items()
    }


def _coverage(rows: list[Json], measured: list[Json]) -> Json:
    """NeMo Gym's coverage keys, which exist only where something is masked."""
    if len(rows) == len(measured):
        return {}
    tasks = {row["_ng_task_index"] for row in rows}
    measured_tasks = {row["_ng_task_index"] for row in measured}
    return {
        "coverage/measured_rollouts": len(measured),
        "coverage/masked_rollouts": len(rows) - len(measured),
        "coverage/measured_tasks": len(measured_tasks),
        "coverage/fully_masked_tasks": len(tasks - measured_tasks),
    }


def _performance(rows: list[Json]) -> Json:
    turns = [row["ng_perf"]["num_turns"] for row in rows if "ng_perf" in row]
    if not turns:
        return {}
    summary = {
        "overall_observability_coverage": len(turns) / len(rows),
        "token_observability_coverage": 0.0,
        "mean_num_turns": statistics.fmean(turns),
        "median_num_turns": statistics.median(turns),
        "std_num_turns": statistics.pstdev(turns),
        "min_num_turns": min(turns),
        "max_num_turns": max(turns),
    }
    return {"perf_summary": summary}
