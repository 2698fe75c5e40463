"""``blade sql``: one SELECT over every artifact."""

from typing import Any

import click

from blade_pipeline.cli.bounds import half_of_memory, within
from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.cli.options import folder_options, json_option
from blade_pipeline.cli.output import note, print_json, print_table
from blade_pipeline.models import BladeError


@click.command(name="sql")
@click.argument("query", required=False)
@folder_options("store")
@click.option(
    "--seconds", type=click.FloatRange(0, 1e6, min_open=True), default=600.0, show_default=True, help="Longest time."
)
@json_option
def command(query: str | None, store: str, seconds: float, as_json: bool) -> None:
    """Run one SELECT over views named after the assets; without QUERY, list the views and their columns.

    Tables have their rows, benchmark and run; documents are JSON in the column document, and the view documents
    holds them all. Nothing can be written, nothing outside the store can be read, and a query that takes too long or
    more than half of the machine's memory is ended.
    """
    from blade_pipeline.cli.stored import open_store
    from blade_pipeline.storage.catalogue import Catalogue

    catalogue = Catalogue(open_store(store))
    if query is None:
        _views(catalogue, as_json)
        return
    too_long = f"The query took longer than {seconds:g} s and was ended; make it simpler, or give it more --seconds."
    with half_of_memory("The query takes more than half of this machine's memory; select less, or add a limit."):
        _print_answer(within(seconds, lambda: _answer(catalogue, query), too_long), as_json)


def _answer(catalogue: Any, query: str) -> Any:
    """The answer as a table.

    Raises:
        UsageProblem: the query cannot be read, is refused or fails.
    """
    try:
        query.encode()
        return catalogue.query(query)
    except UnicodeEncodeError:
        raise UsageProblem("The query is not readable as UTF-8.") from None
    except BladeError as error:
        raise UsageProblem(str(error)) from None


def _print_answer(found: Any, as_json: bool) -> None:
    names, rows = _unique(found.column_names), _rows(found)
    if as_json:
        print_json({"columns": names, "rows": [_plain(dict(zip(names, row, strict=True))) for row in rows]})
        return
    print_table(found.column_names, ([_shown(value) for value in row] for row in rows))
    note(f"{found.num_rows} rows")


def _rows(found: Any) -> list[tuple[Any, ...]]:
    """The rows by position: two columns may have one name.

    Raises:
        UsageProblem: a date or time lies outside the years that Python knows, or is finer than a microsecond.
    """
    try:
        return list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    except (OverflowError, ValueError):
        raise UsageProblem("The answer holds a date or time that cannot be shown; cast it to varchar.") from None


def _unique(names: list[str]) -> list[str]:
    """The names with ``_1``, ``_2`` after those that came before."""
    taken: list[str] = []
    for name in names:
        others = {*names, *taken} if name in taken else set(taken)
        free = (f"{name}_{number}" for number in range(1, len(names) + 2))
        taken.append(name if name not in others else next(other for other in free if other not in others))
    return taken


def _views(catalogue: Any, as_json: bool) -> None:
    views = {name: catalogue.columns(name) for name in catalogue.views()}
    if as_json:
        print_json({"views": {name: [column for column, _ in columns] for name, columns in views.items()}})
    else:
        print_table(
            ("view", "columns"), [(name, ", ".join(column for column, _ in columns)) for name, columns in views.items()]
        )


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _json_value(value) for name, value in row.items()}


def _json_value(value: Any) -> Any:
    """Numbers, text and lists as they are; what JSON cannot say (dates, NaN) as text."""
    if (isinstance(value, float) and value != value) or value in (float("inf"), float("-inf")):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json_value(item) for key, item in value.items()}
    return str(value)
