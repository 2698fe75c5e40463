"""Failed rollouts grouped by what the verifier said, where it said it in a few words."""

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.concentrations import task_numbers
from blade_pipeline.method.emptied import emptied
from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.near_templates import merged
from blade_pipeline.method.nested import nested_values
from blade_pipeline.method.rejected import ANSWER_FIELDS, EXPECTED_FIELDS
from blade_pipeline.method.signals import numbered
from blade_pipeline.method.sql import query
from blade_pipeline.method.verifier_text import (
    LONGEST_TEXT,
    MESSAGE_FIELDS,
    MESSAGE_HOLDERS,
    code_of,
    priority,
    template,
)
from blade_pipeline.statistics import fisher_p

SMALLEST_CLUSTER = 2
MOST_CLUSTERS = 50
"""The largest clusters are modes of their own; rollouts of smaller ones count as wrong answers."""

_TEXTS = """
    with measured as (from samples where outcome = 'measured'), entries as (
        select position, entry.key as field, entry.key as leaf, '' as parent,
            json_extract_string(entry.value, '$') as value
        from measured, json_each(measured.verifier) as entry where entry.type = 'VARCHAR'
        union all select position, name, leaf, parent, text from nested where type = 'VARCHAR'
    ), said as (
        select position, field, value from entries
        where regexp_matches(leaf, $names) or regexp_matches(parent, $holders)
        union all select position, 'error', error_text from measured
        union all select position, 'failure_reason', failure_reason from measured
        union all select position, 'failure_kind', failure_kind from measured
    ), lines as (
        select position, field, if(length(value) > $longest, regexp_extract(value, '([^\\n]+)\\s*$', 1), value) as value
        from said where value is not null
    )
    select field, regexp_replace(value, '[0-9]', '0', 'g') as value, list(position) as positions from lines
    where length(value) <= $longest group by field, 2 order by field, 2
"""

_OTHER_TEXTS = """
    with entries as (
        select position, entry.key as field, entry.key as leaf, '' as parent,
            json_extract_string(entry.value, '$') as value
        from samples, json_each(samples.verifier) as entry where outcome = 'measured' and entry.type = 'VARCHAR'
        union all select position, name, leaf, parent, text from nested where type = 'VARCHAR'
    ), kinds as materialized (
        select distinct field, leaf, parent from entries
        where not regexp_matches(leaf, $names) and not regexp_matches(parent, $holders)
            and not regexp_matches(leaf, $answers)
    )
    select field, value, list(position) as positions
    from entries join kinds using (field, leaf, parent) where length(value) between 3 and $longest group by field, value
    qualify count(*) over (partition by field) <= $most order by field, value
"""
_MOST_VALUES = 200
"""Different texts beyond which a field that promises no message holds answers rather than messages."""
_FEWEST_TASKS = 3
_LAST = 99
"""After every field whose name promises a message."""
_CHANCE = 0.001
"""p of Fisher's test below which a text of a field that promises no message is told from what passed rollouts carry."""
_WORDS_OF_A_NO = 3
_SHARE_OF_A_NO = 0.95
"""A label of so few words on so many of the failed rollouts, and on no passed one, is another word for no."""

Groups = dict[tuple[str, str], NDArray[np.int64]]


class Cluster(NamedTuple):
    """Rollouts with one message; ``hits`` marks the aligned rows that carry it."""

    code: str
    label: str
    hits: Mask


class _Found(NamedTuple):
    priority: int | None
    failed: int
    code: str
    label: str
    rows: NDArray[np.int64]


class _Outcomes:
    """How many failed and passed rollouts carry a message, against all of them."""

    def __init__(self, aligned: pa.Table) -> None:
        self.passed = np.asarray(aligned["passed"].fill_null(False), dtype=np.bool_)
        self.failed = ~np.asarray(aligned["passed"].fill_null(True), dtype=np.bool_)
        self.tasks = task_numbers(aligned)
        self._totals = int(self.failed.sum()), int(self.passed.sum())
        self._per_task = np.bincount(
            self.tasks[self.failed | self.passed], minlength=int(self.tasks.max(initial=0)) + 1
        )

    def telling(self, rows: NDArray[np.int64]) -> bool:
        """At least two failed rollouts, and at least twice as frequent among failed as among passed ones."""
        failed, passed = self._totals
        with_failed, with_passed = self.counts(rows)
        return with_failed >= SMALLEST_CLUSTER and with_failed * passed >= LIFT * with_passed * failed

    def counts(self, rows: NDArray[np.int64]) -> tuple[int, int]:
        """Failed and passed rollouts among the rows."""
        return int(self.failed[rows].sum()), int(self.passed[rows].sum())

    def beyond_chance(self, rows: NDArray[np.int64]) -> bool:
        """Telling by Fisher's test as well, over several tasks."""
        failed, passed = self._totals
        with_failed, with_passed = self.counts(rows)
        several = len(np.unique(self.tasks[rows[self.failed[rows]]])) >= _FEWEST_TASKS
        return several and float(fisher_p([with_failed], [failed], [with_passed], [passed])[0]) <= _CHANCE

    def only_says_no(self, label: str, rows: NDArray[np.int64]) -> bool:
        """Whether a short label stands on all but a few failed rollouts, and on no passed one."""
        with_failed, with_passed = self.counts(rows)
        short = len(label.replace("_", " ").split()) <= _WORDS_OF_A_NO
        return short and not with_passed and self._totals[1] > 0 and with_failed >= _SHARE_OF_A_NO * self._totals[0]

    def varies(self, rows: NDArray[np.int64]) -> bool:
        """Whether some task has measured rollouts among the rows and others beside: else the text describes tasks."""
        with_text = np.bincount(self.tasks[rows], minlength=len(self._per_task))
        return bool(((with_text > 0) & (with_text < self._per_task)).any())


def clusters(aligned: pa.Table) -> list[Cluster]:
    """Group measured rows by the template of their verifier's short messages, in order of precedence.

    A cluster counts when at least two failed rollouts carry it and it is at least twice as frequent among failed
    rollouts as among passed ones. Fields that promise an error come before reasons, verdicts and statuses, then
    larger clusters before smaller ones. Last come texts of fields whose names promise no message, and fields that are
    empty in failed rollouts only; both must be told from the passed rollouts beyond chance.
    """
    columns = ["outcome", "passed", "verifier", "error_text", "failure_reason", "failure_kind"]
    samples, nested = numbered(aligned.select(columns)), nested_values(aligned)
    outcomes = _Outcomes(aligned)
    parameters: dict[str, object] = {"names": MESSAGE_FIELDS, "holders": MESSAGE_HOLDERS, "longest": LONGEST_TEXT}
    named = _by_template(query(_TEXTS, parameters, samples=samples, nested=nested))
    parameters |= {"answers": f"{ANSWER_FIELDS}|{EXPECTED_FIELDS}", "most": _MOST_VALUES}
    others = _by_template(query(_OTHER_TEXTS, parameters, samples=samples, nested=nested))
    found = [
        _Found(priority(field), outcomes.counts(rows)[0], code_of(field, label), _label(field, label), rows)
        for (field, label), rows in named.items()
        if outcomes.telling(rows) and not (_is_verdict(field) and outcomes.only_says_no(label, rows))
    ]
    unnamed = {**_beyond_chance(others, outcomes), **emptied(samples, nested, outcomes.beyond_chance)}
    found += [
        _Found(_LAST, outcomes.counts(rows)[0], code_of(field, label), _label(field, label), rows)
        for (field, label), rows in unnamed.items()
    ]
    largest = sorted(found, key=lambda each: (-each.failed, each.code))[:MOST_CLUSTERS]
    chosen = sorted(largest, key=lambda each: (each.priority, -each.failed, each.code))
    return [Cluster(each.code, each.label, _mask(each.rows, aligned.num_rows)) for each in chosen]


def _beyond_chance(groups: Groups, outcomes: _Outcomes) -> Groups:
    """The texts that passed rollouts lack beyond chance, and that vary within tasks."""
    return {
        key: rows
        for key, rows in groups.items()
        if outcomes.telling(rows)
        and outcomes.varies(rows)
        and outcomes.beyond_chance(rows)
        and not outcomes.only_says_no(key[1], rows)
    }


def _is_verdict(field: str) -> bool:
    return bool(re.search(r"(^|_)(verdict|outcome|status)(_|$)", field))


def _by_template(texts: pa.Table) -> Groups:
    """Rows by field and template of their message, nearly equal templates together."""
    found: dict[tuple[str, str], list[pa.Array]] = {}
    for field, value, positions in zip(
        texts["field"].to_pylist(), texts["value"].to_pylist(), texts["positions"], strict=True
    ):
        label = template(value)
        if label is not None:
            found.setdefault((field, label), []).append(positions.values)
    joined: dict[tuple[str, str], list[pa.Array]] = {}
    names = merged(list(found))
    for key, parts in found.items():
        joined.setdefault((key[0], names.get(key, key[1])), []).extend(parts)
    several = {key: parts for key, parts in joined.items() if sum(map(len, parts)) >= SMALLEST_CLUSTER}
    return {key: np.unique(np.concatenate([np.asarray(part) for part in parts])) for key, parts in several.items()}


def _mask(rows: NDArray[np.int64], size: int) -> Mask:
    mask = np.zeros(size, dtype=np.bool_)
    mask[rows] = True
    return mask


def _label(field: str, label: str) -> str:
    """The field and its message; codes such as ``judge_failed`` become words."""
    words = label.replace("_", " ") if " " not in label else label
    return f"{field.replace('_', ' ')}: {words}"
