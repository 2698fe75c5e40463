"""What ``gym eval compare`` shows of two runs, recomputed from rows under its names, so that people can reconcile.

It matches tasks by index alone and agents by name, compares whole-run metrics, and puts a Welch interval over repeats
around a difference of means. None of this decides our verdict.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from blade_pipeline.method.comparison.peer_side import PeerAgent
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.statistics import welch_over_repeats
from blade_pipeline.statistics.native import is_primary

PASS = 0.5


def peer_compare(a: Side, b: Side) -> dict[str, Any]:
    """``{agents: [{baseline_agent, candidate_agent, metrics, flips, notes}], skipped_agents, notes}``.

    Agents pair by name; two single agents of different names pair with a note, where the tool asks to name them.
    """
    left, right = a.peer_agents, b.peer_agents
    common = sorted(left.keys() & right.keys())
    pairs = [(name, name) for name in common]
    notes = ["tasks are matched by index, whatever they contain"]
    if not pairs and len(left) == len(right) == 1:
        pairs = [(next(iter(left)), next(iter(right)))]
        notes.append("the agents' names differ; the tool compares them only when told to")
    skipped = sorted((left.keys() | right.keys()) - {name for pair in pairs for name in pair})
    return {
        "agents": [_agent(left[one], right[two], one, two) for one, two in pairs],
        "skipped_agents": skipped,
        "notes": notes,
    }


def _agent(a: PeerAgent, b: PeerAgent, name_a: str, name_b: str) -> dict[str, Any]:
    notes = []
    if a.repeats != b.repeats:
        notes.append(f"repeat counts differ: {a.repeats} and {b.repeats}")
    if any(entry["missing_count"] for side in (a, b) for entry in side.repeat_level):
        notes.append("repeats cover different tasks, so the Welch interval mixes difficulty with chance")
    return {
        "baseline_agent": name_a,
        "candidate_agent": name_b,
        "metrics": _metrics(a, b),
        "flips": _flips(a.tasks, b.tasks),
        "notes": notes,
    }


def _metrics(a: PeerAgent, b: PeerAgent) -> list[dict[str, Any]]:
    names = [*a.metrics, *(name for name in b.metrics if name not in a.metrics)]
    return [_metric(name, a, b) for name in names if is_primary(name) and _is_number(a, b, name)]


def _is_number(a: PeerAgent, b: PeerAgent, name: str) -> bool:
    return any(_value(side.metrics, name) is not None for side in (a, b))


def _metric(name: str, a: PeerAgent, b: PeerAgent) -> dict[str, Any]:
    across = f"mean_across_repeats/{name}"
    points = [_value(side.metrics, across if _value(side.metrics, across) is not None else name) for side in (a, b)]
    baseline, candidate = points
    delta = None if baseline is None or candidate is None else candidate - baseline
    low, high = _welch(name, a, b) if delta is not None else (None, None)
    return {
        "metric": name,
        "baseline": baseline,
        "candidate": candidate,
        "delta": delta,
        "delta_pct": None if delta is None or not baseline else delta / abs(baseline) * 100,
        "delta_ci_low": low,
        "delta_ci_high": high,
    }


def _value(metrics: Mapping[str, Any], name: str) -> float | None:
    value = metrics.get(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _welch(name: str, a: PeerAgent, b: PeerAgent) -> tuple[float | None, float | None]:
    across = f"mean_across_repeats/{name}"
    if _value(a.metrics, across) is None or _value(b.metrics, across) is None:
        return None, None
    values = [[entry[name] for entry in side.repeat_level if name in entry] for side in (a, b)]
    interval = welch_over_repeats(values[0], values[1]).interval
    return interval.low, interval.high


def _flips(a: Mapping[str, Sequence[float]], b: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Tasks of one index whose majority turned; a mean of exactly one half on either side is a tie."""
    common = sorted(a.keys() & b.keys())
    shared = {
        "common_task_count": len(common),
        "baseline_only_task_count": len(a.keys() - b.keys()),
        "candidate_only_task_count": len(b.keys() - a.keys()),
    }
    counted = {"pass_to_fail_count": None, "fail_to_pass_count": None, "tied_count": None, "net": None}
    scored = [(fmean(a[task]), fmean(b[task])) for task in common if a[task] and b[task]]
    if not scored:
        return shared | counted | {"mode": "unavailable", "unchanged_count": None}
    if any(not {*a[task], *b[task]} <= {0.0, 1.0} for task in common):
        return shared | counted | {"mode": "continuous", "unchanged_count": sum(x == y for x, y in scored)}
    tied = sum(PASS in pair for pair in scored)
    down = sum(x > PASS > y for x, y in scored)
    up = sum(x < PASS < y for x, y in scored)
    return shared | {
        "mode": "binary",
        "pass_to_fail_count": down,
        "fail_to_pass_count": up,
        "tied_count": tied,
        "unchanged_count": len(scored) - tied - down - up,
        "net": up - down,
    }
