"""The runs of a benchmark in order of score, and which of those ranks the data can tell apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.coverage import mask_rate
from blade_pipeline.method.graded import MEAN_REWARD, PASS_AT_1, any_by_mean_score

_CLOSED = ("not_comparable", "failure_accounting", "insufficient_evidence")
"""Verdicts of pairs whose scores say nothing of which run is better."""

_LISTED = 6


def leaderboard(benchmark: str, sides: Sequence[Side], pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The leaderboard document: ``{benchmark, metric, leaderboard, sentence}``.

    Runs stand in order of pass@1, or of the mean score where some run goes by it: ``metric`` says which.
    A run's rank is a range over the runs it may be ranked with: surely behind those that beat it in a decided pair,
    surely before those it beats, anywhere between for the rest. A run that cannot be compared with every other
    scored run, is the only scored one, or has no score, is not ranked.
    """
    scored = {side.run for side in sides if side.scores["pass_at_1"] is not None}
    relevant = [pair for pair in pairs if {pair["run_a"], pair["run_b"]} <= scored]
    better = {order for order in map(_decided, relevant) if order}
    apart = {run for pair in relevant if pair["verdict"] in _CLOSED for run in (pair["run_a"], pair["run_b"])}
    ranks = scored - apart if len(scored) > 1 else set()
    rows = [_row(side, better, len(scored), side.run in ranks) for side in sides]
    metric = MEAN_REWARD if any_by_mean_score(rows) else PASS_AT_1
    falls = metric == PASS_AT_1 or all(pair["difference"].get("higher_is_better", True) for pair in relevant)
    rows.sort(key=lambda row: (row[metric] is None, (row[metric] or 0.0) * (-1 if falls else 1), row["run"]))
    ranked = [row["run"] for row in rows if row["rank_low"] is not None]
    return {
        "benchmark": benchmark,
        "metric": metric,
        "leaderboard": rows,
        "sentence": _sentence(relevant, better, ranked),
    }


def _decided(pair: Mapping[str, Any]) -> tuple[str, str] | None:
    """Winner and loser of a pair whose verdict is a change of the factor under study."""
    if not pair["verdict"].endswith("_change") or pair["verdict"] == "no_detectable_change":
        return None
    runs = (pair["run_a"], pair["run_b"])
    up = pair["difference"]["value"] > 0
    return (runs[1], runs[0]) if up is pair["difference"].get("higher_is_better", True) else runs


def _row(side: Side, better: set[tuple[str, str]], scored: int, ranked: bool) -> dict[str, Any]:
    interval, mean = (side.scores["intervals"].get(name) or {} for name in (PASS_AT_1, MEAN_REWARD))
    return {
        "run": side.run,
        "model": side.value("model"),
        "models": len(side.several("model")) or None,
        "pass_at_1": side.scores["pass_at_1"],
        **{name: interval.get(name) for name in ("low", "high", "level", "method", "question", "reason")},
        "headline_metric": side.scores.get("headline_metric", PASS_AT_1),
        "mean_reward": side.scores["mean_reward"],
        "mean_reward_low": mean.get("low"),
        "mean_reward_high": mean.get("high"),
        "num_tasks": side.scores["num_tasks"],
        "num_rollouts": side.scores["num_rollouts"],
        "coverage": side.coverage["coverage"],
        "measured_share": side.coverage["measured_share"],
        "mask_rate": mask_rate(side.coverage["accounting"]),
        "started": side.value("started_at"),
        "rank_low": 1 + sum(loser == side.run for _, loser in better) if ranked else None,
        "rank_high": scored - sum(winner == side.run for winner, _ in better) if ranked else None,
    }


def _sentence(pairs: Sequence[Mapping[str, Any]], better: set[tuple[str, str]], ranked: list[str]) -> str:
    """Which ranks the data can tell apart, and which it cannot."""
    if not pairs:
        return "There is no second scored run to rank against."
    closed = sum(pair["verdict"] in _CLOSED for pair in pairs)
    tied = len(pairs) - closed - len(better)
    parts = [_first(ranked, better)] if len(ranked) > 1 else []
    if better:
        ordered = [f"{winner} before {loser}" for winner, loser in sorted(better)]
        shown = ", ".join(ordered[:_LISTED]) + (f" and {len(ordered) - _LISTED} more" if len(ordered) > _LISTED else "")
        parts.append(f"The data orders {len(better)} of {_pairs(len(pairs))}: {shown}.")
    if tied:
        parts.append(f"{_pairs(tied)} cannot be told apart, so their order here is no ranking.")
    if closed:
        which = "No pair may be ranked" if closed == len(pairs) else f"{_pairs(closed)} may not be ranked"
        parts.append(f"{which}: {_why(pairs)}.")
    return " ".join(parts)


def _why(pairs: Sequence[Mapping[str, Any]]) -> str:
    """Which checks closed the pairs that may not be ranked, the most frequent first."""
    closed: Counter[str] = Counter()
    for pair in pairs:
        if pair["verdict"] in _CLOSED and pair.get("headline_label"):
            closed[str(pair["headline_label"])] += 1
    if not closed:
        return "they are not comparable or lack evidence"
    return "what decides is " + ", ".join(f"{label} ({_pairs(count)})" for label, count in closed.most_common(_LISTED))


def _first(ranked: list[str], better: set[tuple[str, str]]) -> str:
    """Who may be first among the ranked runs."""
    beaten = {loser for winner, loser in better if winner in ranked}
    first = [run for run in ranked if run not in beaten]
    if len(first) == 1:
        return f"{first[0]} is first."
    shown = f"{', '.join(first[:-1])} or {first[-1]}" if len(first) <= _LISTED else f"{len(first)} runs"
    return f"Any of {shown} could be first."


def _pairs(count: int) -> str:
    return f"{count} pair{'s' * (count != 1)}"
