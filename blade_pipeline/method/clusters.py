"""Failed rollouts grouped by what the verifier said, where it said it in a few words."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.signals import numbered
from blade_pipeline.method.sql import query
from blade_pipeline.method.verifier_text import LONGEST_TEXT, code_of, priority, template

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
    where value is not null and length(value) <= $longest group by field, 2 order by field, 2
"""


class Cluster(NamedTuple):
    """Rollouts with one message; ``hits`` marks the aligned rows that carry it."""

    code: str
    label: str
    hits: Mask


def clusters(aligned: pa.Table) -> list[Cluster]:
    """Group measured rows by the template of their verifier's short messages, in order of precedence.

    A cluster counts when at least two failed rollouts carry it and it is at least twice as frequent among failed
    rollouts as among passed ones. Fields that promise an error come before reasons, verdicts and statuses, then
    larger clusters before smaller ones.
    """
    columns = ["outcome", "passed", "verifier", "error_text", "failure_reason", "failure_kind"]
    samples = numbered(aligned.select(columns))
    texts = query(_TEXTS, {"longest": LONGEST_TEXT}, samples=samples)
    passed = np.asarray(aligned["passed"].fill_null(False), dtype=np.bool_)
    failed = ~np.asarray(aligned["passed"].fill_null(True), dtype=np.bool_)
    found = []
    for (field, label), hits in _by_template(texts, aligned.num_rows).items():
        with_failed, with_passed = int((hits & failed).sum()), int((hits & passed).sum())
        if with_failed >= SMALLEST_CLUSTER and with_failed * passed.sum() >= LIFT * with_passed * failed.sum():
            code = code_of(field, label)
            found.append((priority(field), -with_failed, Cluster(code, _label(field, label), hits)))
    largest = sorted(found, key=lambda entry: (entry[1], entry[2].code))[:MOST_CLUSTERS]
    return [cluster for *_, cluster in sorted(largest, key=lambda entry: (entry[0], entry[1], entry[2].code))]


def _by_template(texts: pa.Table, rows: int) -> dict[tuple[str, str], Mask]:
    """Rows by field and template of their message."""
    found: dict[tuple[str, str], list[pa.Array]] = {}
    fields = {field for field in texts["field"].unique().to_pylist() if priority(field) is not None}
    for field, value, positions in zip(
        texts["field"].to_pylist(), texts["value"].to_pylist(), texts["positions"], strict=True
    ):
        label = template(value) if field in fields else None
        if label is not None:
            found.setdefault((field, label), []).append(positions.values)
    return {key: _mask(parts, rows) for key, parts in found.items() if sum(map(len, parts)) >= SMALLEST_CLUSTER}


def _mask(parts: list[pa.Array], rows: int) -> Mask:
    mask = np.zeros(rows, dtype=np.bool_)
    for part in parts:
        mask[part.to_numpy(zero_copy_only=False)] = True
    return mask


def _label(field: str, label: str) -> str:
    """The field and its message; codes such as ``judge_failed`` become words."""
    words = label.replace("_", " ") if " " not in label else label
    return f"{field.replace('_', ' ')}: {words}"
