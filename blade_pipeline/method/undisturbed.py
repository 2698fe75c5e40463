"""Rollouts whose length is the model's own: no outage, and no limit, ended them."""

import pyarrow as pa

from blade_pipeline.method.failure_rules import LATE_RULES, RULES
from blade_pipeline.method.sql import query

_FAMILIES = ("infrastructure", "silent", "verifier", "limit")
ENDED = frozenset(rule.code for rule in (*RULES, *LATE_RULES) if rule.family in _FAMILIES)
"""Generic failure modes of outages and limits."""

_REST = """
    select samples.* from samples anti join (
        select agent, stage, task, repeat from modes where root_cause = 'IR'
            or list_has_any(list_append(string_split(coalesce(secondary, ''), ','), mode), $ended)
    ) using (agent, stage, task, repeat)
"""


def undisturbed(samples: pa.Table, modes: pa.Table) -> pa.Table:
    """The rows without the failed rollouts that show an outage or a limit, be it beside a more severe mode.

    Args:
        samples: rows with ``agent, stage, task, repeat``.
        modes: ``FAILURE_MODES``.
    """
    slim = modes.select(["agent", "stage", "task", "repeat", "mode", "secondary", "root_cause"])
    return query(_REST, {"ended": sorted(ENDED)}, samples=samples, modes=slim)
