"""Parse trees of SQL, as DuckDB writes them in JSON."""

from collections.abc import Iterator
from typing import Any

import duckdb
import orjson


def syntax_tree(connection: duckdb.DuckDBPyConnection, statement: str) -> dict[str, Any]:
    """What ``json_serialize_sql`` says of a statement: ``error`` with ``error_message``, else ``statements``.

    DuckDB writes the trees of SELECT alone; one that is nested deeper than JSON can be read is an error too.
    """
    text = connection.execute("select json_serialize_sql($1)", [statement]).fetchall()[0][0]
    try:
        return dict(orjson.loads(text))
    except orjson.JSONDecodeError:
        return {"error": True, "error_message": "it is nested too deeply"}


def nodes_of(tree: Any) -> Iterator[dict[str, Any]]:
    """Every mapping of a parse tree, the outer ones first."""
    waiting = [tree]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            yield found
            found = list(found.values())
        if isinstance(found, list):
            waiting.extend(reversed(found))
