"""The short texts that verifiers left, by field: messages, and texts of fields whose names promise none."""

import pyarrow as pa

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS, EXPECTED_FIELDS
from blade_pipeline.method.nested import CHECK_LIST
from blade_pipeline.method.sql import query
from blade_pipeline.method.telling_fields import VERDICT_PARTS
from blade_pipeline.method.verifier_text import LONGEST_TEXT, MESSAGE_FIELDS, MESSAGE_HOLDERS

_ENTRIES = """
    with entries as (
        select position, field, field as leaf, '' as parent, text as value
        from fields where outcome = 'measured' and type = 'VARCHAR'
        union all select position, name, leaf, parent, text from nested where type = 'VARCHAR'
    ), kinds as materialized (
        select *, regexp_matches(leaf, $names) or regexp_matches(parent, $holders) as promising
        from (select distinct field, leaf, parent from entries)
    )
"""
_TEXTS = f"""{_ENTRIES}, measured as (from samples where outcome = 'measured'
    ), judged as (
        select position from (
            from entries select position, field as name, leaf, value as text
            union all from nested select position, name, leaf, text where type = 'NULL')
        where regexp_matches(name, $judges) and regexp_matches(leaf, $verdicts) group by position
        having bool_and(trim(coalesce(text, '')) not in ('', 'none', 'error', 'invalid'))
    ), describing as (
        select field from (
            select field, cell, count(distinct value) as texts, count(*) as rows,
                bool_or(passed) and bool_or(not passed) as mixed
            from entries join measured using (position) group by field, cell)
        group by field
        having max(texts) = 1 and bool_or(mixed) and sum(rows) = (select count(*) from measured)
    ), said as (
        select position, field, value from entries join kinds using (field, leaf, parent)
        where promising and field not in (from describing) and not regexp_matches(value, $check_list)
            and not (regexp_matches(value, $unjudged) and position in (from judged))
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

_NAMES: dict[str, object] = {"names": MESSAGE_FIELDS, "holders": MESSAGE_HOLDERS, "longest": LONGEST_TEXT}


def said_texts(samples: pa.Table, fields: pa.Table, nested: pa.Table, logged: pa.Table) -> pa.Table:
    """``field``, ``value`` with every digit as 0, and ``positions`` of each message.

    A field that holds one text in all rollouts of a task, passed and failed, describes tasks and is no message, and
    neither is a list of named checks with a yes or a no each: what each of these says is a flag (``nested_values``).

    Args:
        samples: rows with ``position``, the number of their task as ``cell``, outcome and texts.
        fields: of their verifier.
        nested: the values inside their lists and objects.
        logged: the lines that were kept of their long logs.
    """
    of_judges = {"judges": _JUDGES, "verdicts": _VERDICTS, "unjudged": _UNJUDGED, "check_list": CHECK_LIST}
    return query(_TEXTS, _NAMES | of_judges, samples=samples, fields=fields, nested=nested, logged=logged)


def other_texts(fields: pa.Table, nested: pa.Table) -> pa.Table:
    """The same of fields whose names promise no message, digits as they are."""
    parameters = {"answers": f"{ANSWER_FIELDS}|{EXPECTED_FIELDS}", "verdicts": VERDICT_PARTS, "most": _MOST_VALUES}
    return query(_OTHER_TEXTS, _NAMES | parameters, fields=fields, nested=nested)
