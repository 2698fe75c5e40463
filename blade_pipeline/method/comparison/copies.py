"""Whether a run's repeats are copies of each other, as a cache or an overwritten file leaves them."""

from typing import Any

from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.sql import records

COPIED_SHARE = 0.9
MIXED_SHARE = 0.5
FEWEST_TASKS = 3

_COPIES = """
    with several as (
        select count(distinct response_digest) = 1 and count(distinct score) = 1 as same from aligned
        where outcome = 'measured' and response_digest is not null and output_items > 0
        group by agent, stage, task having count(*) > 1
    )
    select count(*) as compared, count(*) filter (same) as copied from several
"""
_COLUMNS = ["agent", "stage", "task", "outcome", "response_digest", "score", "output_items"]


def copies_check(a: Side, b: Side) -> Check:
    """Copies where sampling should have made repeats differ: at a temperature above 0, or in one run alone."""
    left, right = _copies(a), _copies(b)
    copied = [_copied(a, left, right), _copied(b, right, left)]
    texts = [f"{found['copied']} of {found['compared']}" for found in (left, right)]
    named = " and ".join(side.run for side, state in zip((a, b), copied, strict=True) if state)
    status = "different" if any(copied) else "unknown" if None in copied else "same"
    note = f"tasks whose repeats are identical: {texts[0]} against {texts[1]}"
    if named:
        note += f"; the repeats of {named} look like one answer copied, so they count as one repeat"
    return check(
        "repeat_copies",
        "noise",
        status,
        a=texts[0],
        b=texts[1],
        blocking=status == "different",
        label="whether repeats are copies",
        note=note,
    )


def _copies(side: Side) -> dict[str, Any]:
    return records(_COPIES, aligned=side.aligned.select(_COLUMNS))[0]


def _copied(side: Side, own: dict[str, Any], other: dict[str, Any]) -> bool | None:
    """None where greedy decoding may explain identical repeats."""
    if own["compared"] < FEWEST_TASKS or own["copied"] < COPIED_SHARE * own["compared"]:
        return False
    temperature = side.value("temperature")
    if temperature is not None:
        return bool(temperature > 0)
    mixed = other["compared"] >= FEWEST_TASKS and other["copied"] < MIXED_SHARE * other["compared"]
    return True if mixed else None
