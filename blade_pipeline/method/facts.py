"""One anchor fact: a sentence whose every number can be looked up beside it."""

from typing import Any, Literal, NamedTuple

Difficulty = Literal["low", "medium", "high"]


class Fact(NamedTuple):
    """A finding; ``numbers`` holds every number of the sentence, rounded as it is printed."""

    sentence: str
    difficulty: Difficulty
    kind: str
    numbers: dict[str, float | int]
    rows: list[Any] | None = None
    query: str | None = None

    def as_dict(self, number: int) -> dict[str, Any]:
        """The fact as the document holds it."""
        evidence: dict[str, Any] = {"kind": self.kind}
        if self.rows is not None:
            evidence["rows"] = self.rows
        if self.query is not None:
            evidence["query"] = self.query
        return {
            "id": f"F{number}",
            "fact": self.sentence,
            "difficulty": self.difficulty,
            "evidence": evidence | {"numbers": self.numbers},
        }


def percent(part: float, whole: float) -> float:
    """A share in percent, to one decimal place; 0 of 0 is 0."""
    return round(100 * part / whole, 1) if whole else 0.0


def counted(count: int, noun: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def rounded(value: float) -> float | int:
    """Three significant digits, an integer where none are lost."""
    short = float(f"{value:.3g}")
    return int(short) if short.is_integer() else short


def literal(text: str) -> str:
    """SQL text literal."""
    return "'" + text.replace("'", "''") + "'"
