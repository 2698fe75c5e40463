"""The pairs of a benchmark's runs as rows of one table: what is asked of every pair in columns, the rest as JSON.

Most runs of a benchmark are alike in most of what is checked, so equal checks are held once.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.tables import PAIRS

Json = dict[str, Any]

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
_ON_TOP = ("run_a", "run_b", "varying", "verdict", "headline_check", "sentence")
_OF_PAIRING = ("common", "only_a", "only_b")
_OF_DIFFERENCE = ("metric", "tasks", "value", "higher_is_better")
_OF_INTERVAL = ("low", "high")


class Pairs:
    """The pairs in order; a whole one is decoded when it is asked for.

    Args:
        table: rows of ``PAIRS``.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    @classmethod
    def of(cls, pairs: Iterable[Mapping[str, Any]]) -> "Pairs":
        """Pairs from whole ones."""
        rows = PairRows()
        for pair in pairs:
            rows.add(pair)
        return cls(rows.table())

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Json]:
        """Every pair in whole, one after the other."""
        return (self.whole(position) for position in range(len(self)))

    @cached_property
    def briefs(self) -> list[Json]:
        """What is asked of every pair, in the shape of a whole one.

        The runs, the verdict with the check that decided and its ``headline_label``, the sentence, the difference with
        its interval for new tasks, and how many tasks they have in common.
        """
        return [_brief(row) for row in self.table.drop_columns(["details", "checks"]).to_pylist()]

    @cached_property
    def positions(self) -> dict[tuple[str, str], int]:
        """Where the pair of two runs stands."""
        names = (self.table[side].to_pylist() for side in ("run_a", "run_b"))
        return {pair: position for position, pair in enumerate(zip(*names, strict=True))}

    def whole(self, position: int) -> Json:
        """A pair as ``comparability.json`` publishes it."""
        pair: Json = json.loads(self.details(position))
        return pair | {"checks": [json.loads(self.check_texts[number].as_py()) for number in self.checks_of(position)]}

    def details(self, position: int) -> str:
        """A pair without its checks, as JSON."""
        text: str = self.table["details"][position].as_py()
        return text

    @cached_property
    def check_texts(self) -> pa.StringArray:
        """The checks that differ from each other, as JSON."""
        return self._checks.values.dictionary

    def checks_of(self, position: int) -> list[int]:
        """Where a pair's checks stand among ``check_texts``."""
        first, after = self._checks.offsets[position].as_py(), self._checks.offsets[position + 1].as_py()
        numbers: list[int] = self._check_numbers[first:after].tolist()
        return numbers

    @cached_property
    def _checks(self) -> pa.ListArray:
        return self.table["checks"].unify_dictionaries().combine_chunks()

    @cached_property
    def _check_numbers(self) -> Any:
        return np.asarray(self._checks.values.indices)


class PairRows:
    """Rows of ``PAIRS`` in the making."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {name: [] for name in PAIRS.names if name != "checks"}
        self._texts: dict[str, int] = {}
        self._numbers: list[int] = []
        self._ends = [0]

    def add(self, pair: Mapping[str, Any]) -> None:
        """A pair that was compared just now."""
        details = as_json({name: value for name, value in pair.items() if name != "checks"})
        for name, value in (*row_of(pair).items(), ("details", details)):
            self._columns[name].append(value)
        self._numbers += [self._texts.setdefault(text, len(self._texts)) for text in map(as_json, pair["checks"])]
        self._ends.append(len(self._numbers))

    def table(self) -> pa.Table:
        """The rows so far."""
        texts = pa.array(list(self._texts), pa.string())
        numbers = pa.array(np.array(self._numbers, dtype=np.int32))
        checks = pa.ListArray.from_arrays(
            pa.array(np.array(self._ends, dtype=np.int32)), pa.DictionaryArray.from_arrays(numbers, texts)
        )
        columns = [pa.array(values, PAIRS.field(name).type) for name, values in self._columns.items()]
        return pa.table([*columns, checks], schema=PAIRS)


def in_order(tables: Iterable[pa.Table], order: Sequence[int]) -> pa.Table:
    """The rows of several tables of ``PAIRS`` by their places in all of them, with the checks in order of appearance.

    So the table of some pairs is the same whether they were compared at once or one after the other.
    """
    table = pa.concat_tables(tables).unify_dictionaries().combine_chunks().take(pa.array(order, pa.int64()))
    checks = table["checks"].combine_chunks()
    numbers, texts = np.asarray(checks.values.indices), checks.values.dictionary
    kept, firsts = np.unique(numbers, return_index=True)
    kept = kept[np.argsort(firsts)]
    places = np.zeros(len(texts), dtype=np.int32)
    places[kept] = np.arange(len(kept))
    values = pa.DictionaryArray.from_arrays(pa.array(places[numbers]), texts.take(pa.array(kept)))
    again = pa.ListArray.from_arrays(checks.offsets, values)
    return table.set_column(table.schema.get_field_index("checks"), PAIRS.field("checks"), again)


def row_of(pair: Mapping[str, Any]) -> Json:
    """The columns of a pair, whole or brief."""
    gap, tasks = pair.get("difference") or {}, pair.get("pairing") or {}
    labels = (check["label"] for check in pair.get("checks", ()) if check["id"] == pair["headline_check"])
    return {
        **{name: pair.get(name) for name in _ON_TOP},
        "sentence": _encodable(pair["sentence"]),
        "headline_label": pair.get("headline_label") or next(labels, None),
        **{name: tasks.get(name) for name in _OF_PAIRING},
        **{name: gap.get(name) for name in _OF_DIFFERENCE},
        **{name: (gap.get("new_tasks") or {}).get(name) for name in _OF_INTERVAL},
    }


def as_json(value: Any) -> str:
    """JSON with sorted keys and no spaces; a lone surrogate, which neither a column nor SQL can hold, becomes ``?``.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    return _encodable(_ENCODER.encode(value))


def _encodable(text: str) -> str:
    return text.encode(errors="replace").decode()


def _brief(row: Mapping[str, Any]) -> Json:
    return {
        **{name: row[name] for name in (*_ON_TOP, "headline_label")},
        "pairing": {name: row[name] for name in _OF_PAIRING},
        "difference": {
            **{name: row[name] for name in _OF_DIFFERENCE},
            "new_tasks": {name: row[name] for name in _OF_INTERVAL},
        },
    }
