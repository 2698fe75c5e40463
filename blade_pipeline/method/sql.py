"""DuckDB over Arrow tables held in memory, and nothing else: no file, no network, one thread.

One thread keeps sums bit-identical between runs.
"""

import functools

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


@functools.cache
def _database() -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "enable_external_access": "false",
        "preserve_insertion_order": "true",
    }
    return duckdb.connect(":memory:", config=settings)
