"""Rows kept, numbered and put in order."""

import pyarrow as pa

from blade_pipeline.method.arrays import by_position, row_numbers, rows_where


def test_rows_are_put_in_order_and_ordered_ones_are_not_copied() -> None:
    mixed = pa.table({"position": [2, 0, 1], "name": ["c", "a", "b"]})
    ordered = by_position(mixed)
    assert ordered.to_pydict() == {"position": [0, 1, 2], "name": ["a", "b", "c"]}
    assert by_position(ordered) is ordered


def test_a_mask_of_all_rows_gives_the_very_table_and_null_marks_nothing() -> None:
    table = pa.table({"name": ["a", "b", "c"]})
    assert rows_where(table, pa.chunked_array([[True, True, True]])) is table
    assert rows_where(table, pa.chunked_array([[True, None, False]]))["name"].to_pylist() == ["a"]
    assert rows_where(table, pa.chunked_array([[True, True, None]]))["name"].to_pylist() == ["a", "b"]


def test_rows_are_numbered_from_0() -> None:
    assert row_numbers(pa.table({"name": ["a", "b"]})).to_pylist() == [0, 1]
