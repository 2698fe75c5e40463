"""DuckDB over Arrow tables held in memory, and nothing else: no file but its own spilling, no network, one thread.

One thread keeps sums bit-identical between runs. Statements are run by ``execute``, which plans them once: a relation
binds them twice, and over the rows of one run planning is most of the work. The copy of the rows that DuckDB warns of
in return takes less (``docs/performance.md``). A database keeps what a statement took until it is
closed, so that over many rows each statement has one of its own.
"""

import functools
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa

MANY = 200_000
"""Rows beyond which opening a database costs nothing beside the statement, and what it keeps is much."""

MOST = "2GB"
"""What a statement over so many rows holds in memory; more goes to a temporary folder, or where it cannot, is held."""

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
    found: pa.Table = _asked(_as_table, statement, parameters, tables)
    return found


def records(statement: str, parameters: dict[str, object] | None = None, **tables: pa.Table) -> list[dict[str, Any]]:
    """The few rows of one SELECT as plain records."""
    found: list[dict[str, Any]] = _asked(_as_records, statement, parameters, tables)
    return found


def _as_table(found: duckdb.DuckDBPyConnection) -> pa.Table:
    return found.to_arrow_table()


def _as_records(found: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _asked(
    read: Callable[[duckdb.DuckDBPyConnection], Any],
    statement: str,
    parameters: dict[str, object] | None,
    tables: dict[str, pa.Table],
) -> Any:
    """What a statement gives; where the tables are large, from a database of its own, which spills beyond ``MOST``."""

    def asked(connection: duckdb.DuckDBPyConnection) -> Any:
        connection.execute("set enable_progress_bar = false")  # where Python is interactive DuckDB prints one
        for name, table in tables.items():
            connection.register(name, table)
        return read(connection.execute(statement, parameters or None))

    most = max((table.num_rows for table in tables.values()), default=0)
    if most <= MANY:
        with _database(most <= _FEW).cursor() as connection:
            return asked(connection)
    pa.default_memory_pool().release_unused()
    with tempfile.TemporaryDirectory() as folder:
        try:
            with _opened(temp_directory=folder, memory_limit=MOST) as connection:
                return asked(connection)
        except duckdb.OutOfMemoryException:
            with _opened(temp_directory=folder) as connection:
                return asked(connection)


@functools.cache
def _database(few: bool) -> duckdb.DuckDBPyConnection:
    connection = _opened()
    if few:
        found = connection.execute("select name from duckdb_optimizers()").fetchall()
        needless = ",".join(name for (name,) in found if name not in _OPTIMIZERS)
        connection.execute("set global disabled_optimizers = $needless", {"needless": needless})
    return connection


def _opened(**settings: str) -> duckdb.DuckDBPyConnection:
    own: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "enable_external_access": "false",
        "preserve_insertion_order": "true",
    }
    return duckdb.connect(":memory:", config=own | settings)
