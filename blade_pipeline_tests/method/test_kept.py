"""One answer per table, for as long as the table lives."""

import weakref

import pyarrow as pa

from blade_pipeline.method.kept import while_it_lives


def test_a_table_is_asked_once_and_another_table_for_itself() -> None:
    asked: list[int] = []

    @while_it_lives
    def rows(table: pa.Table) -> int:
        asked.append(table.num_rows)
        return table.num_rows

    three, two = pa.table({"a": [1, 2, 3]}), pa.table({"a": [1, 2]})
    assert [rows(three), rows(three), rows(two), rows(two), rows(three)] == [3, 3, 2, 2, 3]
    assert asked == [3, 2]


def test_an_answer_goes_with_its_table() -> None:
    @while_it_lives
    def same(table: pa.Table) -> pa.Table:
        return table.select(["a"])

    table = pa.table({"a": [1]})
    answer = weakref.ref(same(table))
    assert answer() is not None
    del table
    assert answer() is None
