"""The tasks that a run has in common with its baseline, one row each."""

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.comparison.pairing import pair_tasks
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.tables import PAIRED_TASKS

_KEYS = ("agent", "stage", "task")
_COUNTS = ("measured", "passed")


def paired_tasks(run: Side, baseline: Side | None) -> pa.Table:
    """Rows of ``PAIRED_TASKS`` in the order of the run's tasks; none without a baseline."""
    if baseline is None:
        return PAIRED_TASKS.empty_table()
    pairing = pair_tasks(baseline, run)
    mine = run.per_task.take(pa.array(pairing.b, pa.int64()))
    other = baseline.per_task.take(pa.array(pairing.a, pa.int64()))
    columns = {name: mine[name] for name in (*_KEYS, *_COUNTS)}
    columns |= {f"baseline_{name}": other[name] for name in ("task", *_COUNTS)}
    columns |= {"score_mean": mine["score_mean"], "baseline_score_mean": other["score_mean"]}
    columns["difference"] = pc.subtract(_rate(mine), _rate(other))
    table = pa.table({name: columns[name] for name in PAIRED_TASKS.names}).cast(PAIRED_TASKS)
    order = pa.table({"stage": mine["stage"], "order": mine["order"], "agent": mine["agent"]})
    return table.take(pc.sort_indices(order, [(name, "ascending") for name in order.column_names]))


def _rate(table: pa.Table) -> pa.ChunkedArray:
    """Share of the measured repeats that pass; null where none is measured."""
    measured = table["measured"].cast(pa.float64())
    known = pc.if_else(pc.greater(measured, 0), measured, pa.scalar(None, pa.float64()))
    return pc.divide(table["passed"].cast(pa.float64()), known)
