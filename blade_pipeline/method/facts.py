"""One anchor fact: a sentence whose every number a query over the store gives again."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from blade_pipeline import rounding
from blade_pipeline.rounding import TIE

Difficulty = Literal["high", "medium", "low"]
HARDEST_FIRST: tuple[Difficulty, ...] = ("high", "medium", "low")


class Fact(NamedTuple):
    """A finding; ``numbers`` holds every number of the sentence, rounded as it is printed.

    ``query`` runs with ``blade sql`` as it stands and gives one row whose columns are the keys of ``numbers``;
    ``about`` is the failure mode or root cause that the fact speaks of.
    """

    sentence: str
    difficulty: Difficulty
    kind: str
    numbers: dict[str, float | int]
    query: str
    rows: list[Any] | None = None
    about: str | None = None

    def as_dict(self, number: int) -> dict[str, Any]:
        """The fact as the document holds it."""
        evidence: dict[str, Any] = {"kind": self.kind, "query": self.query, "numbers": self.numbers}
        if self.about is not None:
            evidence["about"] = self.about
        if self.rows is not None:
            evidence["rows"] = self.rows
        return {"id": f"F{number}", "fact": self.sentence, "difficulty": self.difficulty, "evidence": evidence}


class Scope(NamedTuple):
    """The run that a fact speaks of, and the queries that look at nothing else."""

    benchmark: str
    run: str

    @property
    def where(self) -> str:
        """The condition that keeps one run's rows."""
        return f"benchmark = {literal(self.benchmark)} and run = {literal(self.run)}"

    def rows(self, view: str, columns: Mapping[str, str], only: str | None = None) -> str:
        """One row of expressions over the run's rows of a view, further limited to ``only``."""
        also = f" and {only}" if only else ""
        return f"select {_named(columns)} from {view} where {self.where}{also}"

    def document(self, asset: str, columns: Mapping[str, str]) -> str:
        """Values of the run's document of an asset."""
        return self.rows("documents", columns, f"asset = {literal(asset)}")

    def entries(self, asset: str, path: str, columns: Mapping[str, str], only: str | None = None) -> str:
        """One row of expressions over a list inside the run's document; ``entry.value`` is a member."""
        also = f" and {only}" if only else ""
        source = f"documents, json_each(document, {literal(path)}) as entry"
        return f"select {_named(columns)} from {source} where asset = {literal(asset)} and {self.where}{also}"


def _named(columns: Mapping[str, str]) -> str:
    return ", ".join(f'{expression} as "{name}"' for name, expression in columns.items())


def member(name: str, kind: str = "bigint") -> str:
    """SQL: a number of a list member."""
    return f"(entry.value ->> {literal(name)})::{kind}"


def is_member(name: str, value: str) -> str:
    """SQL: whether a text of a list member has this value."""
    return f"(entry.value ->> {literal(name)}) = {literal(value)}"


def at(path: str, kind: str = "bigint") -> str:
    """SQL: a number of the document."""
    return f"(document ->> {literal(path)})::{kind}"


def shown(expression: str, form: str = ".1f") -> str:
    """SQL: a number, not below 0, rounded as :mod:`blade_pipeline.rounding` rounds it, or to significant digits."""
    tie = f" + {TIE}" if form.endswith("f") else ""
    return f"format('{{:{form}}}', {expression}{tie})::double"


def shown_percent(part: str, whole: str) -> str:
    """SQL: a share in percent, to one decimal place."""
    return shown(f"100.0 * {part} / {whole}")


def percent(part: float, whole: float) -> float:
    """A share in percent, to one decimal place; 0 of 0 is 0."""
    return float(rounding.rounded(100 * part / whole, 1)) if whole else 0.0


def counted(count: int, noun: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def joined(parts: list[str]) -> str:
    """``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def rounded(value: float) -> float | int:
    """Three significant digits, an integer where none are lost."""
    short = float(f"{value:.3g}")
    return int(short) if short.is_integer() else short


def literal(text: str) -> str:
    """SQL text literal."""
    return "'" + text.replace("'", "''") + "'"
