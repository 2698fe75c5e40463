"""How many files the patch that a rollout left changes."""

import re
from collections.abc import Iterator
from typing import Any

from blade_pipeline.gym.shape import PATCHES, Shape

_HOLDERS = frozenset({"metadata", "info", "result", "submission"})
_FILES = re.compile(r"\n--- (?:a/)?(\S+)[^\n]*\n\+\+\+ (?:b/)?(\S+)")
_NONE = "/dev/null"
_NOTES = (".md", ".rst", ".txt")
_BESIDE_NOTES = (*_NOTES, ".json", ".log")

Row = dict[str, Any]


def patched_files(rows: list[Row], shapes: list[Shape]) -> list[int | None]:
    """Files that each row's own patch changes, adds or deletes; 0 for an empty patch, null without one.

    The row holds it itself or one level deeper. Notes that a harness leaves beside the work are no change: a patch that
    only adds files, all of them notes or data beside notes, counts 0. A text that is no diff counts 1.
    """
    return list(map(_count, rows, shapes))


def _count(row: Row, shape: Shape) -> int | None:
    if not shape.patches and shape.present.isdisjoint(_HOLDERS):
        return None
    patches = [row[name] for name in shape.patches]
    for name in _HOLDERS & shape.present:
        patches += _inside(row[name])
    texts = {patch for patch in patches if isinstance(patch, str)}
    return sum(map(_files, texts)) if texts else None


def _inside(holder: Any) -> Iterator[Any]:
    if isinstance(holder, dict):
        for name, value in holder.items():
            if name.endswith(("patch", "diff")) and PATCHES.match(name):
                yield value


def _files(patch: str) -> int:
    pairs = _FILES.findall(f"\n{patch}")
    if not pairs:
        return int(bool(patch.strip()))
    old = {before for before, _ in pairs if before != _NONE}
    added = {after for before, after in pairs if before == _NONE}
    notes = any(path.endswith(_NOTES) for path in added)
    if notes and not old and all(path.endswith(_BESIDE_NOTES) for path in added):
        return 0
    return len(old | added)
