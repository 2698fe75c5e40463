"""The code version of a stage: a digest of the sources that it runs.

Nobody has to remember to raise a number: a changed room recomputes its stages, and the wave stops at the first
artifact that comes out the same.
"""

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
_SHARED = (
    "columns.py",
    "tables.py",
    "models.py",
    "rewards.py",
    "rounding.py",
    "storage/version.py",
    "storage/encoding.py",
)
_ANALYSIS = ("method", "statistics")
ROOMS = {
    "run_files": ("gym",),
    "team_files": ("method/profiles.py", "method/teamfile.py", "method/expressions.py", "method/allowed.py"),
    "samples": _ANALYSIS,
    "scores": _ANALYSIS,
    "diagnosis": _ANALYSIS,
    "comparison": _ANALYSIS,
    "excerpts": (*_ANALYSIS, "gym"),
    "reports": (*_ANALYSIS, "reporting"),
    "sharing": (*_ANALYSIS, "reporting", "gym/private.py"),
}
"""The sources that the stages of a group run, relative to the package."""


def code_version(stage: str, group: str) -> str:
    """Sixteen hex digits over the stage's module and the rooms of its group."""
    return source_digest(PACKAGE, (*_SHARED, f"assets/{stage}.py", *ROOMS[group]))


def analysis_code() -> str:
    """Sixteen hex digits over everything between the files of a run and its report."""
    return source_digest(PACKAGE, (*_SHARED, "gym", *ROOMS["reports"], "assets"))


def source_digest(package: Path, places: Iterable[str]) -> str:
    """Digest of every source file at some places, by name and content; caches are no sources."""
    total = hashlib.sha256()
    for place in places:
        total.update(f"{place}\n{_digest_of(package, place)}\n".encode())
    return total.hexdigest()[:16]


@functools.cache
def _digest_of(package: Path, place: str) -> str:
    root = package / place
    files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if _is_source(path))
    total = hashlib.sha256()
    for path in files:
        total.update(path.relative_to(package).as_posix().encode() + b"\n")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _is_source(path: Path) -> bool:
    return path.is_file() and path.suffix != ".pyc" and "__pycache__" not in path.parts
