"""DuckDB over every artifact, without any way out of the store."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

import duckdb
import pyarrow as pa

from blade_pipeline.models import BladeError
from blade_pipeline.storage.artifact import canonical_json
from blade_pipeline.storage.cell import Cell
from blade_pipeline.storage.selects import refuse_others
from blade_pipeline.storage.store import Store

DOCUMENTS = "documents"
"""The view that holds every document: asset, benchmark, run, document (JSON)."""

LARGEST_ANSWER = 1 << 29
"""Bytes of an answer; DuckDB itself gets half of the machine's memory and no room on a disk."""

_PLACE = [pa.field("benchmark", pa.string()), pa.field("run", pa.string())]
_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "50%",
    "temp_directory": "",
}
_OUTSIDE = ("disabled by configuration", "extension", "file system operations are disabled")
_FILE = "_blade_file"
_DOCUMENT = pa.schema([*_PLACE, pa.field("document", pa.string())])


class Catalogue:
    """Views by asset name: tables with their rows, ``benchmark`` and ``run``; documents as JSON.

    DuckDB opens the tables' files itself, elsewhere than on a disk through the store's own file system, and documents
    reach it as Arrow tables. It may open what lies below the store's artifacts and nothing else, so that a query sees
    the store alone.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tables: dict[str, list[Cell]] = {}
        self._documents: dict[str, list[Cell]] = {}
        for (asset, cell), path in sorted(store.artifacts().items(), key=lambda item: (item[0][0], item[0][1].order)):
            if PurePosixPath(path).suffix == ".parquet":
                self._tables.setdefault(asset, []).append(cell)
            else:
                self._documents.setdefault(asset, []).append(cell)

    def views(self) -> list[str]:
        """The names that a query may use."""
        return sorted({*self._tables, *self._documents, *({DOCUMENTS} if self._tables or self._documents else ())})

    def columns(self, view: str) -> list[tuple[str, str]]:
        """Name and type of a view's columns."""
        found = self.query(f'select * from "{view}" limit 0')
        return [(field.name, str(field.type)) for field in found.schema]

    def query(self, statement: str) -> pa.Table:
        """The result of one SELECT.

        Raises:
            BladeError: the statement is no single SELECT, names an unknown view, reaches outside, has an answer larger
                than ``LARGEST_ANSWER``, or fails.
        """
        with duckdb.connect(":memory:", config=_CLOSED) as connection:
            try:
                self._shut_in(connection)
                refuse_others(connection, statement)
                for name in self.views():
                    if name in statement.lower():
                        self._register(name, connection)
                return _answer(connection, statement)
            except duckdb.Error as error:
                raise BladeError(self._sentence(error)) from None

    def _shut_in(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Takes every file from a connection for good but those below the store's artifacts, and the terminal."""
        if not self._store.local:
            connection.register_filesystem(self._store.filesystem)
        connection.execute(f"set allowed_directories = [{_literal(self._store.url('artifacts') + '/')}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set enable_progress_bar = false")
        connection.execute("set lock_configuration = true")

    def _register(self, name: str, connection: duckdb.DuckDBPyConnection) -> None:
        if name in self._tables:
            connection.execute(f'create view "{name}" as {self._rows_of(name)}')
        elif name in self._documents:
            connection.register(name, self._document_rows([name]).drop_columns(["asset"]))
        elif name == DOCUMENTS:
            connection.register(name, self._document_rows([*self._tables, *self._documents]))

    def _rows_of(self, name: str) -> str:
        """A query over a table's files, with each file's place as columns and all files' columns by name.

        The place is taken from the file's name, so that DuckDB leaves out the files that a condition rules out.
        """
        base = self._store.url("artifacts", name) + "/"
        files = ", ".join(_literal(base + "/".join(_names(cell)) + ".parquet") for cell in self._tables[name])
        place = f"{_FILE}[{len(base) + 1}:]"
        return (
            f"select regexp_extract({place}, '^([^/]+?)(/|[.]parquet$)', 1) as benchmark, "
            f"nullif(regexp_extract({place}, '^[^/]+/(.+)[.]parquet$', 1), '') as run, * exclude ({_FILE}) "
            f"from read_parquet([{files}], union_by_name = true, filename = '{_FILE}')"
        )

    def _document_rows(self, assets: Iterable[str]) -> pa.Table:
        rows: list[dict[str, Any]] = []
        for asset in assets:
            for cell in [*self._tables.get(asset, []), *self._documents.get(asset, [])]:
                document = self._store.read(asset, cell).artifact.document
                if document is not None:
                    text = canonical_json(document).decode("utf-8", "replace")
                    rows.append({"asset": asset, "benchmark": cell.benchmark, "run": cell.run, "document": text})
        return pa.Table.from_pylist(rows, schema=_DOCUMENT.insert(0, pa.field("asset", pa.string())))

    def _sentence(self, error: duckdb.Error) -> str:
        """The first line of DuckDB's message; what reaches outside or names no view is said in our words."""
        text = str(error).splitlines()[0]
        if any(sign in text for sign in _OUTSIDE):
            return "A query can read the store's views and nothing outside it; blade sql without a query lists them."
        if isinstance(error, duckdb.CatalogException) and "Table with name" in text:
            return f"{text.removeprefix('Catalog Error: ').rstrip('!')}; the views are {', '.join(self.views())}."
        return f"The query failed: {text}"


def _answer(connection: duckdb.DuckDBPyConnection, statement: str) -> pa.Table:
    with connection.sql(statement).to_arrow_reader() as reader:
        batches, size = list[pa.RecordBatch](), 0
        for batch in reader:
            batches.append(batch)
            size += batch.nbytes
            if size > LARGEST_ANSWER:
                raise BladeError(f"The answer is larger than {LARGEST_ANSWER >> 20} MB; select less, or add a limit.")
        return pa.Table.from_batches(batches, reader.schema)


def _names(cell: Cell) -> list[str]:
    return [cell.benchmark] if cell.run is None else [cell.benchmark, cell.run]


def _literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
