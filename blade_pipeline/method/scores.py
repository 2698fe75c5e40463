"""What a run scored: our metrics with intervals and bounds, overall and per agent, beside NeMo Gym's own numbers."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import (
    Counts,
    Floats,
    binary_variance,
    counts,
    floats,
    is_binary,
    known_mean,
    ratio,
    rows_where,
)
from blade_pipeline.method.graded import MEAN_REWARD, headline_metric
from blade_pipeline.method.graded_scores import graded_scores
from blade_pipeline.method.native import native_metrics
from blade_pipeline.method.native_notes import native_notes
from blade_pipeline.method.repeats import best_of, repeat_findings
from blade_pipeline.method.slice_scores import slice_scores
from blade_pipeline.method.tasks import tasks
from blade_pipeline.models import Profile
from blade_pipeline.statistics import (
    accountings,
    bounds,
    pass_at_k,
    pass_at_k_bounds,
    pass_hat_k,
    score_interval,
    variance_split,
    within_task_interval,
)
from blade_pipeline.tables import PASS_AT_K

MAX_K = 64
"""Beyond this many repeats only powers of two and the last k are tabulated."""


def scores(aligned: pa.Table, rows: pa.Table, profile: Profile) -> tuple[pa.Table, dict[str, Any]]:
    """Score every task and the run.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        rows: ``RAW_ROLLOUTS``, from which NeMo Gym's own numbers are recomputed.
        profile: names score, threshold, answer key and slices.

    Returns:
        ``PASS_AT_K`` (one row per agent, stage and task) and the score document: the numeric part of
        ``metrics.json``, null wherever there is nothing to estimate from.
    """
    per_task = tasks(aligned, profile)
    agents = sorted(set(per_task["agent"].to_pylist()))
    with np.errstate(over="ignore", invalid="ignore"):
        whole = _scored(aligned, per_task, profile)
        every = np.ones(per_task.num_rows, dtype=np.bool_)
        graded = whole["headline_metric"] == MEAN_REWARD
        sliced = slice_scores(
            aligned, per_task, _families(per_task, every), graded=graded, unit=_unit(aligned, profile)
        )
        document = whole | {
            **sliced,
            "agents": {agent: _agent(agent, aligned, rows, per_task, profile, whole) for agent in agents},
        }
    return per_task.select(PASS_AT_K.names).cast(PASS_AT_K), _finite(document)


def _finite(value: Any) -> Any:
    """The same document with null where a number overflowed, as happens to statistics of values beyond 1e154."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _agent(
    agent: str, aligned: pa.Table, rows: pa.Table, per_task: pa.Table, profile: Profile, whole: dict[str, Any]
) -> dict[str, Any]:
    """The scores of one agent; the ``whole`` run's are those of its only agent."""
    own = rows_where(aligned, pc.equal(aligned["agent"], agent))
    mine = per_task.filter(pc.equal(per_task["agent"], agent))
    scored = whole if own is aligned else _scored(own, mine, profile)
    native, assumptions = native_metrics(own, rows, profile)
    notes = native_notes(native, scored, profile, assumptions)
    return scored | {"native": native, "native_assumptions": assumptions, "native_notes": notes}


def _scored(aligned: pa.Table, per_task: pa.Table, profile: Profile) -> dict[str, Any]:
    headline = headline_metric(aligned, profile)
    spread = floats(per_task["score_variance"]) if headline == MEAN_REWARD else None
    planned, n, c = counts(per_task["planned"]), counts(per_task["measured"]), counts(per_task["passed"])
    some, binary, unit = n > 0, is_binary(aligned["score"]), _unit(aligned, profile)
    return {
        "pass_threshold": profile.pass_threshold,
        "headline_metric": headline,
        **_headline(n[some], c[some]),
        "num_tasks": int(some.sum()),
        "num_rollouts": int(n.sum()),
        "total_tasks": per_task.num_rows,
        "total_rollouts": int(planned.sum()),
        "passed_rollouts": int(c.sum()),
        "failed_rollouts": int((n - c).sum()),
        "mean_reward": known_mean(floats(per_task["score_mean"])[some]),
        "score_is_binary": binary,
        "intervals": _intervals(
            n[some],
            c[some],
            floats(per_task["score_mean"])[some],
            _families(per_task, some),
            unit,
            None if spread is None else spread[some],
        ),
        "bounds": _bounds(per_task, n, c, planned, ranged=_ranged(aligned, profile)),
        **_curves(n, c, planned, per_task),
        "accountings": accountings(c, n, counts(per_task["failed"]), planned),
        "repeats": repeat_findings(aligned, n, c, planned),
        "best_of": None if binary in (True, None) else best_of(aligned, _ks(n), profile.higher_is_better),
        "variance": variance_split(ratio(c, n)[some], binary_variance(n, c)[some], n[some]).as_dict(),
        **(graded_scores(aligned, per_task, profile) if headline == MEAN_REWARD else {}),
    }


def _unit(aligned: pa.Table, profile: Profile) -> bool:
    """Whether scores lie in [0, 1]: as declared, binary, or the scale by which the run was found to be graded."""
    if headline_metric(aligned, profile) == MEAN_REWARD:
        return (profile.reward_range or (0.0, 1.0)) == (0.0, 1.0)
    return bool(is_binary(aligned["score"])) or profile.reward_range == (0.0, 1.0)


def _headline(n: Counts, c: Counts) -> dict[str, Any]:
    """Macro and micro pass@1, and the numbers at the largest k for which every measured task is eligible."""
    if n.size == 0:
        names = ("pass_at_1", "pass_at_1_micro", "k", "pass_at_k", "consistency", "retry_value")
        return dict.fromkeys(names)
    k = int(n.min())
    first, at_k = known_mean(ratio(c, n)), known_mean(pass_at_k(n, c, k))
    return {
        "pass_at_1": first,
        "pass_at_1_micro": int(c.sum()) / int(n.sum()),
        "k": k,
        "pass_at_k": at_k,
        "consistency": known_mean(pass_hat_k(n, c, k)),
        "retry_value": None if first is None or at_k is None else at_k - first,
    }


def _intervals(
    n: Counts, c: Counts, means: Floats, families: list[str] | None, unit: bool, repeats: Floats | None
) -> dict[str, dict[str, Any]]:
    """Intervals by metric; ``unit`` says that scores lie in [0, 1], which the mean reward's interval then does too.

    ``repeats`` is the variance of each task's scores, of a run that goes by its mean score.
    """
    rates = ratio(c, n)
    found = {
        "pass_at_1": score_interval(rates, clusters=families),
        "pass_at_1_these_tasks": within_task_interval(rates, binary_variance(n, c), n),
        "mean_reward": score_interval(means, clusters=families, proportion=unit),
    }
    for k in _ks(n):
        if k > 1:
            found[f"pass@{k}"] = score_interval(pass_at_k(n, c, k), clusters=families)
            found[f"pass^{k}"] = score_interval(pass_hat_k(n, c, k), clusters=families)
    if repeats is not None:
        found["mean_reward_these_tasks"] = within_task_interval(means, repeats, n, proportion=unit)
    return {name: interval.as_dict() for name, interval in found.items()}


def _families(per_task: pa.Table, some: np.ndarray[Any, np.dtype[np.bool_]]) -> list[str] | None:
    """The family of each measured task; one without is its own, over all agents and stages. None if none is shared."""
    columns = zip(per_task["family"].to_pylist(), per_task["task"].to_pylist(), some, strict=True)
    names = [family or f"task {task}" for family, task, kept in columns if kept]
    return names if len({*names}) < len(names) else None


def _bounds(
    per_task: pa.Table, n: Counts, c: Counts, planned: Counts, *, ranged: bool
) -> dict[str, dict[str, float | None]]:
    low, high = _pass_range(per_task, n, c, planned)
    found = {"pass_at_1": bounds(low, high, planned).as_dict()}
    if ranged:
        found["mean_reward"] = bounds(floats(per_task["low_sum"]), floats(per_task["high_sum"]), planned).as_dict()
    return found


def _curves(n: Counts, c: Counts, planned: Counts, per_task: pa.Table) -> dict[str, dict[str, dict[str, Any]]]:
    """pass@k and pass^k for every k: over the eligible tasks, with failures as zero, and the range over all tasks."""
    sure_passes, sure_fails = counts(per_task["sure_passes"]), counts(per_task["sure_fails"])
    known, tried = n + sure_passes + sure_fails, n + counts(per_task["failed"])
    at, hat = {}, {}
    for k in _ks(n):
        edge = pass_at_k_bounds(c + sure_passes, known, np.maximum(planned - known, 0), k)
        eligible = int((n >= k).sum())
        shared = {"eligible_tasks": eligible, "total_tasks": int(n.size)}
        at[str(k)] = shared | {
            "value": known_mean(pass_at_k(n, c, k)),
            "failures_as_zero": known_mean(pass_at_k(tried, c, k)),
            "low": known_mean(edge.pass_at_low),
            "high": known_mean(edge.pass_at_high),
        }
        hat[str(k)] = shared | {
            "value": known_mean(pass_hat_k(n, c, k)),
            "failures_as_zero": known_mean(pass_hat_k(tried, c, k)),
            "low": known_mean(edge.pass_hat_low),
            "high": known_mean(edge.pass_hat_high),
        }
    return {"pass_at": at, "pass_hat": hat}


def _pass_range(per_task: pa.Table, n: Counts, c: Counts, planned: Counts) -> tuple[Counts, Counts]:
    """Passes per task when every unknown repeat fails, and when every one passes."""
    low = c + counts(per_task["sure_passes"])
    high = c + (planned - n) - counts(per_task["sure_fails"])
    return low, high


def _ranged(aligned: pa.Table, profile: Profile) -> bool:
    """Whether the range of scores is known: declared, or every score seen lies in [0, 1]."""
    seen = np.concatenate([floats(aligned[name]) for name in ("score", "score_low", "score_high")])
    known = seen[~np.isnan(seen)]
    unit = bool(known.size) and bool(np.all((known >= 0) & (known <= 1)))
    return aligned.num_rows > 0 and (profile.reward_range is not None or unit)


def _ks(n: Counts) -> list[int]:
    most = int(n.max(initial=0))
    if most <= MAX_K:
        return list(range(1, most + 1))
    return sorted({2**power for power in range(most.bit_length())} | {most})
