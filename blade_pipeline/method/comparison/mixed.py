"""Runs whose rows do not agree among themselves: two models, two temperatures or two judges in one run."""

from collections.abc import Sequence

from blade_pipeline.gym.evidence import DISAGREE, ROW_KEYS
from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.side import Side

MIXED = "mixed_rows"
_LABELS = {"reasoning_effort": "reasoning mode", "max_output_tokens": "output limit", "chat_template": "chat template"}


def mixed(side: Side) -> dict[str, str]:
    """The settings on which a run's rows disagree, each with its values and the rows that hold them."""
    reasons = {key: side.source(key) or "" for key in ROW_KEYS if side.value(key) is None}
    return {key: text.removeprefix(DISAGREE) for key, text in reasons.items() if text.startswith(DISAGREE)}


def mixed_check(a: Side, b: Side, *, blocks: bool) -> Check:
    """Whether the rows of each run agree among themselves; ``blocks``: a run of several models decides."""
    found = (a.once(mixed), b.once(mixed))
    silent = not any(_speaks(side) for side in (a, b))
    said = [told(side.run, settings) for side, settings in zip((a, b), found, strict=True) if settings]
    shown = [_listed(settings) or "nothing" for settings in found]
    return check(
        MIXED,
        "method",
        "different" if said else "unknown" if silent else "same",
        a=shown[0],
        b=shown[1],
        source_a=f"the rows of {a.run}",
        source_b=f"the rows of {b.run}",
        blocking=blocks and any("model" in settings for settings in found),
        label="rows that disagree among themselves",
        note="; ".join(said) or None,
    )


def told(run: str, settings: dict[str, str]) -> str:
    """A clause on the settings that a run's rows mix."""
    return f"the rows of {run} disagree on {_listed(settings)}"


def mixed_words(sides: Sequence[Side], headline: str | None = None) -> list[str]:
    """A clause per run that mixes anything but what the headline tells already."""
    if headline == MIXED:
        return []
    found = [(side.run, {key: text for key, text in side.once(mixed).items() if key != headline}) for side in sides]
    return [told(run, settings) for run, settings in found if settings]


def _listed(settings: dict[str, str]) -> str:
    return " and ".join(f"the {_LABELS.get(key, key.replace('_', ' '))}: {text}" for key, text in settings.items())


def _speaks(side: Side) -> bool:
    return any((side.source(key) or "").startswith(("rows ", DISAGREE)) for key in ROW_KEYS)
