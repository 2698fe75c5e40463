"""A run remembers its directory, and a vanished one is told from one never seen."""

from pathlib import Path

import pytest

from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell, Entry, Registry, Store

HERE, THERE = Cell("aime", "m1"), Cell("aime", "m2")


def test_what_was_not_found_is_tombstoned_and_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path)
    both = {cell: Entry(f"/runs/{cell}", "/runs") for cell in (HERE, THERE)}
    registry = Registry.load(store)
    assert registry.mark(both, "2026-01-01") == []
    assert registry.mark({HERE: both[HERE]}, "2026-01-02") == [THERE]
    assert registry.mark({HERE: both[HERE]}, "2026-01-03") == []
    registry.save(store)
    read = Registry.load(store)
    assert read.entries == {HERE: both[HERE], THERE: Entry("/runs/aime/m2", "/runs", "2026-01-02")}
    assert read.roots() == ["/runs"]
    read.mark(both, "2026-01-04")
    assert read.entries == both


def test_a_broken_registry_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "registry.json").write_text("{")
    with pytest.raises(BladeError, match=r"registry\.json is not readable; delete it"):
        Registry.load(Store(tmp_path))
