"""Failed rollouts grouped by what the verifier said, where it said it in a few words."""

from typing import NamedTuple

import pyarrow as pa

from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.signals import numbered
from blade_pipeline.method.sql import query
from blade_pipeline.method.verifier_text import LONGEST_TEXT, code_of, priority, template

SMALLEST_CLUSTER = 2

_TEXTS = """
    with measured as (from samples where outcome = 'measured'), said as (
        select position, entry.key as field, json_extract_string(entry.value, '$') as value
        from measured, json_each(measured.verifier) as entry where entry.type = 'VARCHAR'
        union all select position, 'error', error_text from measured
        union all select position, 'failure_reason', failure_reason from measured
        union all select position, 'failure_kind', failure_kind from measured
    )
    select distinct position, field, value from said
    where value is not null and length(value) <= $longest
"""

_COUNTED = """
    with said as (select distinct position, code from texts join templates using (field, value)),
    totals as (
        select count(*) filter (not passed) as failed, count(*) filter (passed) as passed
        from samples where outcome = 'measured'
    ), counted as (
        select code, count(*) filter (not passed) as failed_with, count(*) filter (passed) as passed_with
        from said join samples using (position) group by code
    )
    select code, failed_with from counted cross join totals
    where failed_with >= $smallest
        and failed_with * totals.passed >= $lift * passed_with * totals.failed
    order by code
"""

_HITS = """
    select distinct position, code from texts join templates using (field, value) semi join kept using (code)
"""


class Clusters(NamedTuple):
    """Clusters of equal messages, in order of precedence, and the rows (``position``, ``code``) that carry them."""

    labels: dict[str, str]
    hits: pa.Table


def clusters(aligned: pa.Table) -> Clusters:
    """Group measured rows by the template of their verifier's short messages.

    A cluster counts when at least two failed rollouts carry it and it is at least twice as frequent among failed
    rollouts as among passed ones. Fields that promise an error come before reasons, verdicts and statuses, then
    larger clusters before smaller ones.
    """
    columns = ["outcome", "passed", "verifier", "error_text", "failure_reason", "failure_kind"]
    samples = numbered(aligned.select(columns))
    texts = query(_TEXTS, {"longest": LONGEST_TEXT}, samples=samples)
    found = _templates(texts)
    known = {code: (field, label) for field, _, code, label in found}
    templates = pa.table(
        {
            "field": pa.array([row[0] for row in found], pa.string()),
            "value": pa.array([row[1] for row in found], pa.string()),
            "code": pa.array([row[2] for row in found], pa.string()),
        }
    )
    samples = samples.select(["position", "outcome", "passed"])
    limits: dict[str, object] = {"smallest": SMALLEST_CLUSTER, "lift": LIFT}
    kept = query(_COUNTED, limits, texts=texts, templates=templates, samples=samples)
    sizes = dict(zip(kept["code"].to_pylist(), kept["failed_with"].to_pylist(), strict=True))
    order = sorted(sizes, key=lambda code: (priority(known[code][0]), -sizes[code], code))
    hits = query(_HITS, texts=texts, templates=templates, kept=kept.select(["code"]))
    return Clusters({code: _label(*known[code]) for code in order}, hits)


def _templates(texts: pa.Table) -> list[tuple[str, str, str, str]]:
    """Field, value, code and label of every distinct message that has a template."""
    distinct = query("select distinct field, value from texts order by field, value", texts=texts)
    fields = {field for field in set(distinct["field"].to_pylist()) if priority(field) is not None}
    found = []
    for field, value in zip(distinct["field"].to_pylist(), distinct["value"].to_pylist(), strict=True):
        label = template(value) if field in fields else None
        if label is not None:
            found.append((field, value, code_of(field, label), label))
    return found


def _label(field: str, label: str) -> str:
    """The field and its message; codes such as ``judge_failed`` become words."""
    words = label.replace("_", " ") if " " not in label else label
    return f"{field.replace('_', ' ')}: {words}"
