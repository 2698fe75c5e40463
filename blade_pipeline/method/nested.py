"""The values inside a verifier's lists, objects and check lists, flat: where many harnesses say what went wrong."""

import pyarrow as pa

from blade_pipeline.method.arrays import row_numbers
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
    with holders as (
        select position, entry.key as field, entry.value as value
        from samples, json_each(samples.verifier) as entry
        where outcome = 'measured' and (contains(verifier, '[') or contains(verifier[2:], '{'))
            and entry.type in ('OBJECT', 'ARRAY')
    ), leaves as (
        select position, regexp_replace(field || inside.fullkey[2:], '\\[[0-9]+\\]|"', '', 'g') as place,
            inside.atom as atom, inside.type as type
        from holders, json_tree(holders.value) as inside where inside.type not in ('OBJECT', 'ARRAY')
    ), likely as materialized (
        select position, verifier from samples where outcome = 'measured' and regexp_matches(verifier, $checked)
    ), lists as materialized (
        select position, entry.key as field, json_extract_string(entry.value, '$') as said
        from likely, json_each(likely.verifier) as entry
        where entry.type = 'VARCHAR' and regexp_matches(said, $check_list)
    ), checks as (
        select position, field, unnest(regexp_extract_all(said, $each, 1)) as name,
            unnest(regexp_extract_all(said, $each, 2)) as answer
        from lists
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


@while_it_lives
def nested_values(aligned: pa.Table) -> pa.Table:
    """Plain values inside the lists, objects and check lists of the measured rows' verifier fields.

    A text such as ``faithful: yes; complete: no`` is a check list: each of its names is a flag.

    Returns:
        ``position`` of the aligned row; ``name``, the keys on the way joined by ``_`` (places in lists left out), the
        last of them as ``leaf`` and the one before as ``parent``; JSON ``type`` and ``text``, null for null.
    """
    samples = aligned.select(["outcome", "verifier"]).append_column("position", row_numbers(aligned))
    return query(_NESTED, {"checked": _CHECKED, "check_list": CHECK_LIST, "each": _EACH, "yes": _YES}, samples=samples)
