"""Failed rollouts whose answer on record is right, as far as their rows can tell.

It equals the expected answer, or one that another repeat of the task passed with, where the passed repeats of a task
mostly give one answer, so that it is what is graded; or the final text states the
expected one, or a verdict field says yes, both of which elsewhere tell passing from failing rollouts; or a message of
the verifier sets two notations of one value against each other. Two answers are
equal when they differ in notation only: case, spaces, emphasis, quotation marks, thousands separators, trailing zeros,
words around a lone number, and the way in which one day is written. What is said of a row tells equal to the letter
from equal up to notation.
"""

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS, EXPECTED_FIELDS, LIKELY_EXPECTED
from blade_pipeline.method.arrays import at_positions
from blade_pipeline.method.compared_values import compared_values
from blade_pipeline.method.sql import query

LIFT = 2.0
"""How much more often a verdict field must say yes of passed rollouts than of failed ones to be believed."""

_SEVERAL, _MOSTLY = 5, 0.8
"""Passed rollouts, and the share of them, whose answer must equal a field that may be the expected answer."""

TO_THE_LETTER, UP_TO_NOTATION = "to the letter", "up to notation"
IN_FINAL_TEXT = "the final text states the expected answer"
SAYS_YES = " says yes"
"""How a right answer is known, as the words that end what is said of a row."""

_COMPARED = f"compares are equal {UP_TO_NOTATION}"

LONGEST = 200
"""Characters beyond which an answer is a text of its own, whose notation nobody can set aside."""

_VERDICTS = r"^(is_)?(resolved|solved|correct|accepted|equivalent|exact_match)$|(^|_)verdict$"
_YES = "true 1 yes correct right same equal equivalent match accepted accept pass passed resolved solved".split()

_SCALARS = ["VARCHAR", "BIGINT", "UBIGINT", "DOUBLE", "BOOLEAN"]

_DAYS = [
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%B %d, %Y", "%B %d %Y", "%d %B %Y", "%d %B, %Y", "%d of %B %Y"),
    *("%b %d, %Y", "%b %d %Y", "%d %b %Y", "%d-%b-%Y", "%b. %d, %Y", "%A, %B %d, %Y", "%A, %d %B %Y"),
]
"""Notations of one day that cannot be read as those of another."""

_SHORTEST_DAY = len("1-1-1")

_REJECTED = """
    with kinds as materialized (
        select field, regexp_matches(field, $answers) as answers, regexp_matches(field, $expected) as expected,
            regexp_matches(field, $likely) as likely, regexp_matches(field, $verdicts) as verdict
        from (select distinct field from scalars)
    ), fields as materialized (
        select position, cell, passed, kinds.*, text as said
        from scalars join kinds using (field)
        where type <> 'BOOLEAN' and (answers or expected or likely) and length(text) <= $longest
    ), plain as (
        select said, regexp_replace(lower(said), '[^\\p{L}\\p{N}.,+/%^=<>:;-]', '', 'g') as text
        from (select distinct said from fields)
    ), joined as (
        select said, trim(regexp_replace(regexp_replace(text, '([0-9]),([0-9]{3})', '\\1\\2', 'g'),
            '([0-9]),([0-9]{3})', '\\1\\2', 'g'), '.,') as text from plain
    ), forms as materialized (
        select said, coalesce(if(length(said) < $shortest_day, null, strftime(try_strptime(
                regexp_replace(trim(said, ' .'), '([0-9])(st|nd|rd|th)\\b', '\\1'), $days), '%Y-%m-%d')), text) as text,
            try_cast(text as double) as bare,
            try_cast(regexp_extract(text, '^[^0-9+-]*([+-]?[0-9]+(\\.[0-9]+)?)[^0-9]*$', 1) as double) as lone
        from joined where text <> ''
    ), read as materialized (
        select fields.*, text, bare, lone from fields join forms using (said)
    ), agreeing as (
        select answer.field as field, other.field as other
        from read as answer join read as other using (position)
        where answer.answers and other.likely and not other.answers and answer.passed group by all
        having count(*) >= $several
            and avg((answer.text = other.text or coalesce(answer.lone = other.bare, false))::int) >= $mostly
    ), accepted as (
        select field, count(*) as rollouts,
            sum(count(*)) over (partition by cell, field) as of_task
        from read where answers and passed
        group by cell, field, coalesce(lone::varchar, text)
    ), free as (
        select field from accepted where of_task > 1 group by field
        having sum(rollouts) >= $several and sum(if(rollouts > 1, rollouts, 0)) < $mostly * sum(rollouts)
    ), verdicts as (
        select position, passed, field, list_contains($yes, lower(text)) as yes
        from scalars join kinds using (field) where verdict and type <> 'DOUBLE'
    ), equal as (
        select answer.position, trim(answer.said) <> trim(other.said) as loosely, '`' || other.field || '`' as what
        from read as answer join (select * from read where expected or likely) as other using (position)
        where answer.answers and not answer.passed and (other.expected
                or (other.likely and (answer.field, other.field) in (select (field, other) from agreeing)))
            and (answer.text = other.text or answer.lone = other.bare)
        union all
        select answer.position, not bool_or(trim(answer.said) = other.said), 'an accepted one of the task'
        from read as answer join (
                select distinct cell, field, trim(said) as said, text, bare from read where passed and answers) as other
            on answer.cell = other.cell and answer.field = other.field
            and (answer.text = other.text or answer.lone = other.bare)
        where answer.answers and not answer.passed and answer.field not in (from free) group by answer.position
    ), reasons as (
        select position, 'the answer equals ' || what || if(loosely, $notation, $letter) as why, loosely::int as place
        from equal
        union all
        select position, '`' || field || '`' || $says_yes, 2 from verdicts
        where yes and not passed and field in (
            select field from verdicts group by field
            having avg(yes::int) filter (passed) >= $lift * avg(yes::int) filter (not passed))
        union all
        select position, $in_final_text, 3 from samples
        where outcome = 'measured' and states_expected and not passed and (
            select count(*) filter (passed) >= $several
                and avg(states_expected::int) filter (passed)
                    >= greatest($mostly, $lift * avg(states_expected::int) filter (not passed))
            from samples where outcome = 'measured' and states_expected is not null)
    )
    select position, min({'place': place, 'why': why}).why as why from reasons group by position
"""


def rejected(samples: pa.Table, entries: pa.Table) -> pa.Array:
    """Why the answer of a failed row looks right, null where it does not or where none is on record.

    Args:
        samples: rows with ``position``, ``outcome``, ``passed`` and ``states_expected``.
        entries: the fields of their verifier.
    """
    parameters: dict[str, object] = {
        "answers": ANSWER_FIELDS,
        "expected": EXPECTED_FIELDS,
        "likely": LIKELY_EXPECTED,
        "days": _DAYS,
        "shortest_day": _SHORTEST_DAY,
        "several": _SEVERAL,
        "mostly": _MOSTLY,
        "longest": LONGEST,
        "verdicts": _VERDICTS,
        "yes": _YES,
        "lift": LIFT,
        "letter": f" {TO_THE_LETTER}",
        "notation": f" {UP_TO_NOTATION}",
        "says_yes": SAYS_YES,
        "in_final_text": IN_FINAL_TEXT,
    }
    columns = samples.select(["position", "outcome", "passed", "states_expected"])
    measured = entries.filter(pc.equal(entries["outcome"], "measured"))
    scalars = measured.filter(pc.is_in(measured["type"], pa.array(_SCALARS)))
    found = query(_REJECTED, parameters, samples=columns, scalars=scalars)
    values = compared_values(measured, samples.num_rows)
    compared = pc.binary_join_element_wise("the values that", _code(values), _COMPARED, " ")
    return pc.coalesce(at_positions(found, "why", samples.num_rows), compared)


def _code(names: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("`", names, "`", "")
