"""The one record that carries an interval together with the question it answers."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Question = Literal["these_tasks", "new_tasks"]


def flat(record: Any) -> dict[str, Any]:
    """The fields of a record with slots, as they are; ``dataclasses.asdict`` copies each deeply."""
    return {name: getattr(record, name) for name in record.__slots__}


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its uncertainty; null means "cannot be known from these data", never zero.

    Attributes:
        estimate: the point value, in the unit of the input; null when nothing was measured.
        se: standard error; null when it cannot be estimated; 0 only when all values are equal.
        low: lower end.
        high: upper end.
        level: nominal coverage, for example 0.95.
        method: name of the interval's formula, in words.
        question: ``new_tasks`` (tasks are a sample of more tasks of their kind) or ``these_tasks`` (the tasks are
            fixed, only the repeats would fall differently).
        df: degrees of freedom of the t quantile; null where none is used.
        n: number of independent units (tasks, families or repeats).
        reason: one sentence that says why ``se`` or the ends are null; null otherwise.
        note: one sentence about an assumption or a degenerate input; null otherwise.
    """

    estimate: float | None
    se: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    question: Question
    df: float | None
    n: int
    reason: str | None = None
    note: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict."""
        return flat(self)

    def excludes_zero(self) -> bool:
        """True when both ends are known and zero lies strictly outside."""
        return self.low is not None and self.high is not None and (self.low > 0.0 or self.high < 0.0)


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference B minus A with its interval and test.

    Attributes:
        interval: estimate and interval of B minus A.
        t: test statistic against no difference; null when the standard error is 0 or unknown.
        p: two-sided p; null when unknown.
    """

    interval: Interval
    t: float | None
    p: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict."""
        return asdict(self)


def clipped_to_possible(interval: Interval, width: float = 1.0) -> Interval:
    """The interval of a difference of scores in a range of this width, with a note where its ends were cut to it."""
    if interval.low is None or interval.high is None or (interval.low >= -width and interval.high <= width):
        return interval
    note = "cut at the largest possible difference"
    return replace(
        interval,
        low=max(-width, interval.low),
        high=min(width, interval.high),
        note=f"{interval.note}; {note}" if interval.note else note,
    )


@dataclass(frozen=True, slots=True)
class Bounds:
    """Worst and best case of a number over every value its unknown rows could take; null when nothing was planned."""

    low: float | None
    high: float | None

    def as_dict(self) -> dict[str, float | None]:
        """Return the fields as a JSON-able dict."""
        return {"low": self.low, "high": self.high}
