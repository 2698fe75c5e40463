"""DuckDB over Arrow tables held in memory, and nothing else: no file, no network, one thread.

One thread keeps sums bit-identical between runs.
"""

import functools
from typing import Any

import duckdb
import pyarrow as pa


def query(statement: str, parameters: dict[str, object] | None = None, **tables: pa.Table) -> pa.Table:
    """The result of one SELECT over the named Arrow tables."""
    with _database().cursor() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        try:
            return connection.sql(statement, params=parameters or None).to_arrow_table()
        finally:
            for name in tables:
                connection.unregister(name)


def records(statement: str, parameters: dict[str, object] | None = None, **tables: pa.Table) -> list[dict[str, Any]]:
    """The result of one SELECT as plain records."""
    rows: list[dict[str, Any]] = query(statement, parameters, **tables).to_pylist()
    return rows


@functools.cache
def _database() -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "enable_external_access": "false",
        "preserve_insertion_order": "true",
    }
    return duckdb.connect(":memory:", config=settings)
