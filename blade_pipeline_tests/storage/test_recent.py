"""Tables that are read again are the same table, as long as there is room for them."""

import pyarrow as pa
import pytest

from blade_pipeline.storage import Artifact, encoding
from blade_pipeline.storage.encoding import decode_parquet, encode
from blade_pipeline.storage.recent import RecentTables

EIGHT_BYTES_EACH = [pa.table({"n": pa.array([number], pa.int64())}) for number in range(3)]


def _read(recent: RecentTables, number: int) -> pa.Table:
    """A fresh copy of the table as it is decoded, or the one that is kept."""
    return recent.table(str(number).encode(), lambda: EIGHT_BYTES_EACH[number].slice(0))


def test_the_same_bytes_are_one_table_and_other_bytes_another() -> None:
    first, second = (encode(Artifact(pa.table({"n": [number]}), {"from": number}))[1] for number in (1, 2))
    once, again, other = decode_parquet(first).artifact, decode_parquet(first).artifact, decode_parquet(second).artifact
    assert again.table is once.table
    assert other.table is not None
    assert other.table.to_pydict() == {"n": [2]}
    assert once.document == again.document == {"from": 1}
    assert once.document is not again.document, "a document can be changed by who reads it"


def test_the_table_that_was_not_read_for_longest_goes_first() -> None:
    recent = RecentTables(limit=16)
    zero, one = _read(recent, 0), _read(recent, 1)
    assert _read(recent, 0) is zero
    _read(recent, 2)
    assert _read(recent, 0) is zero
    assert _read(recent, 1) is not one


def test_a_table_larger_than_the_room_for_all_is_not_kept_and_drives_none_out() -> None:
    recent = RecentTables(limit=16)
    small = _read(recent, 0)
    large = pa.table({"n": pa.array([1, 2, 3], pa.int64())})
    assert recent.table(b"large", lambda: large.slice(0)) is not recent.table(b"large", lambda: large.slice(0))
    assert _read(recent, 0) is small


def test_of_a_large_table_only_the_named_columns_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"task": ["1", "2"], "usage": ["much", "little"], "line": [3, 4]})
    _, content, version = encode(Artifact(table, {"from": 1}))
    assert decode_parquet(content, ["line", "task"]).artifact.table == table
    monkeypatch.setattr(encoding, "LIMIT", 0)
    large = decode_parquet(content, ["line", "task", "of another version"])
    assert large.artifact.table == pa.table({"task": ["1", "2"], "line": [3, 4]})
    assert (large.artifact.document, large.version) == ({"from": 1}, version)
    assert decode_parquet(content).artifact.table == table
