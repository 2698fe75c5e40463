"""Failed rollouts grouped by what the verifier said, where it said it in a few words."""

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS, EXPECTED_FIELDS
from blade_pipeline.gym.open_errors import TOOL_ERROR
from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.logged import by_class, equal_lines, logged_lines
from blade_pipeline.method.near_templates import merged
from blade_pipeline.method.nested import nested_values
from blade_pipeline.method.outcomes import SMALLEST, Outcomes
from blade_pipeline.method.signals import numbered
from blade_pipeline.method.sql import query
from blade_pipeline.method.telling_fields import VERDICT_PARTS, telling_fields
from blade_pipeline.method.verifier_text import (
    LONGEST_TEXT,
    MESSAGE_FIELDS,
    MESSAGE_HOLDERS,
    codes_of,
    priority,
    template,
)

MOST_CLUSTERS = 50
"""The largest clusters are modes of their own; rollouts of smaller ones count as wrong answers."""

_ENTRIES = """
    with measured as (from samples where outcome = 'measured'), entries as (
        select position, entry.key as field, entry.key as leaf, '' as parent,
            json_extract_string(entry.value, '$') as value
        from measured, json_each(measured.verifier) as entry where entry.type = 'VARCHAR'
        union all select position, name, leaf, parent, text from nested where type = 'VARCHAR'
    ), kinds as materialized (
        select *, regexp_matches(leaf, $names) or regexp_matches(parent, $holders) as promising
        from (select distinct field, leaf, parent from entries)
    )
"""
_TEXTS = f"""{_ENTRIES}, judged as (
        select position from (
            from entries select position, field as name, leaf, value as text
            union all from nested select position, name, leaf, text where type = 'NULL')
        where regexp_matches(name, $judges) and regexp_matches(leaf, $verdicts) group by position
        having bool_and(trim(coalesce(text, '')) not in ('', 'none', 'error', 'invalid'))
    ), said as (
        select position, field, value from entries join kinds using (field, leaf, parent)
        where promising and not (regexp_matches(value, $unjudged) and position in (from judged))
        union all select position, 'error', error_text from measured
        union all select position, 'failure_reason', failure_reason from measured
        where not (regexp_matches(failure_reason, $unjudged) and position in (from judged))
        union all select position, 'failure_kind', failure_kind from measured
    ), lines as (
        select position, field, if(length(value) > $longest, regexp_extract(value, '([^\\n]+)\\s*$', 1), value) as value
        from said where trim(value) <> ''
            and (length(value) <= $longest or (position, field) not in (select (position, field) from logged))
    )
    select field, regexp_replace(value, '[0-9]', '0', 'g') as value, list(position) as positions from lines
    where length(value) <= $longest group by field, 2 order by field, 2
"""

_OTHER_TEXTS = f"""{_ENTRIES}, others as materialized (
        select field, leaf, parent, regexp_matches(leaf, $answers) or regexp_matches(leaf, $verdicts) as answers
        from kinds where not promising
    )
    select field, value, list(position) as positions
    from entries join others using (field, leaf, parent)
    where not answers and length(value) between 3 and $longest group by field, value
    qualify count(*) over (partition by field) <= $most order by field, value
"""
_JUDGES = r"^(judge|grader|evaluator|scorer)_"
_VERDICTS = r"(^|_)(verdict|label|rating|grade|score|decision)(_|$)"
_UNJUDGED = r"(?i)^(judge|grader|evaluator|scorer)\w*_(failed|failure)$"
"""Reasons that say that a judge failed; in a row that holds the judge's verdicts they only say that these are no."""

_MOST_VALUES = 200
"""Different texts beyond which a field that promises no message holds answers rather than messages."""
_LOGS = r"(^|_)(logs?|notes?|warnings?|stderr|remarks?|info)(_|$)"
"""Names of fields that tell of every rollout something."""

_KNOWN = 0.8
"""Share of the rows of a bare state from which messages speak of the same rows, and say more."""

_LOGGED, _OF_TOOLS, _LAST = 97, 98, 99
"""After every field whose name promises a message come lines of logs, errors of tools, and fields of other names."""

Groups = dict[tuple[str, str], NDArray[np.int64]]


class Cluster(NamedTuple):
    """Rollouts with one message; ``hits`` marks the aligned rows that carry it."""

    code: str
    label: str
    hits: Mask


class _Found(NamedTuple):
    priority: int | None
    failed: int
    field: str
    said: str
    rows: NDArray[np.int64]


def clusters(aligned: pa.Table) -> list[Cluster]:
    """Group measured rows by the template of their verifier's short messages, in order of precedence.

    A cluster counts when at least two failed rollouts carry it and it is at least twice as frequent among failed
    rollouts as among passed ones, beyond chance where passed ones carry it too, or where it is a log or a note of which
    passed ones have some. Fields that promise an error come before reasons, verdicts and statuses, then larger clusters
    before smaller ones; the telling lines of long logs follow, then errors that tools gave and that were not got over.
    Last come texts of fields whose names promise no message, and what flags and lists show by their state alone. Errors
    of tools and these must be told from the passed rollouts beyond chance.
    """
    columns = ["outcome", "passed", "verifier", "error_text", "failure_reason", "failure_kind", "error_lines"]
    samples, nested = numbered(aligned.select(columns)), nested_values(aligned)
    outcomes, logged = Outcomes(aligned), logged_lines(samples)
    parameters: dict[str, object] = {"names": MESSAGE_FIELDS, "holders": MESSAGE_HOLDERS, "longest": LONGEST_TEXT}
    of_judges = {"judges": _JUDGES, "verdicts": _VERDICTS, "unjudged": _UNJUDGED}
    texts = query(_TEXTS, parameters | of_judges, samples=samples, nested=nested, logged=logged)
    named, lines = _by_template(texts), _by_template(equal_lines(logged))
    parameters |= {"answers": f"{ANSWER_FIELDS}|{EXPECTED_FIELDS}", "verdicts": VERDICT_PARTS, "most": _MOST_VALUES}
    others = _by_template(query(_OTHER_TEXTS, parameters, samples=samples, nested=nested))
    found = [
        *_ranked(None, _of_verifier(named, texts, outcomes), outcomes),
        *_ranked(_LOGGED, _of_logs({key: rows for key, rows in lines.items() if key not in named}, outcomes), outcomes),
        *_ranked(_OF_TOOLS, _of_tools(lines, outcomes), outcomes),
        *_ranked(_LAST, _beyond_chance(others, outcomes), outcomes),
    ]
    known = _mask(np.concatenate([np.empty(0, np.int64), *(each.rows for each in found)]), aligned.num_rows)
    states = telling_fields(samples, nested, outcomes)
    said = {key: rows for key, rows in states.items() if known[rows].mean() < _KNOWN}
    found += _ranked(_LAST + 1, said, outcomes)
    largest = sorted(found, key=lambda each: (-each.failed, each.field, each.said))[:MOST_CLUSTERS]
    chosen = sorted(largest, key=lambda each: (each.priority, -each.failed, each.field, each.said))
    codes = codes_of([(each.field, each.said) for each in chosen])
    return [
        Cluster(code, _label(each.field, each.said), _mask(each.rows, aligned.num_rows))
        for code, each in zip(codes, chosen, strict=True)
    ]


def _ranked(rank: int | None, groups: Groups, outcomes: Outcomes) -> list[_Found]:
    """The groups with their place in the order of precedence; without a rank the field's own."""
    return [
        _Found(
            priority(field) if rank is None else rank,
            outcomes.counts(rows)[0],
            field,
            label,
            rows,
        )
        for (field, label), rows in groups.items()
    ]


def _of_verifier(groups: Groups, texts: pa.Table, outcomes: Outcomes) -> Groups:
    """Messages that are told from those of passed rollouts."""
    general = {
        field
        for field, rows in zip(texts["field"].to_pylist(), texts["positions"], strict=True)
        if re.search(_LOGS, field) and outcomes.speaks_of_passed(np.asarray(rows.values))
    }
    return {
        (field, label): rows
        for (field, label), rows in groups.items()
        if outcomes.telling(rows)
        and (not (field in general or outcomes.speaks_of_passed(rows)) or outcomes.beyond_luck(rows))
        and not (_is_verdict(field) and outcomes.only_says_no(label, rows))
    }


def _of_logs(groups: Groups, outcomes: Outcomes) -> Groups:
    """Lines of logs, beyond luck where passed rollouts log some too."""
    general = {field for (field, _), rows in groups.items() if outcomes.speaks_of_passed(rows)}
    return {
        (field, label): rows
        for (field, label), rows in groups.items()
        if field != TOOL_ERROR and outcomes.telling(rows) and (field not in general or outcomes.beyond_luck(rows))
    }


def _of_tools(groups: Groups, outcomes: Outcomes) -> Groups:
    """Errors of tools, which passed rollouts meet as well: only beyond chance."""
    return {
        key: rows
        for key, rows in groups.items()
        if key[0] == TOOL_ERROR and outcomes.telling(rows) and outcomes.beyond_chance(rows)
    }


def line_says(field: str, text: str, label: str | None) -> bool:
    """Whether a line of a log belongs to the cluster of a label; without one, whether it says anything."""
    own = template(text)
    if own is None or label is None:
        return own is not None
    names = [_label(*key) for key in ((field, own), *by_class([(field, own)]))]
    return label in names or (label.endswith("…") and names[0].startswith(label[:-1].rstrip()))


def _beyond_chance(groups: Groups, outcomes: Outcomes) -> Groups:
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
    groups = {key: np.unique(np.concatenate([np.asarray(part) for part in parts])) for key, parts in joined.items()}
    classes = by_class(key for key, rows in groups.items() if len(rows) < SMALLEST)
    groups |= {key: np.unique(np.concatenate([groups[member] for member in group])) for key, group in classes.items()}
    return {key: rows for key, rows in groups.items() if len(rows) >= SMALLEST}


def _mask(rows: NDArray[np.int64], size: int) -> Mask:
    mask = np.zeros(size, dtype=np.bool_)
    mask[rows] = True
    return mask


def _label(field: str, label: str) -> str:
    """The field and its message; codes such as ``judge_failed`` become words."""
    words = label.replace("_", " ") if " " not in label else label
    return f"{field.replace('_', ' ')}: {words}"
