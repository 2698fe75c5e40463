"""Facts of a report, held against what their queries give on the run's own rows and documents."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from blade_pipeline.method.sql import records
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, Option, claim
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.truths import Truths

_TABLE = ["Id", "Fact"]


class QueriedFacts:
    """Runs the query of a fact; its sentence is not looked at.

    Every value of a query stands in the sentence of its fact, so each figure must be one of them and each of them must
    be said.
    """

    def __init__(self, truths: Truths) -> None:
        self._truths = truths
        self.values = cache(self._values)

    def claims(self, cell: Cell) -> Iterator[Claim]:
        """The sentence of a fact in the table of facts, whose first column is its id."""
        if cell.table.header[:2] == _TABLE and cell.heading == "fact":
            yield from self.of_sentence(cell.name, cell.figures.values())

    def of_sentence(self, fact: str, figures: Iterable[Figure]) -> Iterator[Claim]:
        """The figures of a fact's sentence, each held against a value that no other figure says."""
        values, unsaid, astray = self.values(fact), list(self.values(fact)), []
        for figure in figures:
            found = min(filter(figure.agrees, unsaid), key=lambda value: abs(value - figure.value), default=None)
            if found is None:
                astray.append(figure)
                continue
            unsaid.remove(found)
            yield from claim(figure, [Option(found, f"the query of {fact}")])
        for figure in astray:
            nearest = sorted(unsaid or values, key=lambda value: abs(value - figure.value))
            yield from claim(figure, [Option(value, f"the query of {fact}") for value in nearest])

    def _values(self, fact: str) -> tuple[float, ...]:
        """What the query of a fact gives; nothing where there is none or it needs what is not at hand."""
        query = self._truths.evidence.queries.get(fact)
        if query is None:
            return ()
        try:
            rows = records(query, **self._tables_of(query))
        except duckdb.Error:
            return ()
        values = [value for row in rows[:1] for value in row.values()]
        return () if None in values else tuple(map(float, values))

    def _tables_of(self, query: str) -> dict[str, pa.Table]:
        """The tables that a query names, with the benchmark and run of every row."""
        evidence = self._truths.evidence
        tables = {
            "aligned_samples": evidence.aligned,
            "raw_rollouts": evidence.rows,
            "failure_modes": evidence.modes,
            "outcome_buckets": evidence.buckets,
        }
        named = {name: table for name, table in tables.items() if table is not None and name in query}
        if "pass_at_k" in query:
            counts = self._truths.repeats_of_tasks
            named["pass_at_k"] = pa.table({"measured": [n for n, _ in counts], "passed": [n for _, n in counts]})
        told = {asset: _parts(document, query) for asset, document in evidence.documents.items() if asset in query}
        if "documents" in query:
            texts = [json.dumps(document) for document in told.values()]
            named["documents"] = pa.table({"asset": list(told), "document": texts})
        return {name: self._placed(table) for name, table in named.items()}

    def _placed(self, table: pa.Table) -> pa.Table:
        place: dict[str, Any] = {"benchmark": self._truths.evidence.benchmark, "run": self._truths.evidence.run}
        for name, value in place.items():
            if name not in table.column_names:
                table = table.append_column(name, pa.repeat(pa.scalar(value, pa.string()), table.num_rows))
        return table


def _parts(document: dict[str, Any], query: str) -> dict[str, Any]:
    """The entries of a document that a query names; others may be many times larger."""
    return {name: part for name, part in document.items() if name in query}
