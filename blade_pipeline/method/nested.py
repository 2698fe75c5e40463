"""The values inside a verifier's lists, objects and check lists, flat: where many harnesses say what went wrong."""

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.entries import verifier_entries
from blade_pipeline.method.kept import while_it_lives
from blade_pipeline.method.sql import query

_ANSWER = r"(yes|no|true|false|pass|passed|fail|failed|met|unmet|not met)"
_ITEM = rf"([^\s\d[:punct:]][^:=;,|\n]*?)\s*[:=]\s*{_ANSWER}\s*"
"""To compile ranges of Unicode, repeats of them and of alternatives takes longer than to search all rows of a run."""
CHECK_LIST = rf"(?i)^\s*{_ITEM}(?:[;,|\n]\s*{_ITEM})+\.?\s*$"
"""A text that is no more than two or more named checks with a yes or a no each."""

_CHECKED = rf"(?i)[\w )][:=] ?{_ANSWER} ?[;,|\\]"
"""In the JSON of a row's fields, where a list of checks may stand: a value of JSON's own follows a quotation mark."""

_EACH = rf"(?i)(?:^|[;,|\n])\s*{_ITEM}"
_YES = ["yes", "true", "pass", "passed", "met"]

_NESTED = """
    with leaves as (
        select position, regexp_replace(field || inside.fullkey[2:], '\\[[0-9]+\\]|"', '', 'g') as place,
            inside.atom as atom, inside.type as type
        from holders, json_tree(holders.text) as inside where inside.type not in ('OBJECT', 'ARRAY')
    ), checks as (
        select position, field, unnest(regexp_extract_all(text, $each, 1)) as name,
            unnest(regexp_extract_all(text, $each, 2)) as answer
        from texts where regexp_matches(text, $check_list)
    )
    select position, replace(place, '.', '_') as name, regexp_extract(place, '[^.]*$') as leaf,
        regexp_extract(place, '([^.]*)[.][^.]*$', 1) as parent, type,
        json_extract_string(atom, '$') as text
    from leaves
    union all
    select position, field || '_' || replace(trim(name), ' ', '_'), replace(trim(name), ' ', '_'), field, 'BOOLEAN',
        list_contains($yes, lower(answer))::varchar
    from checks
"""

_NAMES = ["name", "leaf", "parent", "type", "text"]
_SCHEMA = pa.schema([("position", pa.int64()), *((name, pa.string()) for name in _NAMES)])


@while_it_lives
def nested_values(aligned: pa.Table) -> pa.Table:
    """Plain values inside the lists, objects and check lists of the measured rows' verifier fields.

    A text such as ``faithful: yes; complete: no`` is a check list: each of its names is a flag.

    Returns:
        ``position`` of the aligned row; ``name``, the keys on the way joined by ``_`` (places in lists left out), the
        last of them as ``leaf`` and the one before as ``parent``; JSON ``type`` and ``text``, null for null.
    """
    fields = verifier_entries(aligned)
    measured = fields.filter(pc.equal(fields["outcome"], "measured")).select(["position", "field", "type", "text"])
    holders = measured.filter(pc.is_in(measured["type"], pa.array(["OBJECT", "ARRAY"])))
    likely = pc.fill_null(pc.match_substring_regex(aligned["verifier"], _CHECKED), False)
    texts = measured.filter(pc.and_(likely.take(measured["position"]), pc.equal(measured["type"], "VARCHAR")))
    if not holders.num_rows and not texts.num_rows:
        return _SCHEMA.empty_table()
    return query(_NESTED, {"check_list": CHECK_LIST, "each": _EACH, "yes": _YES}, holders=holders, texts=texts)
