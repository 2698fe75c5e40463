"""Holds every figure and id of a written report against the rows."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from blade_pipeline.method.verification.cells import cell_claims
from blade_pipeline.method.verification.claims import Claim
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.ids import Cited, Ids, says_absent
from blade_pipeline.method.verification.markdown import Said, Table, Unit, parse
from blade_pipeline.method.verification.prose import is_native, is_of_others, prose_claims, sentence_of
from blade_pipeline.method.verification.sidecar import sidecar_figures
from blade_pipeline.method.verification.stated import Stated
from blade_pipeline.method.verification.subjects import Subjects
from blade_pipeline.method.verification.task_lines import place_claims, task_claims
from blade_pipeline.method.verification.totals import wrong_totals
from blade_pipeline.method.verification.truths import Truths

Json = dict[str, Any]
CONFIRMED, CONTRADICTED, UNPLACED = "confirmed", "contradicted", "unplaced"
_CONTEXT = 160


class Verifier:
    """Verifies reports of one run."""

    def __init__(self, evidence: Evidence) -> None:
        truths = Truths(evidence)
        self.truths = truths
        self._subjects = Subjects(truths)
        self._stated = Stated(evidence, truths)
        self._ids = Ids(truths)
        self._clear = evidence.clear_names
        self._names = {name.lower() for name in (*(value for _, value in truths.slices), *truths.agents, *truths.modes)}

    def report(self, text: str) -> Json:
        """What a Markdown report says that the data bear out, contradict, or leave open.

        Keys: ``figures`` (line, text, context, status confirmed | contradicted | unplaced, right, by), ``totals``
        (totals that do not add up), ``ids`` (cited ids that do not exist, or that stand elsewhere), ``counts``,
        ``ok``: nothing contradicted, no wrong total, no unknown id.
        """
        figures: list[Json] = []
        totals: list[Json] = []
        ids: list[Json] = []
        for part in parse(text):
            if isinstance(part, Table):
                figures.extend(self._table(part))
                totals.extend(wrong_totals(part, self._names))
                ids.extend(self._ids_of_table(part))
            else:
                figures.extend(self._unit(part))
                ids.extend(self._ids_of_unit(part))
        return summed(figures, totals, ids)

    def sidecar(self, document: Json) -> Json:
        """The same of a metrics document, whose figures are named by their path."""
        return summed(list(sidecar_figures(document, self.truths)), [], [])

    def _unit(self, unit: Unit) -> Iterator[Json]:
        sentence = sentence_of(unit.said, unit.path)
        sentence = sentence._replace(firm=sentence.firm and self._is_clear(unit.said))
        places = place_claims(unit.said, sentence.figures, self._ids)
        claims = [*places, *task_claims(sentence, self._ids), *prose_claims(sentence, self._subjects)]
        context = sentence.said.plain()
        names = self._ids.numerals(unit.said)
        for figure in (figure for start, figure in sentence.figures.items() if start not in names):
            yield self._judged(figure, claims, unit.line, context, unit.path)

    def _table(self, table: Table) -> Iterator[Json]:
        firm = sentence_of(Said(""), table.path).firm
        for position, row in enumerate(table.rows):
            for column in range(len(row.cells)):
                clear = self._is_clear(row.cells[column])
                cell, claims = cell_claims(table, position, column, self._subjects, firm=firm, clear=clear)
                claims += place_claims(cell.said, cell.figures, self._ids)
                context = f"{cell.name} | {cell.heading} | {cell.said.plain()}"
                for figure in cell.figures.values():
                    yield self._judged(figure, claims, row.line, context, table.path)

    def _judged(self, figure: Figure, claims: Iterable[Claim], line: int, context: str, path: tuple[str, ...]) -> Json:
        own = [claim for claim in claims if claim.figure.start == figure.start]
        wrong = next((claim for claim in own if claim.firm and claim.borne_out() is None), None)
        told: Json = {"line": line, "text": figure.text, "context": context[:_CONTEXT]}
        if wrong is not None:
            first = wrong.options[0]
            return told | {"status": CONTRADICTED, "right": figure.written(first.right), "by": first.what}
        borne = next((option for claim in own if (option := claim.borne_out()) is not None), None)
        by = borne.what if borne is not None else self._stated.place(figure, path)
        return told | {"status": UNPLACED if by is None else CONFIRMED, "right": None, "by": by}

    def _is_clear(self, said: Said) -> bool:
        """Whether it is certain which words of a statement are names."""
        return not said.torn and (self._clear or not said.spans)

    def _ids_of_unit(self, unit: Unit) -> Iterator[Json]:
        said, path = unit.said, unit.path
        theirs = is_native(path) or is_of_others(said, path)
        if not theirs and not says_absent(said) and self._is_clear(said):
            yield from self._wrong_ids(unit.line, self._ids.in_words(said), said)

    def _ids_of_table(self, table: Table) -> Iterator[Json]:
        for row in table.rows:
            if any(says_absent(said) for said in row.cells):
                continue
            for column, said in enumerate(row.cells):
                words = self._ids.in_words(said) if self._is_clear(said) else ()
                cited = [*self._ids.in_cell(table, column, said), *words]
                yield from self._wrong_ids(row.line, cited, said)

    def _wrong_ids(self, line: int, cited: Iterable[Cited], said: Said) -> Iterator[Json]:
        for found in sorted(set(cited)):
            if not self._ids.exists(found):
                yield {"line": line, "kind": found.kind, "id": found.id, "problem": "does not exist"}
        for found in self._ids.misjudged(said):
            yield {"line": line, "kind": found.kind, "id": found.id, "problem": "did not end so"}


def summed(figures: list[Json], totals: list[Json], ids: list[Json]) -> Json:
    """The result with its counts."""
    statuses = Counter(figure["status"] for figure in figures)
    counts = {status: statuses[status] for status in (CONFIRMED, CONTRADICTED, UNPLACED)}
    counts |= {"wrong_totals": len(totals), "wrong_ids": len(ids)}
    ok = not (counts[CONTRADICTED] or totals or ids)
    return {"ok": ok, "counts": counts, "figures": figures, "totals": totals, "ids": ids}
