"""What a rollout holds in the fields that a profile's failure mode reads: the evidence of an example."""

import re

import pyarrow as pa

from blade_pipeline.method.sql import records
from blade_pipeline.method.verifier_text import template

_READ = re.compile(r"\bverifier\s*->>\s*'((?:[^']|'')+)'|\b(incomplete_reason|response_status)\b")


def declared_evidence(rule: str, aligned: pa.Table, position: int) -> str | None:
    """``field=text`` for each short text in those fields, its numbers and names replaced.

    Args:
        rule: the mode's expression; fields of the verifier, the stop reason and the status are looked at.
        aligned: ``ALIGNED_SAMPLES``.
        position: the row of the rollout.

    Returns:
        Null where no such field holds a short text or is empty; an empty one counts only where all of them are.
    """
    row = aligned.select(["verifier", "incomplete_reason", "response_status"]).slice(position, 1)
    read = dict.fromkeys(_READ.findall(rule))
    values = {field.replace("''", "'") or column: _value(row, field, column) for field, column in read}
    told = {name: template(value) for name, value in values.items() if value is not None}
    shown = [f"{name}={text}" for name, text in told.items() if text]
    if not shown and values and not told:
        shown = [f"{name} is empty" for name in values]
    return ", ".join(shown) or None


def _value(row: pa.Table, field: str, column: str) -> str | None:
    if column:
        found: str | None = row[column][0].as_py()
        return found
    statement = "select json_extract_string(verifier, $path) as value from samples"
    value: str | None = records(statement, {"path": field.replace("''", "'")}, samples=row)[0]["value"]
    return value
