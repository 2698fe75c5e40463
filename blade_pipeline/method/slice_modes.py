"""Which failure modes the failed rollouts of each slice show."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.slice_members import slice_members


def slice_modes(slices: pa.ChunkedArray, primary: NDArray[np.int64], codes: list[str]) -> list[dict[str, Any]]:
    """The mix of primary modes per slice.

    Args:
        slices: the column ``slices`` of the failed rollouts.
        primary: the number of each one's primary mode; shape (failed rollouts,).
        codes: the codes of the modes by their number.

    Returns:
        ``{field, value, failed, modes: [{code, count}]}`` per slice with a failed rollout, in alphabetical order; the
        counts of its modes, the largest first, sum to ``failed``.
    """
    members = slice_members(slices)
    present = np.unique(primary)
    names = [codes[mode] for mode in present]
    mix = [members.count(primary == mode) for mode in present]
    entries = []
    for number, (field, value) in enumerate(members.slices):
        modes = _mix([int(counts[number]) for counts in mix], names)
        failed = sum(mode["count"] for mode in modes)
        entries.append({"field": field, "value": value, "failed": failed, "modes": modes})
    return entries


def _mix(found: list[int], names: list[str]) -> list[dict[str, Any]]:
    ordered = sorted(zip(found, names, strict=True), key=lambda entry: -entry[0])
    return [{"code": name, "count": count} for count, name in ordered if count]
