"""What every repeat of a task looked for in vain: files and tables of the task, software of its sandbox."""

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

_NOT_INSTALLED = "|".join(
    [
        r"no module named|\bmodulenotfounderror\b|cannot find module|module not found|unknown module prefix",
        r"unresolved import|noclassdeffounderror|classnotfoundexception|can't locate \S+\.pm\b",
        r"command not found|\bsh: .*: not found|is not recognized as an internal or external command",
        r"executable file not found|no such (command|program)\b",
        r"error while loading shared libraries|cannot open shared object file|\bdlopen\b|cannot find -l\w",
        r"fatal error: \S+: no such file or directory|there is no package called|required package",
        r"(package|module|library|dependency|interpreter|compiler|driver) .{0,80}"
        r"(is not installed|is not available|could not be (found|loaded|resolved))",
    ]
)
"""Lower-case patterns of errors that name a package, a program, a header or a library that is not installed."""

_MISSING = """
    with lines as (
        select position, agent, stage, task, unnest(from_json(error_lines, '[["varchar"]]')) as line
        from samples where outcome = 'measured' and contains(error_lines, $field)
    ), absent as (
        select distinct position, agent, stage, task, line[2] as said from lines
        where line[1] = $tool_error and regexp_matches(lower(line[2]), $pattern)
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

    It names a file or a table. To the letter the same, so that every repeat looked for one and the same thing; null
    for all other rows.

    Args:
        samples: rows with ``position``, identity, ``outcome``, ``passed`` and ``error_lines``.
    """
    return _shared(samples, _ABSENT)


def missing_dependencies(samples: pa.Table) -> pa.ChunkedArray:
    """The same of an error that names software which is not installed where the task runs."""
    return _shared(samples, _NOT_INSTALLED)


def _shared(samples: pa.Table, pattern: str) -> pa.ChunkedArray:
    columns = samples.select(["position", "agent", "stage", "task", "outcome", "passed", "error_lines"])
    if columns["error_lines"].null_count == columns.num_rows:
        return pa.chunked_array([pa.nulls(columns.num_rows, pa.string())])
    parameters: dict[str, object] = {
        "field": f'["{TOOL_ERROR}",',
        "tool_error": TOOL_ERROR,
        "pattern": pattern,
        "fewest": FEWEST,
    }
    return query(_MISSING, parameters, samples=columns)["said"]
