"""NeMo Gym's own numbers in a report, held against those that the scores keep under the same names."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, Option, claim
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.subjects import Subjects


def native_value(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """NeMo Gym's own numbers under their own names; those of a block stand behind its name."""
    if cell.heading == "value":
        block, _, name = cell.name.rpartition(": ")
        named = [(native.get(block) or {}) if block else native for native in _natives(subjects)]
        yield from _six_digits(cell, [numbers.get(name) for numbers in named])


def native_of_repeat(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """NeMo Gym's own statistics of one repeat."""
    entries = [entry for native in _natives(subjects) for entry in native.get("repeat_level_metrics") or []]
    own = [entry for entry in entries if str(entry["_ng_rollout_index"]) == cell.name]
    yield from _six_digits(cell, [entry.get(cell.heading) for entry in own])


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
