"""Failed rollouts whose verifier says that two values differ which are one value in two notations.

Verifiers of tables, cells, states and flags leave no extracted answer beside an expected one, but a message such as
``got 2024-03-01 00:00:00+00:00 want 2024-03-01``. Values are one when they differ in case, outer quotation marks, white
space, thousands separators, trailing zeros, or the midnight that a day carries. Any other letter or sign parts them.
"""

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import at_positions
from blade_pipeline.method.sql import query

_LONGEST = 200
"""Characters of a message that names its two values; a longer text is a log."""

_BE = r"(?: (?:was|is|be|value|of|but))*[:=]?\s+"
_ORDERS = (
    rf"(?i)\b(?:got|found|received|actual|returned|observed){_BE}(\S.*?)[,;.]?\s+\(?(?:but )?"
    rf"(?:wants?|wanted|expected|expecting|instead of|should be){_BE}(\S.*?)\)?$",
    rf"(?i)\b(?:wants?|wanted|expected|expecting|should be){_BE}(\S.*?)[,;.]?\s+\(?(?:but )?"
    rf"(?:got|found|received|actual|returned|observed|was){_BE}(\S.*?)\)?$",
    r"(?i)(\S+) (?:does not (?:equal|match)|doesn't (?:equal|match)|is not equal to|differs from|instead of|!=|≠)"
    r"(?: the)?(?: expected| reference)?(?: value)? (\S+?)[.)]?$",
)
"""Patterns of messages with their two values as groups; a message that sets more than two side by side has none."""

_COMPARED = """
    with sides as (
        select said, regexp_extract(said, pattern, 1) as one, regexp_extract(said, pattern, 2) as other
        from messages, (select unnest([$first, $second, $third]) as pattern)
    ), plain as (
        select said, list_transform([one, other], lambda side: regexp_replace(regexp_replace(regexp_replace(
            trim(lower(side), $around), '\\s+', ' ', 'g'),
            '([0-9]{4}-[0-9]{2}-[0-9]{2})[t ]00:00(:00([.]0+)?)? ?(z|utc|[+-]00:?00)?$', '\\1'),
            '([0-9]),([0-9]{3})\\b', '\\1\\2', 'g')) as pair
        from sides where one <> '' and other <> ''
    ), equal as (
        select distinct said from plain
        where pair[1] <> '' and (pair[1] = pair[2] or try_cast(pair[1] as double) = try_cast(pair[2] as double))
    )
    select position, min(field) as field from texts join equal using (said) group by position
"""


def compared_values(measured: pa.Table, rows: int) -> pa.Array:
    """The field whose message sets two notations of one value against each other, by row; null where none does.

    Args:
        measured: the fields of the measured rows' verifier.
        rows: how many rows there are.
    """
    texts = measured.filter(pc.and_(pc.invert(measured["passed"]), pc.equal(measured["type"], "VARCHAR")))
    said = pc.unique(texts["text"])
    said = said.filter(pc.less_equal(pc.utf8_length(said), _LONGEST))
    messages = pa.table({"said": said.filter(pc.match_substring_regex(said, "|".join(_ORDERS)))})
    if messages.num_rows == 0:
        return pa.nulls(rows, pa.string())
    first, second, third = _ORDERS
    parameters: dict[str, object] = {"around": " \t\n'\"`“”‘’.,;", "first": first, "second": second, "third": third}
    texts = texts.select(["position", "field", "text"]).rename_columns(["position", "field", "said"])
    return at_positions(query(_COMPARED, parameters, texts=texts, messages=messages), "field", rows)
