"""Which rollouts of a task to lay side by side: one that passes and one that fails, as near in length as any two."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from blade_pipeline.method.arrays import row_numbers
from blade_pipeline.method.contrasts import PAIRED
from blade_pipeline.method.first_difference import first_difference
from blade_pipeline.method.sql import query, records

MOST_TASKS = 200
"""Tasks that can be opened, those first that show both outcomes."""

_KEY = ("agent", "stage", "task")
_COLUMNS = (
    "agent stage task repeat rank order outcome passed score file line offset length rollout_id output_items "
    "output_tokens incomplete_reason response_status response_digest answer_digest steps"
).split()

_PAIRS = """
    with first as (
        from samples qualify row_number() over (partition by agent, stage, task, passed order by rank) <= $paired
    ), pairs as (
        select agent, stage, task, passing.position as passing, failing.position as failing,
            coalesce(passing."order", failing."order") as "order",
            abs(passing.output_items - failing.output_items) as items_apart,
            abs(passing.output_tokens - failing.output_tokens) as tokens_apart,
            passing.rank as passing_rank, failing.rank as failing_rank
        from (from first where passed) as passing
        full join (from first where not passed) as failing using (agent, stage, task)
    )
    select pairs.agent, pairs.stage, pairs.task, passing, failing from pairs join b using (agent, stage, task)
    qualify row_number() over (
        partition by pairs.agent, pairs.stage, pairs.task
        order by items_apart nulls last, tokens_apart nulls last, passing_rank, failing_rank) = 1
    order by passing is null or failing is null, failing is null, pairs.stage, pairs."order", pairs.agent
    limit $most
"""


def side_by_side(
    aligned: pa.Table, buckets: pa.Table, groups: Iterable[dict[str, Any]] = (), most: int = MOST_TASKS
) -> list[dict[str, Any]]:
    """Pairs of measured rollouts: tasks with both outcomes first, then those that fail, then those that pass.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        buckets: ``OUTCOME_BUCKETS``.
        groups: those of ``representatives``; of a task that never passes its typical rollout is taken, as in the text.
        most: how many tasks.

    Returns:
        One object per task with ``agent, stage, task, passing, failing, first_difference, step``; ``passing`` and
        ``failing`` are rows of ``aligned`` or null, ``step`` is where they part, counted from 1.
    """
    rows = query("select * from a where outcome = 'measured' and line is not null", a=aligned.select(_COLUMNS))
    rows = rows.append_column("position", row_numbers(rows))
    slim = rows.select([name for name in rows.column_names if name != "steps"])
    found = records(
        _PAIRS, {"most": most, "paired": PAIRED}, samples=slim, b=buckets.select(["agent", "stage", "task"])
    )
    typical = _typical(slim, groups)
    return [_pair(entry | typical.get(_key(entry), {}), rows) for entry in found]


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _KEY)


def _typical(rows: pa.Table, groups: Iterable[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, int]]:
    """Position of the typical rollout of each task that has one."""
    shown = [entry for group in groups for entry in group["shown"] if "typical" in entry["roles"]]
    wanted = {(*_key(entry), entry["repeat"]) for entry in shown}
    found = rows.select([*_KEY, "repeat", "position"]).to_pylist() if wanted else []
    return {_key(row): {"failing": row["position"]} for row in found if (*_key(row), row["repeat"]) in wanted}


def _pair(entry: dict[str, Any], rows: pa.Table) -> dict[str, Any]:
    passing, failing = (_row(rows, entry[side]) for side in ("passing", "failing"))
    sentence, step = first_difference(passing, failing) if passing and failing else (None, None)
    return {**entry, "passing": passing, "failing": failing, "first_difference": sentence, "step": step}


def _row(rows: pa.Table, position: int | None) -> dict[str, Any] | None:
    return None if position is None else dict(rows.slice(position, 1).to_pylist()[0])
