"""The values inside a verifier's lists and objects, flat: where many harnesses say why an evaluation ended."""

import pyarrow as pa

from blade_pipeline.method.arrays import row_numbers
from blade_pipeline.method.kept import while_it_lives
from blade_pipeline.method.sql import query

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
    )
    select position, replace(place, '.', '_') as name, regexp_extract(place, '[^.]*$') as leaf,
        regexp_extract(place, '([^.]*)[.][^.]*$', 1) as parent, type,
        json_extract_string(atom, '$') as text
    from leaves
"""


@while_it_lives
def nested_values(aligned: pa.Table) -> pa.Table:
    """Plain values inside the lists and objects of the measured rows' verifier fields.

    Returns:
        ``position`` of the aligned row; ``name``, the keys on the way joined by ``_`` (places in lists left out), the
        last of them as ``leaf`` and the one before as ``parent``; JSON ``type`` and ``text``, null for null.
    """
    samples = aligned.select(["outcome", "verifier"]).append_column("position", row_numbers(aligned))
    return query(_NESTED, samples=samples)
