"""The tool's ``perf_summary``: tokens, turns and latency of the rows that report them."""

from collections.abc import Mapping

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, mean, total

_TOKENS = ("prompt_tokens", "cached_prompt_tokens", "completion_tokens", "reasoning_tokens")


def perf_summary(columns: Mapping[str, FloatArray], rows: int) -> dict[str, float]:
    """Summary of ``ng_perf``, masked rows included; each statistic is over the rows that report the field.

    Coverages are over all rows. ``std_num_turns`` is the population deviation, as in the tool.

    Args:
        columns: ``ng_perf`` field name to values of the rows that carry ``ng_perf``, each of shape (rows with
            ng_perf,), NaN where the field is absent.
        rows: all rows of the run, with or without ``ng_perf``.

    Returns:
        Metrics by name; empty when no row carries ``ng_perf``.
    """
    observed = max((column.size for column in columns.values()), default=0)
    if not observed or rows < 1:
        return {}
    coverage = columns.get("token_observability_coverage", np.zeros(0))
    result = {
        "overall_observability_coverage": observed / rows,
        "token_observability_coverage": int(np.sum(coverage > 0)) / rows,
    }
    for name in _TOKENS:
        values = _reported(columns, name)
        if values.size:
            result |= {f"mean_{name}": mean(values), f"median_{name}": float(np.median(values))}
            result[f"total_{name}"] = total(values)
    return result | _turns(columns) | _latency(_reported(columns, "total_latency_ms"))


def _reported(columns: Mapping[str, FloatArray], name: str) -> FloatArray:
    values = columns.get(name, np.zeros(0))
    return values[~np.isnan(values)]


def _turns(columns: Mapping[str, FloatArray]) -> dict[str, float]:
    turns = _reported(columns, "num_turns")
    if not turns.size:
        return {}
    result = {
        "mean_num_turns": mean(turns),
        "median_num_turns": float(np.median(turns)),
        "std_num_turns": float(np.std(turns)),
        "min_num_turns": float(turns.min()),
        "p90_num_turns": float(np.quantile(turns, 0.9)),
        "max_num_turns": float(turns.max()),
    }
    tokens, every = columns.get("completion_tokens"), columns["num_turns"]
    if tokens is None:
        return result
    both = (every > 0) & ~np.isnan(tokens)
    if both.any():
        ratio = tokens[both] / every[both]
        result |= {"mean_tokens_per_turn": mean(ratio), "median_tokens_per_turn": float(np.median(ratio))}
    return result


def _latency(values: FloatArray) -> dict[str, float]:
    if not values.size:
        return {}
    p50, p90, p99 = (float(q) for q in np.quantile(values, (0.5, 0.9, 0.99)))
    return {
        "total_latency_p50_ms": p50,
        "total_latency_p90_ms": p90,
        "total_latency_p99_ms": p99,
        "total_latency_mean_ms": mean(values),
    }
