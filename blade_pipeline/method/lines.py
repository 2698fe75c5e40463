"""The physical lines of a run's rollouts by class."""

import pyarrow as pa

from blade_pipeline.method.sql import records

_CLASSES = """
    select line_class as "class", count(distinct (file, line)) as count from rows group by all order by all
"""


def line_classes(rows: pa.Table) -> dict[str, int]:
    """How many physical lines of ``RAW_ROLLOUTS`` have each class: the rollouts of one profile line are one line."""
    found = records(_CLASSES, rows=rows.select(["file", "line", "line_class"]))
    return {entry["class"]: entry["count"] for entry in found}
