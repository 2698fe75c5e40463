"""The tool's ``agent_metrics`` block of one agent."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.statistics._arrays import FloatArray, IntArray
from blade_pipeline.statistics.native.baseline import baseline_statistics
from blade_pipeline.statistics.native.repeats import across_repeats, repeat_level


def coverage_block(task_index: IntArray, masked: NDArray[np.bool_]) -> dict[str, int]:
    """The four ``coverage/*`` counts, or nothing when no rollout is masked (the tool's rule).

    Args:
        task_index: shape (rollouts,), masked rows included.
        masked: shape (rollouts,).
    """
    if not masked.any():
        return {}
    measured_tasks = np.unique(task_index[~masked]).size
    return {
        "coverage/measured_rollouts": int(np.sum(~masked)),
        "coverage/masked_rollouts": int(np.sum(masked)),
        "coverage/measured_tasks": measured_tasks,
        "coverage/fully_masked_tasks": np.unique(task_index).size - measured_tasks,
    }


def agent_metrics(
    task_index: IntArray,
    repeat_index: IntArray,
    columns: Mapping[str, FloatArray],
    masked: NDArray[np.bool_] | None = None,
) -> dict[str, Any]:
    """Every key of ``compute_aggregate_metrics(...).agent_metrics`` of NeMo Gym 0.7.0 for one agent's rollouts.

    Arguments as of :func:`agent_summary`, whose first result this is.
    """
    return agent_summary(task_index, repeat_index, columns, masked)[0]


def agent_summary(
    task_index: IntArray,
    repeat_index: IntArray,
    columns: Mapping[str, FloatArray],
    masked: NDArray[np.bool_] | None = None,
) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """The tool's ``agent_metrics`` and ``repeat_level_metrics`` of one agent's rollouts.

    Baseline statistics of the measured rows, statistics across repeats where there are two or more, the coverage
    block when something is masked, and ``num_repeats`` over all rows. All rows masked: the coverage block alone. No
    row: an empty dict.

    Args:
        task_index: integer code of each rollout's task, shape (rollouts,).
        repeat_index: integer code of each rollout's repeat, shape (rollouts,).
        columns: numeric fields, booleans as 0 and 1, usage merged on top; shape (rollouts,), NaN where absent.
        masked: which rollouts are masked; none by default.
    """
    hidden = np.zeros(task_index.shape, dtype=np.bool_) if masked is None else masked
    coverage = coverage_block(task_index, hidden)
    kept = ~hidden
    if not kept.any():
        return dict(coverage), []
    fields = {name: column[kept] for name, column in columns.items()}
    entries = repeat_level(task_index[kept], repeat_index[kept], fields)
    metrics = {
        **baseline_statistics(fields),
        **across_repeats(entries),
        **coverage,
        "num_repeats": np.unique(repeat_index).size,
    }
    return metrics, entries
