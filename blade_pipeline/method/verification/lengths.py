"""Lengths of failing against passing rollouts, recounted pair by pair from the rows."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from blade_pipeline.method.lengths import LENGTHS
from blade_pipeline.method.undisturbed import ENDED
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence

Row = dict[str, Any]
_KEY = ["agent", "stage", "task", "repeat"]
_CONTROLS = {
    "pooled": "pooled",
    "equal fields": "fields",
    "equal fields and pass rate": "pass_rate",
    "equal pass rate": "pass_rate",
}
_LEFT_OUT = re.compile(rf"Left out: (?P<rollouts>{N}) failing rollouts? that an outage or a limit ended")
_MEDIANS = {"median, failing": False, "median, passing": True}
_SIZE = re.compile(
    rf"(?P<control>Pooled|Equal (?:fields|pass rate|fields and pass rate)): (?P<pairs>{N}) pairs? of "
    rf"(?P<rollouts>{N}) rollouts? on (?P<tasks>{N}) tasks?, in (?P<strata>{N}) (?:stratum|strata) with both verdicts"
)


class Lengths:
    """Looks a column or row of the table of lengths up in the rows; the corrected q is the document's own."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._document: Row = (evidence.documents.get("trajectory_contrasts") or {}).get("lengths") or {}

    def of_cell(self, cell: Cell) -> Iterator[Claim]:
        """A median, or a share of pairs with its q."""
        feature, control = cell.name, _CONTROLS.get(cell.heading)
        if feature not in LENGTHS or not self._document:
            return
        if cell.heading in _MEDIANS and cell.lone is not None:
            right = self._median(feature, passed=_MEDIANS[cell.heading])
            yield from claim(cell.lone, exactly(right, f"{cell.heading} of {feature}"))
        elif control is not None:
            q = next((row[control]["q"] for row in self._document["features"] if row["feature"] == feature), None)
            for figure in cell.figures.values():
                value = 100 * self._share(feature, control) if figure.unit == "%" else q
                yield from claim(figure, exactly(value, f"{feature}, {cell.heading}"))

    def of_sentence(self, sentence: Sentence) -> Iterator[Claim]:
        """How many rollouts, tasks and strata a column compares, and how many rollouts are in none."""
        for found in _LEFT_OUT.finditer(sentence.text):
            yield from named(found, sentence.figures, {"rollouts": len(self._disturbed)}, "rollouts left out")
        for found in _SIZE.finditer(sentence.text) if self._document else ():
            right = self._size(_CONTROLS[found["control"].lower()])
            yield from named(found, sentence.figures, right, f"compared, {found['control'].lower()}")

    def _median(self, feature: str, *, passed: bool) -> float:
        return float(np.median(_known(self._rows, feature, passed=passed)))

    def _share(self, feature: str, control: str) -> float:
        """The strata's shares of pairs in which the failing rollout is longer, weighed by m n / (m + n + 1)."""
        above = weights = 0.0
        for rows in self._with_both(control):
            failing, passing = (_known(rows, feature, passed=verdict) for verdict in (False, True))
            less, up_to = (int(np.searchsorted(passing, failing, side).sum()) for side in ("left", "right"))
            above += (less + up_to) / 2 / (len(failing) + len(passing) + 1)
            weights += len(failing) * len(passing) / (len(failing) + len(passing) + 1)
        return above / weights

    def _size(self, control: str) -> Mapping[str, float]:
        both = self._with_both(control)
        rows = [row for stratum in both for row in stratum]
        passes = [sum(row["passed"] for row in stratum) for stratum in both]
        pairs = sum(n * (len(stratum) - n) for n, stratum in zip(passes, both, strict=True))
        return {"pairs": pairs, "rollouts": len(rows), "tasks": len({_task(row) for row in rows}), "strata": len(both)}

    def _with_both(self, control: str) -> list[list[Row]]:
        strata = self._strata(control).values()
        return [rows for rows in strata if {row["passed"] for row in rows} == {True, False}]

    def _strata(self, control: str) -> Mapping[Any, list[Row]]:
        found: dict[Any, list[Row]] = defaultdict(list)
        for row in self._rows:
            key: tuple[Any, ...] = ()
            if control != "pooled":
                slices = json.loads(row["slices"] or "{}")
                key = (row["agent"], row["stage"], *(str(slices.get(name)) for name in self._document["fields"]))
            found[(*key, *self._rates[_task(row)]) if control == "pass_rate" else key].append(row)
        return found

    @cached_property
    def _rows(self) -> list[Row]:
        aligned = self._evidence.aligned
        wanted = [*_KEY, "slices", "passed", "outcome", *LENGTHS.values()]
        rows: list[Row] = aligned.select(wanted).to_pylist()
        return [row for row in rows if row["outcome"] == "measured" and _key(row) not in self._disturbed]

    @cached_property
    def _disturbed(self) -> set[tuple[Any, ...]]:
        return disturbed(self._evidence)

    @cached_property
    def _rates(self) -> Mapping[Any, tuple[int, int]]:
        """Measured and passed rollouts by task."""
        verdicts: dict[Any, list[bool]] = defaultdict(list)
        for row in self._rows:
            verdicts[_task(row)].append(row["passed"])
        return {task: (len(own), sum(own)) for task, own in verdicts.items()}


def disturbed(evidence: Evidence) -> set[tuple[Any, ...]]:
    """Failing rollouts with a mode of an outage or a limit, by agent, stage, task and repeat."""
    rows: list[Row] = evidence.modes.select([*_KEY, "mode", "secondary", "root_cause"]).to_pylist()
    shown = ((row, {row["mode"], *(row["secondary"] or "").split(",")}) for row in rows)
    return {_key(row) for row, codes in shown if row["root_cause"] == "IR" or codes & ENDED}


def _known(rows: list[Row], feature: str, *, passed: bool) -> list[float]:
    return sorted(
        row[LENGTHS[feature]] for row in rows if row["passed"] is passed and row[LENGTHS[feature]] is not None
    )


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in _KEY)


def _task(row: Row) -> tuple[Any, ...]:
    return row["agent"], row["stage"], row["task"]
