"""What a statement over the store may be: one SELECT whose every part only reads.

DuckDB calls a statement SELECT whose CTE writes a file or whose table function opens one: the parse tree tells them.
"""

from typing import Any

import duckdb

from blade_pipeline.method.syntax import nodes_of, syntax_tree
from blade_pipeline.models import BladeError

_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_TABLE_FUNCTIONS = frozenset({"generate_series", "json_each", "json_tree", "range", "unnest"})


def refuse_others(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Refuses what is no single SELECT, or holds a part that does more than read views.

    Raises:
        BladeError: it is refused.
        duckdb.Error: it is no SQL.
    """
    if len(connection.extract_statements(statement)) != 1:
        raise BladeError(_ONE)
    tree = syntax_tree(connection, statement)
    if tree["error"]:
        raise BladeError(_ONE)
    for node in nodes_of(tree):
        if refusal := _refusal(node):
            raise BladeError(refusal)


_ONE = "Only one SELECT can be run; the store is read-only."


def _refusal(node: dict[str, Any]) -> str | None:
    if "cte_map" in node and node["type"] not in _QUERIES:
        return _ONE
    if node.get("type") != "TABLE_FUNCTION":
        return None
    name = str(node["function"].get("function_name", "another kind of function"))
    if name.lower() in _TABLE_FUNCTIONS:
        return None
    return (
        f"A query can read the store's views and nothing outside it, so {name}() cannot be called; "
        "blade sql without a query lists the views."
    )
