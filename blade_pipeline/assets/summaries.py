"""Small tables for the metadata of materializations."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa


def counted(table: pa.Table, column: str) -> list[dict[str, object]]:
    """How often each value of a column of names occurs, the most frequent first; nulls are left out."""
    found = table[column].drop_null().value_counts().to_pylist()
    rows = sorted(found, key=lambda row: (-row["counts"], str(row["values"])))
    return [{column.replace("_", " "): row["values"], "count": row["counts"]} for row in rows]


def verdicts(pairs: Iterable[Mapping[str, Any]]) -> list[dict[str, object]]:
    """The verdict of every pair of runs."""
    return [{"pair": f"{pair['run_a']} to {pair['run_b']}", "verdict": pair["verdict"]} for pair in pairs]
