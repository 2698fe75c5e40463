"""The data version follows the content and nothing else."""

import pyarrow as pa
import pytest

from blade_pipeline.columns import NUMBERS
from blade_pipeline.storage import Artifact, data_version


def sample() -> pa.Table:
    return pa.table(
        {
            "n": pa.array([1, None, 3]),
            "passed": pa.array([True, None, False]),
            "text": pa.array(["a", None, "ü"]),
            "numbers": pa.array([[("reward", 1.0)], None, []], type=NUMBERS),
            "list": pa.array([[1, 2], None, []], type=pa.list_(pa.int64())),
        }
    )


def version(table: pa.Table) -> str:
    return data_version(Artifact(table))


def test_chunks_and_slices_do_not_count() -> None:
    table = sample()
    doubled = pa.concat_tables([table, table])
    assert version(pa.concat_tables([table.slice(0, 1), table.slice(1)])) == version(table)
    assert version(doubled.slice(3)) == version(table)
    assert version(doubled.combine_chunks().slice(3)) == version(table)
    assert version(table.replace_schema_metadata({"written by": "someone"})) == version(table)


def test_of_texts_that_are_held_once_only_the_texts_count() -> None:
    """Order and surplus of the dictionary are no content; 40,000 entries take several pieces."""

    def coded(numbers: list[int | None], texts: list[str]) -> str:
        flat = pa.DictionaryArray.from_arrays(pa.array(numbers * 10_000, pa.int32()), pa.array(texts))
        return version(pa.table({"list": pa.ListArray.from_arrays(pa.array([0, 7, len(flat)], pa.int32()), flat)}))

    assert coded([0, 1, None, 0], ["a", "b"]) == coded([2, 0, None, 2], ["b", "c", "a"])
    assert coded([0, 1, None, 0], ["a", "b"]) != coded([0, 1, None, 1], ["a", "b"])


def test_what_lies_beneath_a_null_does_not_count() -> None:
    mask = pa.array([False, True, False])
    one = pa.table({"n": pa.Array.from_buffers(pa.int64(), 3, [_bitmap(mask), pa.py_buffer(_longs(1, 7, 3))])})
    other = pa.table({"n": pa.Array.from_buffers(pa.int64(), 3, [_bitmap(mask), pa.py_buffer(_longs(1, 8, 3))])})
    assert one["n"].to_pylist() == other["n"].to_pylist() == [1, None, 3]
    assert version(one) == version(other)


@pytest.mark.parametrize(
    "column",
    [
        {"n": pa.array([1, None, 4])},
        {"n": pa.array([1, 0, 3])},
        {"passed": pa.array([True, None, True])},
        {"numbers": pa.array([[("reward", 1.0)], [], None], type=NUMBERS)},
        {"numbers": pa.array([[("score", 1.0)], None, []], type=NUMBERS)},
        {"list": pa.array([[1], None, [2]], type=pa.list_(pa.int64()))},
    ],
    ids=["value", "null is no zero", "boolean", "null is no empty map", "map key", "list boundary"],
)
def test_every_difference_counts(column: dict[str, pa.Array]) -> None:
    (name, values) = next(iter(column.items()))
    table = sample()
    changed = table.set_column(table.schema.get_field_index(name), name, values)
    assert version(changed) != version(table)


def test_names_types_and_documents_count() -> None:
    table = sample()
    assert version(table.rename_columns(["m", *table.column_names[1:]])) != version(table)
    assert version(pa.table({"n": pa.array([1.0])})) != version(pa.table({"n": pa.array([1])}))
    assert data_version(Artifact(table, {"a": 1})) != version(table)
    assert data_version(Artifact(document={"a": 1, "b": 2})) == data_version(Artifact(document={"b": 2, "a": 1}))


def test_the_versioned_document_stands_for_the_document() -> None:
    growing = [Artifact(document={"log": size, "model": "m"}, versioned={"model": "m"}) for size in (1, 2)]
    assert data_version(growing[0]) == data_version(growing[1])


def test_a_document_with_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        data_version(Artifact(document={"score": float("nan")}))


def _bitmap(mask: pa.Array) -> pa.Buffer:
    valid = sum(1 << n for n, null in enumerate(mask.to_pylist()) if not null)
    return pa.py_buffer(bytes([valid]))


def _longs(*values: int) -> bytes:
    return b"".join(value.to_bytes(8, "little") for value in values)
