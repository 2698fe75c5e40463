"""Why the failed rollouts failed, as far as their rows show it: one primary mode each.

Rules of the profile come first, by their severity; then the generic rules, by theirs; then clusters of equal verifier
messages; then what is left: partly right, wrong, or unexplained. Further matches are kept as secondary modes.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.gym.open_errors import TOOL_ERROR
from blade_pipeline.method.absences import absences
from blade_pipeline.method.clusters import clusters
from blade_pipeline.method.concentrations import concentrations
from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.failure_rules import DECLINED, NO_ANSWER, OF_TOOL_ERRORS
from blade_pipeline.method.modes import Mode, modes, outcome_masks
from blade_pipeline.method.modes_document import modes_document
from blade_pipeline.method.signals import signals
from blade_pipeline.method.slice_modes import slice_modes
from blade_pipeline.models import Profile
from blade_pipeline.tables import FAILURE_MODES


def failure_modes(aligned: pa.Table, profile: Profile) -> tuple[pa.Table, dict[str, Any]]:
    """Give every failed rollout (measured and not passed) one primary mode.

    Returns:
        ``FAILURE_MODES``, one row per failed rollout in the aligned order, and the document: ``modes`` by falling
        count, ``secondary`` ones by the rollouts that show them beside their primary one, ``not_discriminating``
        symptoms, ``not_measured`` outcomes, ``infrastructure`` suspects, ``slices`` in which modes concentrate, the mix
        of modes ``by_slice``, symptoms that are ``absent``, and messages that are no mode (``untold``).
    """
    marks = signals(aligned)
    mined = clusters(aligned)
    found = modes(aligned, marks, profile, mined.told)
    failed, _ = outcome_masks(marks)
    places = np.flatnonzero(failed)
    shown = np.array([mode.hits[places] for mode in found], dtype=np.bool_).reshape(len(found), len(places))
    primary = _primary(found, shown)
    further = _further(found, shown, primary)
    right = marks["rejected"].take(pa.array(places))
    causing = _causing(found, shown)
    table = _table(aligned, places, found, primary, _secondary(found, further), causing, right)
    document = modes_document(aligned, marks, found, places, primary, causing)
    codes = [mode.code for mode in found]
    masks = {
        entry["code"]: _spread(primary == codes.index(entry["code"]), places, failed) for entry in document["modes"]
    }
    return table, document | {
        "secondary": _counted(found, further),
        "slices": concentrations(aligned, masks),
        "by_slice": slice_modes(aligned["slices"].take(pa.array(places)), primary, codes),
        "absent": absences(marks, found),
        "untold": mined.untold,
    }


def _spread(chosen: Mask, places: NDArray[np.int64], failed: Mask) -> Mask:
    """Marks of the failed rollouts as marks of all rows."""
    mask = np.zeros_like(failed)
    mask[places] = chosen
    return mask


def _primary(found: list[Mode], shown: Mask) -> NDArray[np.int64]:
    """Number of the first mode that each failed rollout shows and that may be primary; the last mode shows always."""
    allowed = np.array([mode.standing != "demoted" for mode in found], dtype=np.bool_)
    first: NDArray[np.int64] = np.argmax(shown & allowed[:, None], axis=0).astype(np.int64)
    return _declining(found, shown, _by_name(found, shown, first))


def _declining(found: list[Mode], shown: Mask, primary: NDArray[np.int64]) -> NDArray[np.int64]:
    """The primary modes, where a missing answer gives way to that the rollout declined: there is none to extract."""
    codes = np.array([mode.code for mode in found])
    declined = (codes == DECLINED.code) & np.array([mode.standing == "primary" for mode in found], dtype=np.bool_)
    if not declined.any():
        return primary
    number = int(np.argmax(declined))
    return np.where((codes[primary] == NO_ANSWER) & shown[number], number, primary)


def _by_name(found: list[Mode], shown: Mask, primary: NDArray[np.int64]) -> NDArray[np.int64]:
    """The primary modes, where errors of tools at large give way to one such error that as many rollouts met.

    Of a dozen rollouts that stopped at an error or met many, the error itself says more than how they took it.
    """
    general = [number for number, mode in enumerate(found) if mode.source == "rule" and mode.code in OF_TOOL_ERRORS]
    counts = [int((primary == number).sum()) for number in general]
    if not any(counts):
        return primary
    rows, chosen = np.isin(primary, general), primary.copy()
    for number in reversed(np.flatnonzero(_are_tool_errors(found))):
        met = rows & shown[number]
        if met.sum() >= max(counts):
            chosen[met] = number
    return chosen


def _causing(found: list[Mode], shown: Mask) -> NDArray[np.int64]:
    """Number of the most severe mode of each failed rollout that proposes a root cause; -1 where none does.

    A more severe mode without a cause hides none: what a verifier says of a change of the tests does not name the
    cause, and the change does.
    """
    causing = np.array([mode.root_cause is not None and mode.standing == "primary" for mode in found], dtype=np.bool_)
    rows = shown & causing[:, None]
    first: NDArray[np.int64] = np.where(rows.any(axis=0), np.argmax(rows, axis=0), -1).astype(np.int64)
    return first


def _cause_names(found: list[Mode], primary: NDArray[np.int64], causing: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of the mode by which each cause goes: where it is how a tool's error was taken, that error.

    So too that the rollout declined, where the cause is that no answer was extracted.
    """
    codes = np.array([mode.code for mode in found])
    taken = np.isin(codes, list(OF_TOOL_ERRORS))[causing] & _are_tool_errors(found)[primary]
    unanswered = (codes[causing] == NO_ANSWER) & (codes[primary] == DECLINED.code)
    return np.where(taken | unanswered, primary, causing)


def _are_tool_errors(found: list[Mode]) -> Mask:
    return np.array([mode.code.startswith(f"{TOOL_ERROR}:") for mode in found], dtype=np.bool_)


def _further(found: list[Mode], shown: Mask, primary: NDArray[np.int64]) -> Mask:
    """The modes beside the primary one that each failed rollout shows; shape (modes, failed rollouts)."""
    rest = shown.copy()
    rest[primary, np.arange(len(primary))] = False
    rest[[mode.fallback for mode in found]] = False
    return rest


def _secondary(found: list[Mode], further: Mask) -> pa.Array:
    """The further modes of each failed rollout, comma-separated in order of precedence."""
    patterns, which = np.unique(np.packbits(further, axis=0), axis=1, return_inverse=True)
    bits = np.unpackbits(patterns, axis=0, count=len(found)).T
    names = [",".join(found[n].code for n in np.flatnonzero(pattern)) or None for pattern in bits]
    return pa.array(names, pa.string()).take(pa.array(which.ravel()))


def _counted(found: list[Mode], further: Mask) -> list[dict[str, Any]]:
    """In how many failed rollouts each mode is a further one, the most frequent first."""
    counts = further.sum(axis=1).tolist()
    entries = [
        {
            "code": mode.code,
            "label": mode.label,
            "source": mode.source,
            "count": count,
            "total_failed": further.shape[1],
        }
        for mode, count in zip(found, counts, strict=True)
        if count
    ]
    return sorted(entries, key=lambda entry: -entry["count"])


def _table(
    aligned: pa.Table,
    places: NDArray[np.int64],
    found: list[Mode],
    primary: NDArray[np.int64],
    rest: pa.Array,
    causing: NDArray[np.int64],
    right: pa.ChunkedArray,
) -> pa.Table:
    failed = aligned.select(["agent", "stage", "task", "repeat", "file", "line"]).take(pa.array(places))
    columns = {name: failed[name] for name in failed.column_names}
    codes = pa.array([mode.code for mode in found], pa.string())
    causes = pa.array([mode.root_cause for mode in found], pa.string())
    by = pa.array(causing, mask=causing < 0)
    named = pa.array(_cause_names(found, primary, causing), mask=causing < 0)
    columns["mode"] = codes.take(pa.array(primary))
    columns |= {
        "secondary": rest,
        "root_cause": causes.take(by),
        "cause_mode": codes.take(named),
        "right_answer": right,
    }
    return pa.table({field.name: columns[field.name] for field in FAILURE_MODES}, schema=FAILURE_MODES)
