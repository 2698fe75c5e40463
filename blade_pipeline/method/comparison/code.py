"""Whether two runs were scored by the same code.

What scored a run is the commit that the job installed, else the Gym inside the driver container; the submitter's
commit stands in only where neither is known. A name that can come to mean something else is never called the same.
"""

import re

from blade_pipeline.method.comparison.check import Check, Comparable, check, status_of
from blade_pipeline.method.comparison.side import Side

_CHANGED = "-dirty"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_HEX = re.compile(r"[0-9a-f]{4,64}")
_VERSION = re.compile(r"v?\d+(\.\d+)+([.+-]?[0-9A-Za-z]+)*")
_MOVING_TAGS = frozenset({"latest", "main", "master", "nightly", "dev", "develop", "edge", "stable", "rolling", "head"})

COMPARED = (
    Comparable("scoring_commit", "code", True, "the Gym commit that scored the run"),
    Comparable("driver_container", "code", True, "the driver container"),
    Comparable("submitter_commit", "code", False, "the submitter's Gym commit"),
    Comparable("gym_version", "code", False, "the Gym version"),
    Comparable("image", "code", False, "the serving image"),
)
REFS = frozenset({"scoring_commit", "submitter_commit"})
_LABELS = {item.key: item.label for item in COMPARED}

DIRTY = "a -dirty commit holds changes that nobody can look up, so equal names are not equal code"


def code_checks(a: Side, b: Side) -> list[Check]:
    """The checks of the group ``code``, in the order in which they decide."""
    container = _check(a, b, "driver_container", note=_image_note(a, b, "driver_container"))
    scoring = _scoring(a, b, container)
    found = [scoring, container, _submitter(a, b, [scoring, container])]
    found.append(_check(a, b, "gym_version", blocking=False))
    return [*found, _check(a, b, "image", blocking=False, note=_image_note(a, b, "image"))]


def _check(
    a: Side, b: Side, key: str, *, blocking: bool = True, note: str | None = None, also: str | None = None
) -> Check:
    """A manifest value of both sides; with a note two equal values are unknown, since the name may have moved."""
    left, right = a.value(key), b.value(key)
    status = name_status(left, right) if key in REFS else status_of(left, right)
    return check(
        key,
        "code",
        "unknown" if note and status == "same" else status,
        a=left,
        b=right,
        source_a=a.source(key),
        source_b=b.source(key),
        blocking=blocking,
        label=_LABELS[key],
        note=note or also,
    )


def _scoring(a: Side, b: Side, container: Check) -> Check:
    found = _check(a, b, "scoring_commit", note=_commit_note(a, b))
    if a.value("scoring_commit") is None and b.value("scoring_commit") is None and container["a"] and container["b"]:
        sides = {key: container[key] for key in ("status", "a", "b", "source_a", "source_b")}
        return found | sides | {"note": "no commit was installed: the driver container's Gym"}
    return found


def _submitter(a: Side, b: Side, stronger: list[Check]) -> Check:
    """The commit of the submitting machine: it decides only where nothing better is known and it differs."""
    key, silent = "submitter_commit", all(found["a"] is None and found["b"] is None for found in stronger)
    decides = silent and status_of(a.value(key), b.value(key)) == "different"
    words = "no file says what scored; the submitter's commit is all that is known" if decides else None
    note = _dirty(a.value(key), b.value(key))
    return _check(a, b, key, blocking=decides, note=note, also=words)


def name_status(left: object, right: object) -> str:
    """Status of two names of code: a commit, a tag and a branch cannot be held against each other.

    Neither equal branches nor equal -dirty commits are the same code for sure.
    """
    if left is None or right is None or _kind(left) != _kind(right):
        return "unknown"
    if left != right and not _one_commit(left, right):
        return "different"
    return "unknown" if _kind(left) == "branch" or _dirty(left, right) else "same"


def _commit_note(a: Side, b: Side) -> str | None:
    left, right = (side.value("scoring_commit") for side in (a, b))
    if left is None or right is None:
        return None
    kinds = _kind(left), _kind(right)
    if kinds[0] != kinds[1] or (left == right and kinds[0] == "branch"):
        branch = next((name for name, kind in zip((left, right), kinds, strict=True) if kind == "branch"), None)
        if branch is None:
            return "a tag and a commit may name one code or two"
        return f"{branch} is a branch, which is looked up anew when each job starts"
    return _dirty(left, right)


def _kind(name: object) -> str:
    """Whether a name of code is that of a ``commit``, a ``tag`` or a ``branch``."""
    text = str(name).lower().removesuffix(_CHANGED)
    return "commit" if _HEX.fullmatch(text) else "tag" if _VERSION.fullmatch(text) else "branch"


def _one_commit(left: object, right: object) -> bool:
    """Whether two names are one commit, in full or cut short, both clean or both dirty."""
    short, full = sorted((str(left).lower(), str(right).lower()), key=len)
    if short.endswith(_CHANGED) and full.endswith(_CHANGED):
        short, full = short.removesuffix(_CHANGED), full.removesuffix(_CHANGED)
    return all(_COMMIT.fullmatch(name) for name in (short, full)) and full.startswith(short)


def _dirty(left: object, right: object) -> str | None:
    return DIRTY if any(str(value).endswith(_CHANGED) for value in (left, right)) else None


def _image_note(a: Side, b: Side, key: str) -> str | None:
    """Why two equal image names may be two images; None where the tag or digest pins them."""
    left, right = a.value(key), b.value(key)
    if left is None or left != right or "@sha256:" in str(left):
        return None
    _, colon, tag = str(left).rpartition("/")[2].partition(":")
    if not colon:
        return "the image has no tag, so equal names may be two images"
    return f"the tag {tag} moves, so equal names may be two images" if tag.lower() in _MOVING_TAGS else None
