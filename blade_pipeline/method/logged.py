"""The telling lines of long logs, as they were kept when the rows were read, one by one."""

import re
from collections import defaultdict
from collections.abc import Iterable

import pyarrow as pa

from blade_pipeline.gym.open_errors import ENVIRONMENT_ANSWER, ENVIRONMENT_ERROR, ENVIRONMENT_MET, TOOL_ERROR
from blade_pipeline.method.sql import query

Key = tuple[str, str]

_CLASS = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|Fault|Timeout|Expired)): ?\S")

_LINES = f"""
    with lines as (
        select position, unnest(from_json(error_lines, '["json"]')) as line
        from samples where outcome = 'measured' and error_lines is not null
    )
    select distinct position, if(line ->> 0 = '{ENVIRONMENT_ERROR}', '{TOOL_ERROR}', line ->> 0) as field,
        line ->> 1 as value from lines where line ->> 0 not in ('{ENVIRONMENT_MET}', '{ENVIRONMENT_ANSWER}')
"""

_SAME = """
    select field, regexp_replace(value, '[0-9]', '0', 'g') as value, list(distinct position) as positions from logged
    group by field, 2 order by field, 2
"""


def logged_lines(samples: pa.Table) -> pa.Table:
    """Each line of a measured row: ``position``, ``field`` and ``value``.

    Args:
        samples: rows with ``position``, ``outcome`` and ``error_lines``.
    """
    return query(_LINES, samples=samples.select(["position", "outcome", "error_lines"]))


def equal_lines(logged: pa.Table) -> pa.Table:
    """The lines that differ in digits only: ``field``, ``value`` with every digit as 0, ``positions``."""
    return query(_SAME, logged=logged)


def by_class(keys: Iterable[Key]) -> dict[Key, list[Key]]:
    """The ``(field, template)`` that open with the same class of error, where no two rollouts share the whole."""
    found: dict[Key, list[Key]] = defaultdict(list)
    for field, label in keys:
        if named := _CLASS.match(label):
            found[field, f"{named[1]}, each time in other words"].append((field, label))
    return found
