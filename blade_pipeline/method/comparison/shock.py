"""Whether one repeat of a run went differently from its others, as after an outage."""

from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.side import Side

SHOCK_P = 0.01


def shock_check(a: Side, b: Side) -> Check:
    """Cochran's Q over the repeats of each run; reported, since it says that repeats are not alike, not why."""
    p = [side.scores.get("repeats", {}).get("cochran_p") for side in (a, b)]
    shaken = [side.run for side, value in zip((a, b), p, strict=True) if value is not None and value < SHOCK_P]
    status = "different" if shaken else "unknown" if None in p else "same"
    words = f"the repeats of {' and of '.join(shaken)} do not pass equally often: an outage or a drift"
    texts = [None if value is None else f"Cochran's Q p = {value:.2g}" for value in p]
    return check(
        "repeat_shock",
        "noise",
        status,
        a=texts[0],
        b=texts[1],
        blocking=False,
        label="whether the repeats of a run are alike",
        note=words if shaken else None,
    )
