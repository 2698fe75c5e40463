"""Boolean expressions that a profile writes over the aligned samples, evaluated where they can do no harm.

An expression sees one row: its columns, and ``verifier`` and ``response`` as JSON (``verifier->>'verdict'``). It
runs in a DuckDB database in memory, without access to files or the network and with its settings locked; subqueries,
aggregates, windows and functions whose answer depends on the clock, chance or the session are refused. So is what may
take time or memory out of proportion to the row; a query that takes too long all the same is stopped.
"""

import difflib
import functools
import re
from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method import allowed
from blade_pipeline.method.syntax import nodes_of, syntax_tree
from blade_pipeline.models import BladeError
from blade_pipeline.tables import ALIGNED_SAMPLES

Mask = NDArray[np.bool_]

LIMIT_SECONDS = 120
"""How long the expressions of one profile may take over one run."""

_ROWS_AT_ONCE = 32
"""DuckDB looks at its limit between two pieces of a table, never within one."""

_QUOTED = 200

_REFUSED_CLASSES = {
    "SUBQUERY": "holds a subquery",
    "WINDOW": "holds a window function",
    "STAR": "holds a *",
    "PARAMETER": "holds a parameter",
}
_ROW_CHANGING = frozenset({"unnest", "generate_subscripts", "getvariable", "current_setting"})
_CLOCK = frozenset(
    "now today age get_current_time get_current_timestamp current_date current_localtime current_localtimestamp "
    "transaction_timestamp txid_current current_database current_schema current_schemas in_search_path".split()
)
_CLOCK_WORD = re.compile(r"current_\w+|local(time|timestamp)|(session_)?user")
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_EXTRACTING = frozenset({"->>", "map_extract", "map_contains", "element_at", "array_extract"}) | frozenset(
    f"json_{name}" for name in "extract extract_string extract_path extract_path_text value exists type".split()
)
_NAME = re.compile(r'\$\."([^"]+)"|\$\.([^."*?[]+)|/([^/~]+)(?:/|$)|([^$/].*)', re.DOTALL)
"""The outermost name of a JSON path or pointer; any other text is a name as it is."""
_UNKNOWN_COLUMN = re.compile(r'column "([^"]+)" not found')


def check_expressions(expressions: Sequence[str]) -> None:
    """Bind every expression to an empty table of aligned samples.

    Raises:
        BladeError: an expression is no single boolean expression over a row; the message quotes it.
    """
    empty = ALIGNED_SAMPLES.empty_table()
    for expression in expressions:
        _check_shape(expression)
        _run(empty, [expression])


def evaluate(aligned: pa.Table, expressions: Sequence[str]) -> list[Mask]:
    """One boolean per row and expression, all in one query; null counts as false.

    Raises:
        BladeError: an expression does not bind, is not boolean or fails on a row; the message quotes it.
    """
    if not expressions:
        return []
    check_expressions(expressions)
    try:
        return _run(aligned, expressions)
    except BladeError:
        for expression in expressions:
            _run(aligned, [expression])
        raise


def fields_read(expression: str) -> list[tuple[str, str]]:
    """Column and field of every JSON path and map key in a checked expression, a nested path by its outermost name."""
    with _database().cursor() as connection:
        parsed = syntax_tree(connection, f"select ({expression}\n) as v from samples")
    found = (_field_of(node) for node in nodes_of(parsed.get("statements")))
    return list(dict.fromkeys(field for field in found if field is not None))


def _field_of(node: dict[str, Any]) -> tuple[str, str] | None:
    """The column and field that a node of the parse tree takes a value from; DuckDB reads ``->`` as a lambda."""
    if node.get("class") == "LAMBDA":
        operands = [node["lhs"], node["expr"]]
    elif node.get("type") == "ARRAY_EXTRACT":
        operands = node["children"]
    elif str(node.get("function_name")).lower() in _EXTRACTING:
        operands = [argument["expression"] for argument in node["arguments"]]
    else:
        return None
    source, key = operands[:2] if len(operands) > 1 else ({}, {})
    column, name = source.get("column_names"), _NAME.match(str(key.get("literal", {}).get("text", "")))
    return (str(column[-1]).lower(), next(filter(None, name.groups()))) if column and name else None


def _run(aligned: pa.Table, expressions: Sequence[str]) -> list[Mask]:
    """The masks of expressions whose shape was checked."""
    chosen = ", ".join(f"({expression}\n) as e{n}" for n, expression in enumerate(expressions))
    masks = ", ".join(f"coalesce(e{n}, false) as e{n}" for n in range(len(expressions)))
    with _database().cursor() as connection:
        pieces = aligned.to_batches(max_chunksize=_ROWS_AT_ONCE)
        connection.register("samples", pa.Table.from_batches(pieces, aligned.schema))
        try:
            picked = connection.sql(f"select task as t, {chosen} from samples")
            _refuse_other_types(picked.types[1:], expressions)
            table = connection.sql(f"select {masks} from (select task as t, {chosen} from samples)").to_arrow_table()
        except duckdb.Error as error:
            raise BladeError(_explained(expressions[0], str(error), quotable=aligned.num_rows == 0)) from None
        finally:
            connection.unregister("samples")
    return [np.asarray(table[f"e{n}"], dtype=np.bool_) for n in range(len(expressions))]


def _refuse_other_types(types: Sequence[Any], expressions: Sequence[str]) -> None:
    for kind, expression in zip(types, expressions, strict=True):
        if str(kind).startswith("TUPLE"):
            raise BladeError(f"'{expression}' must be one expression, not a list of several or none.")
        if str(kind) != "BOOLEAN":
            raise BladeError(f"'{expression}' is {str(kind).strip(chr(34))}, not boolean; compare it with something.")


def _check_shape(expression: str) -> None:
    """Refuse everything but one row-wise expression, by its parse tree."""
    if len(expression) > allowed.LONGEST:
        raise BladeError(
            f"'{expression[:_QUOTED]}...' has {len(expression)} characters; at most {allowed.LONGEST} can be."
        )
    if _HALF_A_PAIR.search(expression):
        raise BladeError(f"{expression!r} holds half a surrogate pair, which is no text.")
    with _database().cursor() as connection:
        parsed = syntax_tree(connection, f"select ({expression}\n) as v from samples")
    if parsed["error"]:
        raise BladeError(f"'{expression}' is no DuckDB expression: {parsed['error_message']}.")
    if not _is_one_expression(parsed["statements"]):
        raise BladeError(f"'{expression}' must be one expression, without a semicolon, FROM or WHERE.")
    tree = parsed["statements"][0]["node"]["select_list"][0]
    for node in nodes_of(tree):
        if refusal := _refusal(node):
            raise BladeError(f"'{expression}' {refusal}; an expression sees the columns of one row only.")
        name = str(node.get("function_name", ""))
        if name and name not in _functions("scalar"):
            raise BladeError(f"'{expression}' calls an unknown function{_suggestion(name, sorted(allowed.FUNCTIONS))}")
    if refusal := allowed.refusal(tree):
        raise BladeError(f"'{expression}' {refusal}; an expression must take a bounded time for a row.")


def _is_one_expression(statements: list[dict[str, Any]]) -> bool:
    if len(statements) != 1:
        return False
    node = statements[0]["node"]
    plain = node["type"] == "SELECT_NODE" and len(node["select_list"]) == 1 and not node["cte_map"]["map"]
    source = node.get("from_table") or {}
    return bool(
        plain
        and node["select_list"][0]["alias"] == "v"
        and source.get("type") == "BASE_TABLE"
        and not any(node.get(part) for part in ("where_clause", "group_expressions", "having", "qualify", "sample"))
        and not node["modifiers"]
    )


def _refusal(node: dict[str, Any]) -> str | None:
    if found := _REFUSED_CLASSES.get(str(node.get("class"))):
        return found
    name = str(node.get("function_name", "")).lower()
    word = str(next(iter(node.get("column_names") or ()), "")).lower()
    if _CLOCK_WORD.fullmatch(word):
        return f"reads {word}, which does not depend on the row"
    if name in _functions("aggregate"):
        return f"calls the aggregate {name}()"
    if name in _CLOCK or name in _ROW_CHANGING or name in _functions("volatile"):
        return f"calls {name}(), whose answer does not depend on the row alone"
    return None


_ABOUT_THE_EXPRESSION = ("Binder Error", "Parser Error", "Catalog Error")
"""DuckDB's errors that speak of the expression; the others may quote a rollout, where there is one."""


def _explained(expression: str, message: str, *, quotable: bool) -> str:
    kind, _, detail = " ".join(message.splitlines()[0].split()).partition(":")
    if found := _UNKNOWN_COLUMN.search(message):
        return f"'{expression}' names an unknown column '{found[1]}'{_suggestion(found[1], ALIGNED_SAMPLES.names)}"
    if "INTERRUPT Error" in message:
        return f"'{expression}' takes longer than {LIMIT_SECONDS} s over this run; make it simpler."
    if "Conversion Error" in message:
        return f"'{expression}' cannot be converted on some row; use try_cast."
    said = f"{kind}:{detail}" if quotable or kind in _ABOUT_THE_EXPRESSION else kind
    return f"'{expression}' cannot be evaluated: {said}"


def _suggestion(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else "; verifier fields are written verifier->>'field'."


@functools.cache
def _functions(kind: str) -> frozenset[str]:
    """Names of DuckDB's scalar functions, of its volatile ones, or of those that are aggregates only."""
    with _database().cursor() as connection:
        rows = connection.execute(
            "select distinct function_name, function_type, stability = 'VOLATILE' from duckdb_functions()"
        ).fetchall()
    scalars = frozenset(name for name, what, _ in rows if what in ("scalar", "macro"))
    if kind == "aggregate":
        return frozenset(name for name, what, _ in rows if what == "aggregate") - scalars
    if kind == "volatile":
        return frozenset(name for name, _, volatile in rows if volatile)
    return scalars


@functools.cache
def _database() -> duckdb.DuckDBPyConnection:
    limits: dict[str, Any] = {
        "max_execution_time": f"{LIMIT_SECONDS * 1000}",
        "threads": "1",
        "enable_external_access": "false",
    }
    connection = duckdb.connect(":memory:", config=limits)
    connection.execute("set lock_configuration = true")
    return connection
