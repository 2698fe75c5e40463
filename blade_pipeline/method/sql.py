"""DuckDB over Arrow tables held in memory, and nothing else: no file, no network, one thread.

One thread keeps sums bit-identical between runs. Statements are run by ``execute``, which plans them once: a relation
binds them twice, and over the rows of one run planning is most of the work. The copy of the rows that DuckDB warns of
in return takes less (``docs/performance.md``).
"""

import functools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

warnings.filterwarnings("ignore", "Arrow output on a DB-API result makes an extra copy", UserWarning)


def query(statement: str, parameters: dict[str, object] | None = None, **tables: pa.Table) -> pa.Table:
    """The result of one SELECT over the named Arrow tables."""
    with _over(tables) as connection:
        return connection.execute(statement, parameters or None).to_arrow_table()


def records(statement: str, parameters: dict[str, object] | None = None, **tables: pa.Table) -> list[dict[str, Any]]:
    """The few rows of one SELECT as plain records."""
    with _over(tables) as connection:
        found = connection.execute(statement, parameters or None)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@contextmanager
def _over(tables: dict[str, pa.Table]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that sees the tables by their names."""
    with _database().cursor() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        yield connection


@functools.cache
def _database() -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "enable_external_access": "false",
        "preserve_insertion_order": "true",
    }
    return duckdb.connect(":memory:", config=settings)
