"""What the rows of a benchmark's runs hold: which fields, of which kinds, on how many rows, beside which outcomes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from blade_pipeline.gym.bounded import DROPPED
from blade_pipeline.method.slices import MAX_VALUES
from blade_pipeline.method.sql import records

LONGEST_VALUE = 60
"""Characters beyond which a text is no category."""

_KINDS = {"VARCHAR": "text", "BOOLEAN": "boolean", "DOUBLE": "number", "BIGINT": "number", "UBIGINT": "number"}

_ENTRIES = """
    with entries as (
        select stage, task, outcome = 'measured' and passed as passing, outcome = 'measured' and not passed as failing,
            entry.key as key, entry.type as type, json_extract_string(entry.value, '$') as text
        from samples, json_each(samples.fields) as entry where entry.type <> 'NULL' and entry.key <> $dropped
    ), summary as (
        select key, list(distinct type) as types, count(*) as rows, count(distinct (stage, task)) as tasks,
            count(distinct text) as distinct_values, max(length(text)) as longest,
            count(distinct (stage, task, text)) as pairs
        from entries group by key
    )
"""
_COLUMNS = ["stage", "task", "outcome", "passed", "line", "verifier"]
_TOTALS = """
    select count(*) filter (line is not null) as rows, count(*) filter (outcome = 'measured' and passed) as passed,
        count(*) filter (outcome = 'measured' and not passed) as failed
    from samples
"""
_SUMMARY = _ENTRIES + "select * from summary order by key"
_VALUES = (
    _ENTRIES
    + """
    select key, text, count(*) as rows, count(*) filter (passing) as passed, count(*) filter (failing) as failed
    from entries semi join (select key from summary where distinct_values <= $most and longest <= $longest) using (key)
    where text is not null group by key, text order by key, text
"""
)


class Run(NamedTuple):
    """One analysed run: its name, ``ALIGNED_SAMPLES`` and ``EXPECTED_ROLLOUTS``."""

    name: str
    aligned: pa.Table
    expected: pa.Table


class Outcomes(NamedTuple):
    """Rows that hold a value: all, the passed and the failed ones."""

    rows: int
    passed: int
    failed: int

    def plus(self, other: "Outcomes") -> "Outcomes":
        """The sum of both."""
        return Outcomes(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass
class Field:
    """One field over all runs.

    ``rows`` counts the rows that hold it, ``tasks`` and ``distinct`` the most tasks and different values in one run,
    ``steady`` says whether all rows of a task agree in every run, ``values`` holds the outcomes beside each value of a
    field with few of them, else nothing.
    """

    name: str
    kinds: set[str] = field(default_factory=set)
    rows: int = 0
    tasks: int = 0
    distinct: int = 0
    steady: bool = True
    few: bool = True
    values: dict[str, Outcomes] = field(default_factory=dict)

    def add(self, summary: dict[str, Any], values: Iterable[dict[str, Any]]) -> None:
        """Takes over what one run says."""
        self.kinds |= {_KINDS.get(kind, "nested") for kind in summary["types"]}
        self.rows += summary["rows"]
        self.tasks = max(self.tasks, summary["tasks"])
        self.distinct = max(self.distinct, summary["distinct_values"])
        self.steady &= summary["pairs"] == summary["tasks"]
        self.few &= summary["distinct_values"] <= MAX_VALUES and (summary["longest"] or 0) <= LONGEST_VALUE
        for value in values:
            found = Outcomes(value["rows"], value["passed"], value["failed"])
            known = self.values.get(value["text"])
            self.values[value["text"]] = known.plus(found) if known else found
        if not self.few or len(self.values) > MAX_VALUES:
            self.few, self.values = False, {}

    @property
    def flag(self) -> bool:
        """Whether it holds only yes and no, as booleans or as 0 and 1."""
        numbers = self.kinds == {"number"} and self.few and set(self.values) <= {"0", "1", "0.0", "1.0"}
        return self.kinds == {"boolean"} or (numbers and bool(self.values))


@dataclass
class Seen:
    """Everything the draft rests on, over all runs.

    ``rows`` counts rollouts with a row, ``passed`` and ``failed`` measured ones, ``inputs`` materialized inputs' rows.
    """

    runs: list[str]
    rows: int
    passed: int
    failed: int
    inputs: int
    of_rows: dict[str, Field]
    of_tasks: dict[str, Field]


def look(runs: list[Run]) -> Seen:
    """Reads the fields of all runs, one run at a time."""
    of_rows: dict[str, Field] = {}
    of_tasks: dict[str, Field] = {}
    totals = Counter[str]()
    for run in runs:
        samples = run.aligned.select(_COLUMNS).rename_columns([*_COLUMNS[:-1], "fields"])
        totals.update(records(_TOTALS, samples=samples)[0])
        totals["inputs"] += run.expected.num_rows
        _fields(of_rows, samples)
        _fields(of_tasks, _as_samples(run.expected))
    rows, passed, failed, inputs = (totals[name] for name in ("rows", "passed", "failed", "inputs"))
    return Seen([run.name for run in runs], rows, passed, failed, inputs, of_rows, of_tasks)


def _as_samples(expected: pa.Table) -> pa.Table:
    table = expected.select(["stage", "task", "fields"])
    nothing = pa.nulls(table.num_rows, pa.string()), pa.nulls(table.num_rows, pa.bool_())
    return table.append_column("outcome", nothing[0]).append_column("passed", nothing[1])


def _fields(found: dict[str, Field], samples: pa.Table) -> None:
    parameters: dict[str, object] = {"dropped": DROPPED}
    limits: dict[str, object] = {"most": MAX_VALUES, "longest": LONGEST_VALUE}
    values: dict[str, list[dict[str, Any]]] = {}
    for row in records(_VALUES, parameters | limits, samples=samples):
        values.setdefault(row["key"], []).append(row)
    for summary in records(_SUMMARY, parameters, samples=samples):
        name = summary["key"]
        found.setdefault(name, Field(name)).add(summary, values.get(name, ()))
