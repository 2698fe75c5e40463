"""NeMo Gym's own numbers in a report, held against those that the scores keep under the same names."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, Option, claim
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.restated import restated
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.subjects import Subjects

_BLOCKS = ("perf_summary", "profile_completion")
_TOLD = ("native_notes", "native_assumptions")
_HOW_MANY = re.compile(rf"^NeMo Gym's own (?P<numbers>{N}) numbers\b")


def native_value(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """NeMo Gym's own numbers under their own names; those of a block stand behind its name."""
    if cell.heading == "value":
        block, _, name = cell.name.rpartition(": ")
        named = [(native.get(block) or {}) if block else native for native in _natives(subjects)]
        values = [numbers.get(name) for numbers in named]
        yield from _six_digits(cell, values)
        yield from _in_order(cell, values)


def native_of_repeat(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """NeMo Gym's own statistics of one repeat."""
    entries = [entry for native in _natives(subjects) for entry in native.get("repeat_level_metrics") or []]
    if cell.heading == "repeat" and cell.lone is not None:
        indices = list(dict.fromkeys(entry["_ng_rollout_index"] for entry in entries))
        place = next((n for n, row in enumerate(cell.table.rows) if row is cell.row), len(indices))
        if len(_natives(subjects)) == 1 and len(indices) == len(cell.table.rows):
            yield from claim(cell.lone, [Option(float(indices[place]), f"row {place + 1} of the repeats")])
        return
    own = [entry for entry in entries if str(entry["_ng_rollout_index"]) == cell.name]
    yield from _six_digits(cell, [entry.get(cell.heading) for entry in own])


def native_sentence(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """How many numbers there are, and what was assumed and noted, as the scores keep it."""
    if found := _HOW_MANY.match(sentence.text):
        figure = sentence.figures.get(found.start("numbers"))
        sizes = {_size(native) for native in _natives(subjects) if native}
        yield from claim(figure, [Option(float(size), "native numbers") for size in sizes]) if figure else ()
    agents = (subjects.scores.get("agents") or {}).values()
    told = [text for agent in agents for name in _TOLD for text in agent.get(name) or []]
    yield from restated(sentence.text, sentence.figures, told, "a note on native numbers")


def _size(native: dict[str, Any]) -> int:
    """Numbers under names of their own, those of two blocks counted one by one; entries per repeat stand apart."""
    apart = len({*native} - {*_BLOCKS, "highest_k", "repeat_level_metrics"})
    return apart + sum(len(native.get(block) or {}) for block in _BLOCKS)


def _in_order(cell: Cell, values: Iterable[Any]) -> Iterator[Claim]:
    """The numbers of a value that is an object or a list, each held against the one at its place."""
    texts = [json.dumps(value, sort_keys=True) for value in values if isinstance(value, (dict, list))]
    yield from restated(cell.said.text, cell.figures, texts, f"native {cell.name}")


def _natives(subjects: Subjects) -> list[dict[str, Any]]:
    return [agent.get("native") or {} for agent in (subjects.scores.get("agents") or {}).values()]


def _six_digits(cell: Cell, values: Iterable[Any]) -> Iterator[Claim]:
    """A number of which any value agrees at the six significant digits with which it is written."""
    numbers = [float(value) for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    figure = cell.lone
    if figure is not None:
        options = [Option(right, f"native {cell.name}") for right in numbers]
        near = [option for option in options if _near(figure, option.right)]
        yield from claim(figure, [Option(figure.value, option.what) for option in near] or options)


def _near(figure: Figure, right: float) -> bool:
    """Whether a value is written with six significant digits and agrees with the right one at those."""
    return json.dumps(float(f"{right:.6g}")) == json.dumps(float(f"{figure.value:.6g}"))
