"""Locks between processes of one machine; the system frees them when a process dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no flock; writes stay atomic, and two processes may do the same work twice
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock file exclusively; waits for whoever has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        if fcntl is not None:
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextmanager
def in_use(handle: int) -> Iterator[None]:
    """Marks an open file as used by this process until the block ends, whether or not ``handle`` is closed before."""
    if fcntl is None:
        yield
        return
    kept = os.dup(handle)
    try:
        fcntl.flock(kept, fcntl.LOCK_EX)
        yield
    finally:
        os.close(kept)


def is_unused(path: Path) -> bool:
    """Whether no process marks a file as used. Where there are no locks, none is known to be."""
    try:
        with _taken(path):
            return True
    except OSError:
        return False


def remove_unused(path: Path) -> bool:
    """Deletes a file that no process marks as used; answers whether it did. Where there are no locks, it never does."""
    try:
        with _taken(path):
            path.unlink()
    except OSError:
        return False
    return True


@contextmanager
def _taken(path: Path) -> Iterator[None]:
    """Marks a file that no process uses.

    Raises:
        OSError: some process uses it, it is gone, or there are no locks here.
    """
    if fcntl is None:
        raise OSError("there are no locks on this system")
    with path.open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
