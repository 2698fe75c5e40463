"""Holds every figure and id of a written report against the rows."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from blade_pipeline.method.verification.accounting import accounting_figures
from blade_pipeline.method.verification.behaviour import behaviour_cell, behaviour_sentence
from blade_pipeline.method.verification.cell import cell_of
from blade_pipeline.method.verification.cells import cell_claims
from blade_pipeline.method.verification.claims import Claim
from blade_pipeline.method.verification.comparison import (
    headline_claims,
    pair_of,
    sentence_claims,
    table_claims,
    unknown_flips,
)
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.first_page import rollouts_of_task
from blade_pipeline.method.verification.ids import Cited, Ids, says_absent
from blade_pipeline.method.verification.judging import judged, summed
from blade_pipeline.method.verification.markdown import Said, Table, Unit, parse
from blade_pipeline.method.verification.native_numbers import native_sentence
from blade_pipeline.method.verification.pair_checks import check_cell, check_counts
from blade_pipeline.method.verification.pair_details import detail_cell, detail_sentence
from blade_pipeline.method.verification.prose import prose_claims
from blade_pipeline.method.verification.queried_facts import QueriedFacts
from blade_pipeline.method.verification.sentences import Sentence, is_native, is_of_others, sentence_of
from blade_pipeline.method.verification.sidecar import sidecar_figures
from blade_pipeline.method.verification.stated import Stated
from blade_pipeline.method.verification.subjects import Subjects
from blade_pipeline.method.verification.task_lines import place_claims, task_claims
from blade_pipeline.method.verification.totals import wrong_totals
from blade_pipeline.method.verification.truths import Truths
from blade_pipeline.method.verification.whose_rollouts import Misplaced, WhoseRollouts

Json = dict[str, Any]
_OF_FIRST_PAIR = ("Comparison: ", "What moved: ")
"""The entries of the first page that tell of the first pair."""
_TELLING = 12
"""Characters of a name by which it is found in a sentence that holds no more than its beginning."""


class Verifier:
    """Verifies reports of one run."""

    def __init__(self, evidence: Evidence) -> None:
        truths = Truths(evidence)
        self.truths = truths
        self._subjects = Subjects(truths)
        self._facts = QueriedFacts(truths)
        self._stated = Stated(evidence, truths)
        self._ids = Ids(truths)
        self._whose = WhoseRollouts(truths)
        self._torn = {_run_together(name)[:_TELLING] for name in evidence.torn_names}
        self._comparison: Json = evidence.documents.get("run_comparison") or {}
        self._pairs: list[Json] = self._comparison.get("pairs") or []
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

    def coverage(self, document: Json) -> Json:
        """The same of an accounting as ``coverage.json`` holds it; only numbers that can be recounted are listed."""
        return summed(list(accounting_figures(document, self.truths.evidence.aligned)), [], [])

    def _unit(self, unit: Unit) -> Iterator[Json]:
        sentence = sentence_of(unit.said, unit.path)
        if not sentence.figures:
            return
        sentence = sentence._replace(firm=sentence.firm and self._is_clear(unit.said))
        places = place_claims(unit.said, sentence.figures, self._ids)
        claims = [*places, *task_claims(sentence, self._ids), *prose_claims(sentence, self._subjects)]
        claims += self._claims_on_pair(unit, sentence)
        claims += native_sentence(sentence, self._subjects)
        claims += rollouts_of_task(sentence, unit.path[-1] if unit.path else "", self._subjects)
        if unit.path[-1:] == ("Key findings",) and len(unit.said.facts) == 1:
            claims += self._facts.of_sentence(unit.said.facts[0], sentence.figures.values())
        context = sentence.said.plain()
        names = self._ids.numerals(unit.said)
        for figure in (figure for start, figure in sentence.figures.items() if start not in names):
            yield judged(figure, claims, unit.line, context, self._placing(unit.path))

    def _claims_on_pair(self, unit: Unit, sentence: Sentence) -> Iterator[Claim]:
        pair = pair_of(unit.path, self._pairs)
        yield from behaviour_sentence(sentence.text, sentence.figures, self._comparison)
        if pair is not None:
            yield from sentence_claims(sentence.text, sentence.figures, pair)
            yield from check_counts(sentence.text, sentence.figures, pair)
            yield from detail_sentence(sentence.text, tuple(unit.said.spans), sentence.figures, pair)
        elif self._pairs and sentence.text.startswith(_OF_FIRST_PAIR):
            yield from headline_claims(sentence.text, sentence.figures, self._pairs[0])
            yield from check_counts(sentence.text, sentence.figures, self._pairs[0])

    def _table(self, table: Table) -> Iterator[Json]:
        firm, pair = sentence_of(Said(""), table.path).firm, pair_of(table.path, self._pairs)
        for position, row in enumerate(table.rows):
            for column in range(len(row.cells)):
                cell = cell_of(table, row, column)
                if not cell.figures:
                    continue
                clear = self._is_clear(cell.said)
                claims = cell_claims(cell, position, column, self._subjects, firm=firm, clear=clear)
                claims += place_claims(cell.said, cell.figures, self._ids)
                claims += (*table_claims(table, cell, pair), *detail_cell(table, cell, pair)) if pair else ()
                claims += check_cell(table, cell, pair) if pair else ()
                claims += behaviour_cell(table, cell, self._comparison)
                claims += self._subjects.baseline.of_square(cell)
                claims += self._facts.claims(cell) if clear else ()
                context = f"{cell.name} | {cell.heading} | {cell.said.plain()}"
                for figure in cell.figures.values():
                    yield judged(figure, claims, row.line, context, self._placing(table.path))

    def _placing(self, path: tuple[str, ...]) -> Callable[[Figure], str | None]:
        return lambda figure: self._stated.place(figure, path)

    def _is_clear(self, said: Said) -> bool:
        """Whether it is certain which words of a statement are names."""
        words = _run_together(said.plain()) if self._torn and said.spans else ""
        return not (said.torn or any(name in words for name in self._torn))

    def _ids_of_unit(self, unit: Unit) -> Iterator[Json]:
        said, path = unit.said, unit.path
        theirs = is_native(path) or is_of_others(said, path)
        if not theirs and not says_absent(said) and self._is_clear(said):
            yield from self._wrong_ids(unit.line, self._ids.in_words(said))
            yield from _misplaced(unit.line, self._whose.in_unit(said, path))

    def _ids_of_table(self, table: Table) -> Iterator[Json]:
        if is_of_others(Said(""), table.path):
            yield from unknown_flips(table, pair_of(table.path, self._pairs))
            return
        if all(self._is_clear(said) for row in table.rows[:1] for said in row.cells):
            yield from _misplaced(table.line, self._whose.in_header(table))
        for row in table.rows:
            if any(says_absent(said) for said in row.cells):
                continue
            for column, said in enumerate(row.cells):
                words = self._ids.in_words(said) if self._is_clear(said) else ()
                cited = [*self._ids.in_cell(table, column, said), *words]
                yield from self._wrong_ids(row.line, cited)
            if all(map(self._is_clear, row.cells)):
                yield from _misplaced(row.line, self._whose.in_row(table, row.cells))

    def _wrong_ids(self, line: int, cited: Iterable[Cited]) -> Iterator[Json]:
        for found in sorted(set(cited)):
            if not self._ids.exists(found):
                yield {"line": line, "kind": found.kind, "id": found.id, "problem": "does not exist"}


def _misplaced(line: int, found: Iterable[Misplaced]) -> Iterator[Json]:
    for (kind, name), problem in dict.fromkeys(found):
        yield {"line": line, "kind": kind, "id": name, "problem": problem}


def _run_together(text: str) -> str:
    """Letters and signs without what a report may set otherwise: blanks, backticks and quotes."""
    return "".join(text.replace("`", "").replace('"', "").split())
