"""The fields of every row's verifier, opened once for all that read them."""

import pyarrow as pa

from blade_pipeline.method.arrays import row_numbers
from blade_pipeline.method.kept import while_it_lives
from blade_pipeline.method.sql import query
from blade_pipeline.method.task_numbers import task_numbers

_ENTRIES = """
    select position, cell, outcome, passed, entry.key as field, entry.type as type,
        json_extract_string(entry.value, '$') as text
    from samples, json_each(samples.verifier) as entry
"""


@while_it_lives
def verifier_entries(aligned: pa.Table) -> pa.Table:
    """One row per field of a row's verifier.

    Returns:
        ``position`` of the aligned row, its ``outcome`` and ``passed``; ``cell``, a number that is the same for all
        rows of one agent, stage and task; ``field``, JSON ``type`` and ``text``, null for null.
    """
    samples = aligned.select(["outcome", "passed", "verifier"]).append_column("position", row_numbers(aligned))
    return query(_ENTRIES, samples=samples.append_column("cell", pa.array(task_numbers(aligned))))
