"""Which tasks changed between two runs."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Fold, Paragraph, cells, code, ended, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, probability


def changed_tasks(pair: Json, *, of_passes: bool) -> Iterator[Block]:
    """The tasks that changed: by passing or, of scores that are not only 0 and 1, by their mean, passing closed below.

    Args:
        pair: two runs.
        of_passes: whether the difference of the runs is one of pass rates.
    """
    flips, moves = pair.get("flips") or {}, pair.get("moves")
    if moves is None:
        yield from _flips(flips, of_passes=of_passes)
        return
    yield from _moves(moves)
    told = tuple(_flips(flips, of_passes=True))
    if told:
        yield Fold("The same by passing alone", told)


def _moves(moves: Json) -> Iterator[Block]:
    up, down, same = (count(moves[key]) for key in ("up", "down", "unchanged"))
    told = f"Tasks with a higher mean score: {up}, lower: {down}, the same: {same}; "
    yield Paragraph(say(told, ended(moves["note"])))
    rows = [
        cells(
            code(item["task"]), decimal(item["a"]), decimal(item["b"]), _signed(item["change"]),
            *("none" if item[name] is None else probability(item[name], name) for name in ("p", "q")),
        )
        for item in moves["candidates"][:20]
    ]  # fmt: skip
    if rows:
        columns = "Task | First run scores | Second run scores | Change | p | q over all tasks"
        numeric = "First run scores | Second run scores | Change"
        yield table("Tasks whose mean score moved most", columns, rows, numeric)


def _signed(value: float) -> str:
    return f"{'+' * (value > 0)}{decimal(value)}"


def _flips(flips: Json, *, of_passes: bool) -> Iterator[Block]:
    if not flips:
        return
    gained, lost, same = (count(flips[key]) for key in ("gained", "lost", "unchanged"))
    note = say("; ", ended(flips["note"])) if flips.get("note") else "."
    passing = "" if of_passes else " This counts passing alone; the sign test above goes by mean scores."
    yield Paragraph(say(f"Tasks gained: {gained}, lost: {lost}, unchanged: {same}", note, passing))
    rows = [
        cells(
            code(item["task"]), _rate(item["a"]), _rate(item["b"]), probability(item["p"]), probability(item["q"], "q")
        )
        for item in flips["candidates"][:20]
    ]
    if rows:
        columns = "Task | First run passes | Second run passes | p | q over all tasks"
        yield table("Tasks that changed most", columns, rows)


def _rate(value: str | float) -> str:
    return value if isinstance(value, str) else percent(value)
