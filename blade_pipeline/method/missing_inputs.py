"""Files and tables that every repeat of a task looked for in vain: what the task itself seems to lack."""

import pyarrow as pa

from blade_pipeline.gym.open_errors import TOOL_ERROR
from blade_pipeline.method.sql import query

FEWEST = 3
"""Measured repeats that must all meet one error: two may both have guessed the same wrong name."""

_ABSENT = "|".join(
    [
        r"no such file or directory|filenotfounderror|\benoent\b|no such (table|database|collection|bucket|dataset)\b",
        r"(file|folder|directory|dataset|table|relation|database|document|attachment|path|input) .{0,80}"
        r"(not found|does ?n[o']t exist|could not be found|is missing)",
    ]
)
"""Lower-case patterns of errors that name a file, a folder or a table that is not there."""

_MISSING = """
    with lines as (
        select position, agent, stage, task, unnest(from_json(error_lines, '[["varchar"]]')) as line
        from samples where outcome = 'measured' and contains(error_lines, $field)
    ), absent as (
        select distinct position, agent, stage, task, line[2] as said from lines
        where line[1] = $tool_error and regexp_matches(lower(line[2]), $absent)
    ), tasks as (
        select agent, stage, task, count(*) as repeats from samples where outcome = 'measured'
        group by agent, stage, task having not bool_or(passed) and count(*) >= $fewest
    ), shared as (
        select agent, stage, task, said from absent join tasks using (agent, stage, task)
        group by agent, stage, task, said, repeats having count(*) = repeats
    )
    select samples.position, min(said) as said
    from samples left join (absent join shared using (agent, stage, task, said)) as found
        on samples.position = found.position
    group by samples.position order by samples.position
"""


def missing_inputs(samples: pa.Table) -> pa.ChunkedArray:
    """The error of each row of a task that never passes and whose every measured repeat ends with that same error.

    To the letter the same, so that every repeat looked for one and the same thing; null for all other rows.

    Args:
        samples: rows with ``position``, identity, ``outcome``, ``passed`` and ``error_lines``.
    """
    columns = samples.select(["position", "agent", "stage", "task", "outcome", "passed", "error_lines"])
    if columns["error_lines"].null_count == columns.num_rows:
        return pa.chunked_array([pa.nulls(columns.num_rows, pa.string())])
    parameters: dict[str, object] = {
        "field": f'["{TOOL_ERROR}",',
        "tool_error": TOOL_ERROR,
        "absent": _ABSENT,
        "fewest": FEWEST,
    }
    return query(_MISSING, parameters, samples=columns)["said"]
