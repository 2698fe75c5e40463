"""Failed rollouts whose answer on record is right, as far as their rows can tell.

It equals the expected answer, or one that another repeat of the task passed with; or a verdict field says yes, which
elsewhere tells passing from failing rollouts. Two answers are equal when they differ in notation only: case, spaces,
emphasis, quotation marks, thousands separators, trailing zeros, and words around a lone number.
"""

import pyarrow as pa

from blade_pipeline.method.sql import query

LIFT = 2.0
"""How much more often a verdict field must say yes of passed rollouts than of failed ones to be believed."""

LONGEST = 200
"""Characters beyond which an answer is a text of its own, whose notation nobody can set aside."""

ANSWER_FIELDS = "|".join(
    [
        r"(?i)^extracted_",
        r"^(model_|raw_)?(preds?|prediction|predicted|guess)$|^answer_?(extracted|parsed|given|pred|found)$",
        r"^(pred|prediction|predicted|parsed|extracted)_?"
        r"(answer|value|option|choice|label|letter|class|result|number|index|move|action|sql|query|code|json)s?$",
        r"^(final|chosen|selected|submitted|model|given|candidate)_?(answer|option|choice|label|letter)s?$",
    ]
)
"""Fields in which a verifier leaves the answer that it found."""

EXPECTED_FIELDS = (
    r"^(expected|reference|gold|golden|correct|target)_(answer|value|label|output|result|option)$"
    r"|^(expected|reference|gold|ground_?truth|answer_key|label)$"
)

_VERDICTS = r"^(is_)?(resolved|solved|correct|accepted|equivalent|exact_match)$|(^|_)verdict$"
_YES = "true 1 yes correct right same equal equivalent match accepted accept pass passed resolved solved".split()

_REJECTED = """
    with fields as materialized (
        select position, agent, stage, task, passed, entry.key as field,
            regexp_matches(entry.key, $answers) as answers, regexp_matches(entry.key, $expected) as expected,
            regexp_replace(lower(json_extract_string(entry.value, '$')), '[^\\p{L}\\p{N}.,+/%^=<>:;-]', '', 'g') as text
        from samples, json_each(samples.verifier) as entry
        where outcome = 'measured' and entry.type in ('VARCHAR', 'BIGINT', 'UBIGINT', 'DOUBLE')
            and (regexp_matches(entry.key, $answers) or regexp_matches(entry.key, $expected))
            and length(json_extract_string(entry.value, '$')) <= $longest
    ), joined as (
        select * replace (trim(regexp_replace(regexp_replace(text, '([0-9]),([0-9]{3})', '\\1\\2', 'g'),
            '([0-9]),([0-9]{3})', '\\1\\2', 'g'), '.,') as text) from fields
    ), read as materialized (
        select *, try_cast(text as double) as bare,
            try_cast(regexp_extract(text, '^[^0-9+-]*([+-]?[0-9]+(\\.[0-9]+)?)[^0-9]*$', 1) as double) as lone
        from joined where text <> ''
    ), verdicts as (
        select position, passed, entry.key as field,
            list_contains($yes, lower(json_extract_string(entry.value, '$'))) as yes
        from samples, json_each(samples.verifier) as entry
        where outcome = 'measured' and regexp_matches(entry.key, $verdicts)
            and entry.type in ('VARCHAR', 'BOOLEAN', 'BIGINT', 'UBIGINT')
    ), found as (
        select answer.position, min('the answer equals `' || other.field || '`') as why
        from read as answer join read as other using (position)
        where answer.answers and other.expected and not answer.passed
            and (answer.text = other.text or answer.lone = other.bare)
        group by answer.position
        union all
        select answer.position, 'the answer equals an accepted one of the task' as why
        from read as answer semi join (select * from read where passed and answers) as other
            on answer.agent = other.agent and answer.stage = other.stage and answer.task = other.task
            and answer.field = other.field and (answer.text = other.text or answer.lone = other.bare)
        where answer.answers and not answer.passed
        union all
        select position, '`' || field || '` says yes' as why from verdicts
        where yes and not passed and field in (
            select field from verdicts group by field
            having avg(yes::int) filter (passed) >= $lift * avg(yes::int) filter (not passed))
    )
    select samples.position, min(found.why) as why from samples left join found using (position)
    group by samples.position order by samples.position
"""


def rejected(samples: pa.Table) -> pa.ChunkedArray:
    """Why the answer of a failed row looks right, null where it does not or where none is on record.

    Args:
        samples: rows with ``position``, identity, ``outcome``, ``passed`` and the ``verifier`` fields.
    """
    columns = ["position", "agent", "stage", "task", "outcome", "passed", "verifier"]
    parameters: dict[str, object] = {
        "answers": ANSWER_FIELDS,
        "expected": EXPECTED_FIELDS,
        "longest": LONGEST,
        "verdicts": _VERDICTS,
        "yes": _YES,
        "lift": LIFT,
    }
    return query(_REJECTED, parameters, samples=samples.select(columns))["why"]
