"""Tables that hold passing rollouts against failing ones."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from blade_pipeline.method.contrasts import FEATURES
from blade_pipeline.method.stratified import FALSE_SHARE
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.truths import Truths

_SIDE = re.compile(r"^(?P<id>.+) (?:passes|fails)$")
_BEYOND = re.compile(rf"\bwhere q is at most \S+: here that of (?P<clear>{N}|none) of (?P<tested>{N}) tested features?")
_COLUMNS = {
    "passing": "passing",
    "failing": "failing",
    "difference": "difference",
    "p": "p",
    "q": "q",
    "tasks": "tasks",
}


def side_by_side(feature: str, heading: str, figure: Figure | None, truths: Truths) -> Iterator[Claim]:
    """A feature of one rollout, whose id heads the column."""
    side = _SIDE.match(heading)
    column = FEATURES.get(feature)
    if side is None or column is None or figure is None:
        return
    known = truths.rollouts.get(bare(side["id"]), [])
    values = [value for truth in known if (value := truth.features.get(column)) is not None]
    yield from claim(figure, [option for value in values for option in exactly(value, f"{feature} of {side['id']}")])


def stratified(feature: str, heading: str, figures: Sequence[Figure], truths: Truths) -> Iterator[Claim]:
    """A feature's mean within tasks, from the contrasts' own document."""
    column = _COLUMNS.get(heading)
    entry = next((entry for entry in _differences(truths) if entry.get("feature") == feature), None)
    if column is None or entry is None or len(figures) != 1 or figures[0].unit:
        return
    yield from claim(figures[0], exactly(entry.get(column), f"{heading} of {feature}, within tasks"))


def features_beyond_chance(sentence: Sentence, truths: Truths) -> Iterator[Claim]:
    """How many of the features that were tested within tasks differ beyond chance."""
    for found in _BEYOND.finditer(sentence.text):
        q = [entry["q"] for entry in _differences(truths) if entry.get("q") is not None]
        right = {"clear": sum(value <= FALSE_SHARE for value in q), "tested": len(q)}
        yield from named(found, sentence.figures, right, "features within tasks")


def _differences(truths: Truths) -> list[dict[str, Any]]:
    return (truths.evidence.documents.get("trajectory_contrasts") or {}).get("stratified") or []
