"""A setting that changed from one repeat of a run to another: the score is then that of a mixture."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.facts import joined
from blade_pipeline.method.finding import Finding, finding
from blade_pipeline.method.sql import records

CHANGED = "a setting changed between repeats"

_SETTINGS = {"temperature": "temperature", "max_output_tokens": "output limit"}
"""What rows echo of the request, and its name in a sentence."""

_MOST = 4
"""Values beyond which a setting is drawn anew for every repeat, and meant to be."""

_BY_VALUE = """
    with repeats as (
        select agent, rank, min({column}) as value, count(*) filter (passed) as passed, count(*) as measured
        from aligned where outcome = 'measured'
        group by agent, rank having count(distinct {column}) = 1 and count({column}) = count(*)
    ), whole as (
        select agent from (select distinct agent, rank from aligned where outcome = 'measured')
        left join repeats using (agent, rank) group by agent having count(value) = count(*)
    )
    select agent, value, list(rank order by rank) as repeats, sum(passed)::bigint as passed,
        sum(measured)::bigint as measured
    from repeats join whole using (agent) group by agent, value order by agent, min(rank)
"""


def setting_findings(aligned: pa.Table) -> Iterator[Finding]:
    """Settings that every repeat holds constant and that differ between repeats, with what passes under each value.

    Args:
        aligned: rows with ``agent``, ``rank``, ``outcome``, ``passed`` and the settings that rows echo.
    """
    columns = ["agent", "rank", "outcome", "passed", *_SETTINGS]
    for column, name in _SETTINGS.items():
        if pc.count_distinct(aligned[column]).as_py() < 2:
            continue
        agents: dict[str, list[dict[str, Any]]] = {}
        for row in records(_BY_VALUE.format(column=column), {}, aligned=aligned.select(columns)):
            agents.setdefault(row["agent"], []).append(row)
        for agent, values in agents.items():
            if 1 < len(values) <= _MOST:
                yield _changed(agent, name, values)


def _changed(agent: str, name: str, values: list[dict[str, Any]]) -> Finding:
    parts = [
        f"{row['value']:g} in {_named(row['repeats'])} came to {row['passed']} of {row['measured']}" for row in values
    ]
    sentence = (
        f"The {name} of `{agent}` changed between repeats: in passed of measured rollouts {', '.join(parts)}; a score "
        "over all of them is that of no one setting."
    )
    numbers = {
        f"{key}_{place}": row[key]
        for place, row in enumerate(values, start=1)
        for key in ("value", "passed", "measured")
    }
    return finding(CHANGED, sentence, **numbers)


def _named(repeats: list[int]) -> str:
    return f"repeat{'s' * (len(repeats) > 1)} {joined([str(repeat) for repeat in repeats])}"
