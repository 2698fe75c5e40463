"""Whether a run's repeats are copies of each other, as a cache or an overwritten file leaves them."""

from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.side import Side

COPIED_SHARE = 0.9
MIXED_SHARE = 0.5
FEWEST_TASKS = 3


def copies_check(a: Side, b: Side) -> Check:
    """Copies where sampling should have made repeats differ: at a temperature above 0, or in one run alone."""
    left, right = a.copied_repeats, b.copied_repeats
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


def _copied(side: Side, own: dict[str, int], other: dict[str, int]) -> bool | None:
    """None where no task has two repeats to compare, or where greedy decoding may explain identical ones."""
    if not own["compared"]:
        return None
    if own["compared"] < FEWEST_TASKS or own["copied"] < COPIED_SHARE * own["compared"]:
        return False
    temperature = side.value("temperature")
    if temperature is not None:
        return bool(temperature > 0)
    mixed = other["compared"] >= FEWEST_TASKS and other["copied"] < MIXED_SHARE * other["compared"]
    return True if mixed else None
