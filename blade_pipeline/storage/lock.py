"""Locks between processes of one machine; the system frees them when a process dies."""

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
