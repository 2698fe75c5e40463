"""Numbers that the run's other artifacts state: intervals, contrasts, checks, sizes. A figure found there is placed."""

import bisect
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from blade_pipeline.method.verification.evidence import DOCUMENTS, Evidence
from blade_pipeline.method.verification.figures import SCALES, Figure, figures_of
from blade_pipeline.method.verification.truths import Truths

_SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("inventory", ("run_manifest",)),
    ("aggregate", ("pass_at_k", "coverage")),
    ("funnel", ("workflow_funnel",)),
    ("failure modes", ("failure_modes", "root_causes", "coverage")),
    ("sometimes", ("trajectory_contrasts", "failure_modes")),
    ("never", ("trajectory_contrasts", "failure_modes", "root_causes")),
    ("recommendation", ("root_causes",)),
    ("comparison", ("run_comparison", "run_manifest")),
)
_LARGEST_LIST = 100_000
_DIGIT = re.compile(r"\d")


class Stated:
    """Values of the documents, by section of the report."""

    def __init__(self, evidence: Evidence, truths: Truths) -> None:
        self._evidence = evidence
        self._own = Values("the rows", _of_truths(truths))
        self._values: dict[str, Values] = {}

    def place(self, figure: Figure, path: tuple[str, ...]) -> str | None:
        """Where a figure is stated: the rows' own counts first, then the documents of its section."""
        named = [title.lower() for title in path[1:2]]
        wanted = next((names for part, names in _SECTIONS if any(part in title for title in named)), DOCUMENTS)
        for values in (self._own, *map(self._of, wanted)):
            if (what := values.place(figure)) is not None:
                return what
        return None

    def _of(self, name: str) -> "Values":
        if name not in self._values:
            self._values[name] = Values(f"the artifact {name}", numbers_of(self._evidence.documents.get(name)))
        return self._values[name]


class Values:
    """Numbers that something states, and what it is."""

    def __init__(self, what: str, values: Iterable[float]) -> None:
        self.what = what
        self._sorted = sorted(set(values))

    def place(self, figure: Figure) -> str | None:
        """What states the figure, if it does."""
        return self.what if self.hold(figure) else None

    def hold(self, figure: Figure) -> bool:
        """Whether any value agrees with the figure, in its unit or as a fraction of it."""
        scales = (0.01, 1.0) if figure.unit in ("%", "points") else (SCALES[figure.unit],)
        signs = (1, -1) if figure.unit == "points" else (1,)
        slack = 0.5 * 10.0**-figure.decimals
        return any(self._near(sign * figure.value * scale, slack * scale) for scale in scales for sign in signs)

    def _near(self, value: float, slack: float) -> bool:
        reach = slack + 1e-9 * max(1.0, abs(value))
        position = bisect.bisect_left(self._sorted, value - reach)
        return position < len(self._sorted) and self._sorted[position] <= value + reach


def _of_truths(truths: Truths) -> Iterator[float]:
    yield from truths.counts.values()
    yield from truths.observed_counts.values()
    for count, tasks in truths.modes.values():
        yield from (count, tasks)
    for group in (*truths.slices.values(), *truths.repeats.values(), *truths.agents.values()):
        yield from (group.rollouts, group.measured, group.passed)
        yield group.passed / group.measured if group.measured else 0.0
    for k in truths.ks:
        yield from (value for value in (truths.pass_at(k), truths.pass_hat(k)) if value is not None)
        yield from (k, truths.eligible(k))


def numbers_of(value: Any) -> list[float]:
    """Every number of a document, those inside its sentences, and the lengths of its lists."""
    found: list[float] = []
    _gather(value, found)
    return found


def _gather(value: Any, found: list[float]) -> None:
    if isinstance(value, str):
        _gather_from_text(value, found)
    elif isinstance(value, dict):
        found += _sizes(value)
        for item in value.values():
            _gather(item, found)
    elif isinstance(value, list):
        if len(value) <= _LARGEST_LIST:
            found.append(float(len(value)))
            found += _counted(value)
            for item in value:
                _gather(item, found)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        found.append(float(value))


def _sizes(document: dict[str, Any]) -> tuple[int, int, int, int]:
    """Entries of a document; those that are numbers; those whose value is known, and unknown."""
    numbers = known = unknown = 0
    for part in document.values():
        if isinstance(part, dict):
            unknown += part.get("value", 0) is None
            known += part.get("value") is not None
        else:
            numbers += isinstance(part, (int, float)) and not isinstance(part, bool)
    return len(document), numbers, unknown, known


def _counted(items: list[Any]) -> set[int]:
    """How often each short text occurs under each key of a list of records."""
    found = Counter(
        (key, text)
        for item in items
        if isinstance(item, dict)
        for key, text in item.items()
        if isinstance(text, str) and len(text) < 40
    )
    return set(found.values())


def _gather_from_text(text: str, found: list[float]) -> None:
    if _DIGIT.search(text):
        found += [figure.value / 100 if figure.unit else figure.value for figure in figures_of(text)]
    if text[:1] in ("[", "{"):
        try:
            _gather(json.loads(text), found)
        except ValueError:
            return
