"""Who counts as dead among the holders of locks in an object store."""

from types import SimpleNamespace
from uuid import uuid4

import fsspec
import pytest

from blade_pipeline.storage import lease


class Watched:
    """A holder's signs of life in memory, a watch on them, and the clock of whoever watches."""

    def __init__(self) -> None:
        self._filesystem = fsspec.filesystem("memory")
        self._folder = f"/{uuid4()}"
        self._watch = lease._Watch(self._filesystem, self._folder)
        self._now = 1000.0

    def monotonic(self) -> float:
        return self._now

    def signs(self, beat: int) -> None:
        self._filesystem.pipe_file(f"{self._folder}/.holders/one", str(beat).encode())

    def is_dead_after(self, seconds: float) -> bool:
        self._now += seconds
        return self._watch.is_dead("one")


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    """A holder that gave its first sign, seen just now."""
    found = Watched()
    monkeypatch.setattr(lease, "time", SimpleNamespace(monotonic=found.monotonic))
    found.signs(0)
    assert not found.is_dead_after(0)
    return found


def test_a_holder_is_dead_after_a_minute_without_a_sign(watched: Watched) -> None:
    assert [watched.is_dead_after(10) for _ in range(7)] == [False] * 6 + [True]


def test_each_sign_begins_another_minute(watched: Watched) -> None:
    assert not any(watched.is_dead_after(10) for _ in range(6))
    watched.signs(1)
    assert [watched.is_dead_after(10) for _ in range(8)] == [False] * 7 + [True]


def test_a_machine_that_slept_for_an_hour_takes_no_lock_from_a_holder_that_slept_beside(watched: Watched) -> None:
    """The hour counts as the ten seconds in which a holder would have given its next sign."""
    assert not watched.is_dead_after(3600)
    assert [watched.is_dead_after(10) for _ in range(6)] == [False] * 5 + [True]


def test_a_holder_that_ended_is_dead_at_once() -> None:
    assert Watched().is_dead_after(0)
