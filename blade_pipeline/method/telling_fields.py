"""Flags, lists and texts of any name that stand otherwise in some failed rollouts than in the passed ones.

A verifier often keeps what it found in a field of its own: a flag of one check, a list of broken rules, a piece that
could not be read. Such a field names a failure mode where hardly a passed rollout shows the same.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS, EXPECTED_FIELDS
from blade_pipeline.gym.bounded import DROPPED
from blade_pipeline.method.outcomes import Outcomes
from blade_pipeline.method.sql import query

LIFT = 10
"""How much more frequent a state must be among failed than among passed rollouts: a field's name proves nothing."""

MOST_OF_FAILED = 0.8
"""Share of the failed rollouts beyond which a state is the verdict once more."""

FLAG_DOWN = "no"
"""State of a flag that is false."""

FEWEST = 3
_HELD = 5
"""Passed rollouts that must fill a field before its emptiness says something."""

_STATES = """
    with entries as (
        select position, passed, field, field as leaf, type, text
        from fields where outcome = 'measured' and field <> $dropped
        union all
        select position, passed, name, leaf, type, text from nested join samples using (position)
    ), kinds as materialized (
        select field, leaf, regexp_matches(leaf, $answers) or regexp_matches(leaf, $verdicts) as known,
            regexp_matches(leaf, $counts) as counts
        from (select distinct field, leaf from entries)
    ), states as (
        select position, passed, field, leaf, case when text is null or text in ('', '[]', '{}') then 'left empty'
            when type = 'BOOLEAN' then if(text = 'true', 'yes', 'no')
            when type in ('BIGINT', 'UBIGINT', 'DOUBLE')
            then case when counts then 'number' when text in ('1', '1.0') then 'yes' when text in ('0', '0.0') then 'no'
                else 'number' end
            else 'filled' end as state
        from entries join kinds using (field, leaf) where not known
    )
"""
_COUNTED = f"""{_STATES}, counted as (
        select field, state, any_value(leaf) as leaf, count(distinct position) filter (not passed) as failed,
            count(distinct position) filter (passed) as passed from states group by field, state
    ), filled as (
        select field, coalesce(max(passed) filter (state = 'filled'), 0) as filled, bool_or(state = 'number') as numbers
        from counted group by field
    )
    select field, state, failed, failed between $fewest and $most * $failed
        and failed * $passed >= $lift * counted.passed * $failed
        and case state when 'left empty' then not regexp_matches(leaf, $messages) and filled >= $held
            when 'filled' then true when 'number' then false else not numbers end as telling
    from counted join filled using (field) where failed > 0 order by field, state
"""
_ROWS = f"""{_STATES}
    select field, state, list(distinct position) as positions from states join chosen using (field, state)
    group by field, state order by field, state
"""
_COUNTS = (
    r"(?i)(^|_)(code|rc|exit|status|counts?|num|n|total|ids?|index|rank|seed|len|length|size|time|seconds|s|ms)(_|$)"
    r"|code$"
)
"""Names of numbers that are 0 or 1 by chance and no flags."""

VERDICT_PARTS = (
    r"(?i)(correct|resolved|solved|accepted|equivalent|match|pass|success|fail|reward|score|accuracy|verdict|wrong|right"
    r"|precision|recall|(^|_)(f1|em|acc|result|outcome)$|^(is_|all_)?ok$)"
)
"""Names of the verdict itself and its parts."""

_MESSAGES = r"(?i)(^|_)(errors?|exception|failure|reason|message|warnings?|notes?|logs?|stderr|feedback|comment)(_|$)"


Key = tuple[str, str]


def telling_fields(
    samples: pa.Table, fields: pa.Table, nested: pa.Table, outcomes: Outcomes
) -> tuple[dict[Key, NDArray[np.int64]], dict[Key, int]]:
    """Rows by field and state: ``yes``, ``no``, ``filled`` or ``left empty``.

    Args:
        samples: rows with ``position`` and ``passed``.
        fields: of their verifier.
        nested: the values inside their lists and objects.
        outcomes: of the same rows.

    Returns:
        The rows of those that tell failed rollouts from passed ones, and of all how many failed rollouts show them.
    """
    slim = samples.select(["position", "passed"])
    names: dict[str, object] = {
        "answers": f"{ANSWER_FIELDS}|{EXPECTED_FIELDS}",
        "verdicts": VERDICT_PARTS,
        "counts": _COUNTS,
        "dropped": DROPPED,
    }
    limits = {"fewest": FEWEST, "most": MOST_OF_FAILED, "held": _HELD, "lift": LIFT, "messages": _MESSAGES}
    totals = {"failed": int(outcomes.failed.sum()), "passed": int(outcomes.passed.sum())}
    counted = query(_COUNTED, names | limits | totals, samples=slim, fields=fields, nested=nested)
    columns = (counted[name].to_pylist() for name in ("field", "state", "failed"))
    shown = {(field, state): failed for field, state, failed in zip(*columns, strict=True)}
    chosen = counted.filter(counted["telling"]).select(["field", "state"])
    if not chosen.num_rows:
        return {}, shown
    table = query(_ROWS, names, samples=slim, fields=fields, nested=nested, chosen=chosen)
    keys = zip(table["field"].to_pylist(), table["state"].to_pylist(), strict=True)
    groups = {key: np.sort(np.asarray(rows.values)) for key, rows in zip(keys, table["positions"], strict=True)}
    told = {key: rows for key, rows in groups.items() if outcomes.varies(rows) and outcomes.beyond_chance(rows)}
    return told, shown
