"""Failed rollouts grouped by what the verifier said, where it said it in a few words."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.signals import numbered
from blade_pipeline.method.sql import query
from blade_pipeline.method.verifier_text import LONGEST_TEXT, MESSAGE_FIELDS, code_of, priority, template

SMALLEST_CLUSTER = 2
MOST_CLUSTERS = 50
"""The largest clusters are modes of their own; rollouts of smaller ones count as wrong answers."""

_TEXTS = """
    with measured as (from samples where outcome = 'measured'), entries as (
        select position, entry.key as field, entry.value, entry.type
        from measured, json_each(measured.verifier) as entry where entry.type in ('VARCHAR', 'ARRAY', 'OBJECT')
    ), said as (
        select position, field, json_extract_string(value, '$') as value from entries where type = 'VARCHAR'
        union all
        select position, if(entries.type = 'ARRAY', field, field || '_' || inside.key),
            json_extract_string(inside.value, '$')
        from entries, json_each(entries.value) as inside
        where entries.type in ('ARRAY', 'OBJECT') and inside.type = 'VARCHAR'
        union all select position, 'error', error_text from measured
        union all select position, 'failure_reason', failure_reason from measured
        union all select position, 'failure_kind', failure_kind from measured
    )
    select field, regexp_replace(value, '[0-9]', '0', 'g') as value, list(position) as positions from said
    where regexp_matches(field, $names) and value is not null and length(value) <= $longest
    group by field, 2 order by field, 2
"""


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


def clusters(aligned: pa.Table) -> list[Cluster]:
    """Group measured rows by the template of their verifier's short messages, in order of precedence.

    A cluster counts when at least two failed rollouts carry it and it is at least twice as frequent among failed
    rollouts as among passed ones. Fields that promise an error come before reasons, verdicts and statuses, then
    larger clusters before smaller ones.
    """
    columns = ["outcome", "passed", "verifier", "error_text", "failure_reason", "failure_kind"]
    samples = numbered(aligned.select(columns))
    texts = query(_TEXTS, {"names": MESSAGE_FIELDS, "longest": LONGEST_TEXT}, samples=samples)
    passed = np.asarray(aligned["passed"].fill_null(False), dtype=np.bool_)
    failed = ~np.asarray(aligned["passed"].fill_null(True), dtype=np.bool_)
    found = []
    for (field, label), rows in _by_template(texts).items():
        with_failed, with_passed = int(failed[rows].sum()), int(passed[rows].sum())
        if with_failed >= SMALLEST_CLUSTER and with_failed * passed.sum() >= LIFT * with_passed * failed.sum():
            found.append(_Found(priority(field), with_failed, code_of(field, label), _label(field, label), rows))
    largest = sorted(found, key=lambda each: (-each.failed, each.code))[:MOST_CLUSTERS]
    chosen = sorted(largest, key=lambda each: (each.priority, -each.failed, each.code))
    return [Cluster(each.code, each.label, _mask(each.rows, len(failed))) for each in chosen]


def _by_template(texts: pa.Table) -> dict[tuple[str, str], NDArray[np.int64]]:
    """Rows by field and template of their message."""
    found: dict[tuple[str, str], list[pa.Array]] = {}
    for field, value, positions in zip(
        texts["field"].to_pylist(), texts["value"].to_pylist(), texts["positions"], strict=True
    ):
        label = template(value)
        if label is not None:
            found.setdefault((field, label), []).append(positions.values)
    several = {key: parts for key, parts in found.items() if sum(map(len, parts)) >= SMALLEST_CLUSTER}
    return {key: np.unique(np.concatenate([np.asarray(part) for part in parts])) for key, parts in several.items()}


def _mask(rows: NDArray[np.int64], size: int) -> Mask:
    mask = np.zeros(size, dtype=np.bool_)
    mask[rows] = True
    return mask


def _label(field: str, label: str) -> str:
    """The field and its message; codes such as ``judge_failed`` become words."""
    words = label.replace("_", " ") if " " not in label else label
    return f"{field.replace('_', ' ')}: {words}"
