"""How commands print: tables and sentences for people, one JSON object for programs."""

import json
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from blade_pipeline import rounding
from blade_pipeline.rounding import rounded, signed

_PLAIN_WIDTH = 500
SECONDS_PER_LINE = 10.0
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str) -> str:
    """The text with what steers a terminal or hides, other than line breaks, as ``[U+001B]``."""
    if text.isprintable():
        return text
    return "".join(
        f"[U+{ord(sign):04X}]" if sign != "\n" and unicodedata.category(sign) in _INVISIBLE else sign for sign in text
    )


def on_one_line(text: str) -> str:
    """The visible text with its line breaks shown too."""
    return visible(text).replace("\n", "[U+000A]")


class _VisibleConsole(Console):
    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(visible(item) if isinstance(item, str) else item for item in objects), **options)


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, or wide enough for paths when there is none."""
    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return _VisibleConsole(
        stderr=stderr, width=None if terminal else _PLAIN_WIDTH, highlight=False, emoji=False, markup=False
    )


def print_json(document: Any) -> None:
    """Prints one JSON object on standard output; what steers a terminal or hides stands there as JSON's escapes."""
    for line in json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False).split("\n"):
        shown = line if line.isprintable() else "".join(map(_escaped, line))
        sys.stdout.write(f"{shown}\n")


def _escaped(sign: str) -> str:
    return json.dumps(sign)[1:-1] if unicodedata.category(sign) in _INVISIBLE else sign


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> None:
    """Prints a table, each row on one line where it has room; the columns named in ``right`` hold numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(on_one_line(name), justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(on_one_line, row))
    console().print(table)


def note(sentence: str) -> None:
    """Prints a sentence on standard error."""
    sys.stderr.write(f"{on_one_line(sentence)}\n")


def percent(value: float | None, digits: int = 1) -> str:
    """A fraction as a percentage, or a dash when it is unknown."""
    return "-" if value is None else rounding.percent(value, digits)


def points(value: float | None) -> str:
    """A difference of fractions in percentage points, or a dash when it is unknown."""
    return "-" if value is None else f"{signed(100 * value, 1)} points"


def interval(low: float | None, high: float | None) -> str:
    """An interval of fractions as percentages."""
    return "-" if low is None or high is None else f"{rounded(100 * low, 1)} to {rounded(100 * high, 1)}%"


def mean_score(headline: Mapping[str, Any]) -> str:
    """The mean score with its interval of a run that goes by it, or a dash."""
    if headline.get("headline_metric") != "mean_reward":
        return "-"
    low, high = headline["mean_reward_low"], headline["mean_reward_high"]
    span = "" if low is None or high is None else f" ({low:.3f} to {high:.3f})"
    return f"{headline['mean_reward']:.3f}{span}"


def print_checks(found: Mapping[str, Any], first: str, second: str) -> None:
    """Prints the ordered checks of a comparison: group, name, status, both values, whether a difference decides.

    Checks of which neither side records anything are named in a sentence below, unless one of them decided.
    """
    checks = found["checks"]
    silent = [check for check in checks if _is_silent(check) and check["id"] != found["headline_check"]]
    rows = [
        (
            check["group"],
            check["id"],
            check["status"],
            *("-" if check[side] is None else str(check[side]) for side in ("a", "b")),
            "yes" if check["blocking"] else "",
        )
        for check in checks
        if check not in silent
    ]
    print_table(("group", "check", "status", first, second, "blocking"), rows)
    if silent:
        console().print(f"\n{len(silent)} of {len(checks)} checks are unknown: nothing is recorded on either side.")
    for words, wanted in (("would decide if different", True), ("would only be reported", False)):
        ids = [check["id"] for check in silent if bool(check["blocking"]) is wanted]
        if ids:
            console().print(f"{words}: {', '.join(ids)}")


def _is_silent(check: Mapping[str, Any]) -> bool:
    return check["status"] == "unknown" and check["a"] is None and check["b"] is None


Show = Callable[[int, int, str], None]
"""Tells how many of how many are done with, and what is worked on."""


@contextmanager
def progress_shown() -> Iterator[Show]:
    """A bar in a terminal, else now and then a plain line, on standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=None)
        yield lambda done, total, what: progress.update(task, completed=done, total=total, description=what)


class _Lines:
    """One line for a log file whenever ``SECONDS_PER_LINE`` have passed since the start or the last line."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()

    def __call__(self, done: int, total: int, what: str) -> None:
        now = time.monotonic()
        if now - self._last >= SECONDS_PER_LINE:
            self._last = now
            note(f"{done} of {total} artifacts after {now - self._start:.0f} s, now {what}")
