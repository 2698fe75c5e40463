"""The runs of a benchmark in order of score, and which of those ranks the data can tell apart."""

from collections.abc import Mapping, Sequence
from typing import Any

from blade_pipeline.method.comparison.side import Side


def leaderboard(benchmark: str, sides: Sequence[Side], pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The leaderboard document: ``{benchmark, leaderboard, sentence}``.

    A run's rank is a range: it is surely behind the runs that beat it with a decided pair, surely before those it
    beats, and anywhere between for the rest. Runs without a score stand last and unranked.
    """
    better = {order for order in map(_decided, pairs) if order}
    scored = [side for side in sides if side.scores["pass_at_1"] is not None]
    rows = [_row(side, better, len(scored)) for side in sides]
    rows.sort(key=lambda row: (row["pass_at_1"] is None, -(row["pass_at_1"] or 0.0), row["run"]))
    return {"benchmark": benchmark, "leaderboard": rows, "sentence": _sentence(rows, better)}


def _decided(pair: Mapping[str, Any]) -> tuple[str, str] | None:
    """Winner and loser of a pair whose verdict is a change of the factor under study."""
    if not pair["verdict"].endswith("_change") or pair["verdict"] == "no_detectable_change":
        return None
    runs = (pair["run_a"], pair["run_b"])
    return (runs[1], runs[0]) if pair["difference"]["value"] > 0 else runs


def _row(side: Side, better: set[tuple[str, str]], scored: int) -> dict[str, Any]:
    interval = side.scores["intervals"].get("pass_at_1") or {}
    measured = side.scores["pass_at_1"] is not None
    return {
        "run": side.run,
        "model": side.value("model"),
        "pass_at_1": side.scores["pass_at_1"],
        "low": interval.get("low"),
        "high": interval.get("high"),
        "mean_reward": side.scores["mean_reward"],
        "num_tasks": side.scores["num_tasks"],
        "num_rollouts": side.scores["num_rollouts"],
        "coverage": side.coverage["coverage"],
        "measured_share": side.coverage["measured_share"],
        "rank_low": 1 + sum(loser == side.run for _, loser in better) if measured else None,
        "rank_high": scored - sum(winner == side.run for winner, _ in better) if measured else None,
    }


def _sentence(rows: Sequence[Mapping[str, Any]], better: set[tuple[str, str]]) -> str:
    ranked = [row["run"] for row in rows if row["pass_at_1"] is not None]
    if len(ranked) < 2:
        return "There is no second scored run to rank against."
    if not better:
        return f"The data cannot tell the {len(ranked)} scored runs apart: every pair is open or not comparable."
    pairs = ", ".join(f"{winner} before {loser}" for winner, loser in sorted(better))
    possible = len(ranked) * (len(ranked) - 1) // 2
    return f"Of {possible} pairs the data can order {len(better)}: {pairs}; the others it cannot tell apart."
