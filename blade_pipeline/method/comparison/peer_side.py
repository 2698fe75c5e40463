"""One agent's numbers as ``gym eval compare`` takes them: metrics, per-repeat means, rewards by task index."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import Counts, Floats, floats, rows_where
from blade_pipeline.method.native import columns_of
from blade_pipeline.statistics.native import repeat_level

PEER_COLUMNS = ["agent", "task", "repeat", "line", "outcome", "reward", "numbers", "usage"]


@dataclass(frozen=True)
class PeerAgent:
    """One agent of one run.

    Attributes:
        metrics: the tool's aggregate metrics.
        repeat_level: the tool's entry per repeat.
        tasks: rewards of the rows that are not masked, by task index.
        repeats: most rows of one task.
    """

    metrics: Mapping[str, Any]
    repeat_level: list[dict[str, float]]
    tasks: Mapping[str, list[float]]
    repeats: int


def peer_agents(scores: Mapping[str, Any], aligned: pa.Table) -> dict[str, PeerAgent]:
    """By agent name; agents without any row that is not masked are left out."""
    aligned = aligned.select(PEER_COLUMNS)
    seen = rows_where(aligned, pc.and_(pc.is_valid(aligned["line"]), pc.not_equal(aligned["outcome"], "masked")))
    found = {}
    for name, own in sorted(scores.get("agents", {}).items()):
        rows = rows_where(seen, pc.equal(seen["agent"], name))
        if rows.num_rows:
            found[name] = _agent(own.get("native", {}), rows)
    return found


def _agent(native: Mapping[str, Any], rows: pa.Table) -> PeerAgent:
    columns = columns_of(rows["numbers"]) | {"reward": floats(rows["reward"])} | columns_of(rows["usage"])
    codes = [np.asarray(pc.rank(rows[name], tiebreaker="dense"), dtype=np.int64) for name in ("task", "repeat")]
    tasks = _by_task(rows["task"], codes[0], columns["reward"])
    metrics = {name: value for name, value in native.items() if name != "perf_summary"}
    most = int(np.bincount(codes[0]).max())
    return PeerAgent(metrics, repeat_level(codes[0], codes[1], columns), tasks, most)


def _by_task(names: pa.ChunkedArray, codes: Counts, rewards: Floats) -> dict[str, list[float]]:
    """The rewards that are numbers of each task, by ``codes`` from 1 on in the order of the names."""
    distinct = sorted(names.unique().to_pylist())
    known = np.isfinite(rewards)
    order = np.argsort(codes[known], kind="stable")
    ends = np.searchsorted(codes[known][order], np.arange(1, len(distinct) + 1), side="right")
    parts = np.split(rewards[known][order], ends[:-1])
    return {name: part.tolist() for name, part in zip(distinct, parts, strict=True)}
