"""The same funnel for the rollouts of each slice, and of each model where a run holds several."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.funnel_counts import counted, largest_drop, lost
from blade_pipeline.method.slice_members import slice_members

Json = dict[str, Any]

MOST_MODELS = 20


class Parts:
    """Counts parts of a run through the phases of the whole run."""

    def __init__(self, names: Sequence[str], alive: Sequence[Mask], whole: Json | None) -> None:
        """``alive`` are the survivors of each phase, ``whole`` is the largest drop of the run."""
        self._names, self._alive, self._whole = names, alive, whole

    def by_slice(self, slices: pa.ChunkedArray) -> Json:
        """``{by_slice, by_slice_left_out}``: an entry per slice, and fields beyond the cap on slices."""
        members = slice_members(slices)
        totals = members.count(np.ones(len(slices), dtype=np.bool_))
        reached = np.array([members.count(mask) for mask in self._alive], dtype=np.int64)
        entries = [
            {"field": field, "value": value} | self._part(int(totals[n]), reached[:, n].tolist())
            for n, (field, value) in enumerate(members.slices)
        ]
        left_out = [{"field": field, "values": values} for field, values in members.left_out.items()]
        return {"by_slice": entries, "by_slice_left_out": left_out}

    def by_model(self, models: pa.ChunkedArray) -> Json:
        """``{by_model, by_model_left_out}``: empty where the rows name fewer than two models.

        The models with most rollouts come first; rollouts whose row is missing or names no model come last, as null.
        """
        encoded = models.combine_chunks().dictionary_encode(null_encoding="encode")
        names, codes = encoded.dictionary.to_pylist(), np.asarray(encoded.indices, dtype=np.int64)
        totals = np.bincount(codes, minlength=len(names))
        if sum(name is not None for name in names) < 2:
            return {"by_model": [], "by_model_left_out": 0}
        order = sorted(range(len(names)), key=lambda n: (names[n] is None, -totals[n], str(names[n])))
        reached = [np.bincount(codes[mask], minlength=len(names)) for mask in self._alive]
        entries = [
            {"model": names[n]} | self._part(int(totals[n]), [int(counts[n]) for counts in reached]) for n in order
        ]
        return {"by_model": entries[:MOST_MODELS], "by_model_left_out": max(0, len(entries) - MOST_MODELS)}

    def _part(self, total: int, reached: Sequence[int]) -> Json:
        phases = counted(self._names, reached, total)
        return {
            "total_rollouts": total,
            "phases": phases,
            "largest_drop": largest_drop(phases),
            "differs": self._differs(phases),
        }

    def _differs(self, phases: Sequence[Json]) -> bool:
        """Whether another phase than the one at which the run loses most loses more rollouts here."""
        if self._whole is None:
            return False
        there = next(lost(phase) for phase in phases if phase["phase"] == self._whole["phase"])
        return max(map(lost, phases)) > there
