"""Always, sometimes or never: the outcome bucket of every task, and what incomplete tasks leave open."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method.arrays import counts, row_numbers
from blade_pipeline.method.sql import query
from blade_pipeline.method.tasks import independent, tasks
from blade_pipeline.models import Profile
from blade_pipeline.statistics import buckets, wilson
from blade_pipeline.tables import OUTCOME_BUCKETS

_REASONS = """
    select agent, stage, task, string_agg(count || ' ' || outcome, ', ' order by outcome) as reason from (
        select agent, stage, task, outcome, count(*) as count from aligned
        where outcome not in ('measured', 'unexpected') group by all
    ) group by agent, stage, task
"""

_WITH_REASONS = """
    select bucketed.* exclude (n), reasons.reason from bucketed left join reasons using (agent, stage, task) order by n
"""


def outcome_buckets(aligned: pa.Table, profile: Profile) -> tuple[pa.Table, dict[str, Any]]:
    """Put every task into one bucket.

    Returns:
        ``OUTCOME_BUCKETS`` and ``{counts, total_tasks, intervals}``; the counts sum to the total, and each interval
        is Wilson's (1927) for the bucket's share of new tasks of the same kind, at 95 %. There is none without a task,
        or where tasks are not independent.
    """
    per_task = tasks(aligned, profile)
    passed = counts(per_task["passed"]) + counts(per_task["sure_passes"])
    failed = counts(per_task["measured"]) - counts(per_task["passed"]) + counts(per_task["sure_fails"])
    masked, planned = counts(per_task["masked"]), counts(per_task["planned"])
    found = buckets(passed, failed, planned - passed - failed - masked, masked, planned)
    table = per_task.select(["agent", "stage", "task", "order", "planned", "measured", "passed"])
    for name in ("bucket", "possible", "observed"):
        table = table.append_column(name, pa.array(getattr(found, name), pa.string()))
    table = table.append_column("n", row_numbers(table))
    reasons = query(_REASONS, aligned=aligned.select(["agent", "stage", "task", "outcome"]))
    table = query(_WITH_REASONS, bucketed=table, reasons=reasons).select(OUTCOME_BUCKETS.names).cast(OUTCOME_BUCKETS)
    counted, total = found.counts(), table.num_rows
    drawn = total > 0 and independent(aligned)
    intervals = {name: list(wilson(number, total)) for name, number in counted.items()} if drawn else {}
    return table, {"counts": counted, "total_tasks": total, "intervals": intervals}
