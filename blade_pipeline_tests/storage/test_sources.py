"""A digest is trusted only while the file's stamp is the same."""

import os
from pathlib import Path

from blade_pipeline.storage import SourceMemo, Store, stamp_of


def test_the_stamp_moves_with_size_time_and_identity(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one")
    first = stamp_of([file])
    assert stamp_of([file]) == first
    os.utime(file, ns=(1, 1))
    touched = stamp_of([file])
    file.unlink()
    gone = stamp_of([file])
    assert len({first, touched, gone}) == 3


def test_processes_learn_from_each_other(tmp_path: Path) -> None:
    store = Store(tmp_path)
    one, other = SourceMemo(store), SourceMemo(store)
    one.put("raw/aime/m1", "stamp", "digest 1")
    other.put("raw/aime/m2", "stamp", "digest 2")
    one.save()
    other.save()
    fresh = SourceMemo(store)
    assert fresh.get("raw/aime/m1", "stamp") == "digest 1"
    assert fresh.get("raw/aime/m2", "stamp") == "digest 2"
    assert fresh.get("raw/aime/m2", "another stamp") is None
    assert SourceMemo(store, trusted=False).get("raw/aime/m1", "stamp") is None


def test_a_broken_memo_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "sources.json").write_text("[1")
    assert SourceMemo(Store(tmp_path)).get("raw", "stamp") is None
