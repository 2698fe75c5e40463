"""NeMo Gym's own numbers of one agent, recomputed from its rows under the peer's names, order and scales.

Where the peer would refuse the rows (duplicates, no indices), the numbers are still given, and what was assumed is
said.
"""

import json
from collections.abc import Hashable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import Counts, Floats, floats, row_numbers, rows_where, with_columns
from blade_pipeline.method.slices import json_path
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile
from blade_pipeline.statistics.native import (
    agent_summary,
    highest_k,
    pass_majority,
    perf_summary,
    profile_completion,
    subset_metrics,
)

_COLUMNS = [
    *("agent", "server", "line_class", "file", "line", "task", "repeat", "indexed", "masked"),
    *("reward", "numbers", "usage", "perf", "verifier"),
]

_PATTERNS = ("pass@{k}", "pass@1[avg-of-{k}]", "majority@{k}")

_LISTED = """
    select rows.position, dense_rank() over (order by try_cast(rows.task as bigint), rows.task) - 1 as task,
        dense_rank() over (order by try_cast(rows.repeat as bigint), rows.repeat) - 1 as repeat,
        if(indexed, try_cast(rows.task as bigint), 0) as peer_task,
        if(indexed, try_cast(rows.repeat as bigint), 0) as peer_repeat,
        indexed, masked, kept.line is not null as kept
    from rows left join kept using (file, line)
    order by peer_task nulls last, if(indexed, rows.task, null), peer_repeat nulls last,
        if(indexed, rows.repeat, null), rows.position
"""


def native_metrics(own: pa.Table, rows: pa.Table, profile: Profile) -> tuple[dict[str, Any], list[str]]:
    """The peer's metrics of one agent, and what had to be assumed where the peer refuses the rows.

    Args:
        own: ``ALIGNED_SAMPLES`` of the agent.
        rows: ``RAW_ROLLOUTS`` of the run.
        profile: names the answer key and the subset fields.
    """
    mine = _rows_of(own, rows)
    if mine.num_rows == 0:
        return {}, []
    keys = ["position", "file", "line", "task", "repeat", "indexed", "masked"]
    kept = own.select(["file", "line"]).filter(pc.is_valid(own["line"]))
    listed = query(_LISTED, rows=mine.select(keys), kept=kept)
    numeric = mine.select(["numbers", "reward", "usage"]).take(listed["position"])
    columns = columns_of(numeric["numbers"]) | {"reward": floats(numeric["reward"])} | columns_of(numeric["usage"])
    indexed, masked, chosen = (_flags(listed[name]) for name in ("indexed", "masked", "kept"))
    metrics, repeats = agent_summary(
        _codes(listed["task"])[chosen],
        _codes(listed["repeat"])[chosen],
        {name: column[chosen] for name, column in columns.items()},
        masked[chosen],
    )
    family = _majority(mine["verifier"], listed, columns, ~masked, profile)
    blocks = {
        "highest_k": {name: value for pattern in _PATTERNS for name, value in highest_k(family, pattern).items()},
        "repeat_level_metrics": _under_their_index(repeats, listed),
        "perf_summary": _performance(mine["perf"], listed["position"]),
        "profile_completion": _completion(own),
    }
    present = {name: block for name, block in blocks.items() if block}
    return metrics | family | present, _assumptions(indexed, chosen)


def _under_their_index(repeats: list[dict[str, float]], listed: pa.Table) -> list[dict[str, float]]:
    """Entries with the rows' own repeat index in place of its rank; of a fan-out's second agent they differ."""
    own = rows_where(listed, pc.and_(listed["indexed"], pc.is_valid(listed["peer_repeat"])))
    last = own.group_by("repeat", use_threads=False).aggregate([("peer_repeat", "last")])
    index = dict(zip(*(last[name].to_pylist() for name in ("repeat", "peer_repeat_last")), strict=True))
    return [entry | {"_ng_rollout_index": index.get(code := entry["_ng_rollout_index"], code)} for entry in repeats]


def _completion(own: pa.Table) -> dict[str, float]:
    """The profiler's summary of planned and written rollouts; nothing when no plan is known."""
    if own.num_rows == 0 or own["expected"].null_count:
        return {}
    return profile_completion(_codes(own["order"]), _flags(own["expected"]), _flags(pc.is_valid(own["line"])))


def columns_of(column: pa.ChunkedArray) -> dict[str, Floats]:
    """One array per key of a map column, NaN where a row lacks the key; shape (rows,) each."""
    array = column.combine_chunks()
    offsets = np.asarray(array.offsets)
    keys = array.keys.slice(offsets[0], offsets[-1] - offsets[0]).dictionary_encode()
    values = np.asarray(array.items.slice(offsets[0], offsets[-1] - offsets[0]), dtype=np.float64)
    row = np.repeat(np.arange(len(array)), np.diff(offsets))
    code = np.asarray(keys.indices)
    columns = {}
    for number, name in enumerate(keys.dictionary.to_pylist()):
        column_values = np.full(len(array), np.nan)
        chosen = code == number
        column_values[row[chosen]] = values[chosen]
        columns[name] = column_values
    return columns


def _rows_of(own: pa.Table, rows: pa.Table) -> pa.Table:
    """The agent's rows in file order, with those that name no agent where the run has only this one."""
    rows = rows.select(_COLUMNS)
    rows = rows_where(rows, pc.equal(rows["line_class"], "row"))
    rows = rows.append_column("position", row_numbers(rows))
    agent = own["agent"][0].as_py() if own.num_rows else "agent"
    label = pc.coalesce(rows["agent"], rows["server"])
    names = pc.unique(pc.drop_null(label)).to_pylist()
    mine = pc.equal(label, agent)
    if not [name for name in names if name != agent]:
        mine = pc.fill_null(mine, True)
    found = rows_where(rows, pc.fill_null(mine, agent == "agent"))
    return with_columns(found, position=row_numbers(found))


def _majority(
    verifier: pa.ChunkedArray, listed: pa.Table, columns: dict[str, Floats],
    measured: np.ndarray[Any, np.dtype[np.bool_]], profile: Profile,
) -> dict[str, Any]:  # fmt: skip
    """pass@k, majority@k and their kin over the measured rows, tasks and order as the peer takes them."""
    if not measured.any() or profile.score not in columns:
        return {}
    tasks = _codes(listed["peer_task"])[measured]
    scores = {"accuracy": columns[profile.score][measured]}
    positions = listed["position"].filter(pa.array(measured))
    answers = _field(verifier.take(positions), profile.answer_key) if profile.answer_key else None
    found = pass_majority(tasks, scores, answers)
    for field in profile.slices:
        found |= subset_metrics(tasks, scores, _plain(_field(verifier.take(positions), field)), answers)
    return found


def _field(verifier: pa.ChunkedArray, name: str) -> list[str | None]:
    """The JSON literal of a verifier field per row; None where it is null or absent."""
    found = query(
        "select nullif(cast(json_extract(verifier, $path) as varchar), 'null') as field from rows order by n",
        {"path": json_path(name)},
        rows=pa.table({"verifier": verifier, "n": np.arange(len(verifier))}),
    )
    values: list[str | None] = found["field"].to_pylist()
    return values


def _plain(literals: list[str | None]) -> list[Hashable]:
    """Values of JSON literals as the peer names subsets by them; lists and objects keep their literal."""
    values = (None if text is None else json.loads(text) for text in literals)
    return [text if isinstance(value, (list, dict)) else value for text, value in zip(literals, values, strict=True)]


def _performance(perf: pa.ChunkedArray, order: pa.ChunkedArray) -> dict[str, float]:
    known = order.filter(pc.is_valid(perf).take(order))
    return perf_summary(columns_of(perf.take(known)), len(perf)) if len(known) else {}


def _assumptions(
    indexed: np.ndarray[Any, np.dtype[np.bool_]], chosen: np.ndarray[Any, np.dtype[np.bool_]]
) -> list[str]:
    notes = []
    if not indexed.all():
        notes.append(
            f"{int((~indexed).sum())} rows carry no index: NeMo Gym puts them all on task 0 in its pass@k family and "
            "refuses to aggregate them; the baseline statistics here take each content as a task."
        )
    if not chosen.all():
        notes.append(
            f"Duplicate lines: {int((~chosen).sum())}. NeMo Gym refuses to aggregate them; the baseline statistics "
            "here count each rollout once, the pass@k family counts every line as the peer's does."
        )
    return notes


def _codes(column: pa.ChunkedArray) -> Counts:
    return np.asarray(pc.fill_null(column, -1), dtype=np.int64)


def _flags(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.asarray(pc.fill_null(column, False), dtype=np.bool_)
