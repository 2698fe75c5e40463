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

_OPTIMIZERS = frozenset(
    {
        *("filter_pushdown", "unused_columns", "column_lifetime", "regex_range", "deliminator", "unnest_rewriter"),
        *("join_order", "build_side_probe_side"),
    }
)
"""Those that save more over few rows than they take; the rest are a third of the planning."""

_FEW = 50_000
"""Rows up to which that is so."""


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
    few = all(table.num_rows <= _FEW for table in tables.values())
    with _database(few).cursor() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        yield connection


@functools.cache
def _database(few: bool) -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "enable_external_access": "false",
        "preserve_insertion_order": "true",
    }
    connection = duckdb.connect(":memory:", config=settings)
    if few:
        found = connection.execute("select name from duckdb_optimizers()").fetchall()
        needless = ",".join(name for (name,) in found if name not in _OPTIMIZERS)
        connection.execute("set global disabled_optimizers = $needless", {"needless": needless})
    return connection
