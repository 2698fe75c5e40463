"""Tables that hold passing rollouts against failing ones."""

import re
from collections.abc import Iterator, Sequence

from blade_pipeline.method.contrasts import FEATURES
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.truths import Truths

_SIDE = re.compile(r"^(?P<id>.+) (?:passes|fails)$")
_COLUMNS = {"passing": "passing", "failing": "failing", "difference": "difference", "p": "p", "tasks": "tasks"}


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
    found = (truths.evidence.documents.get("trajectory_contrasts") or {}).get("stratified") or []
    entry = next((entry for entry in found if entry.get("feature") == feature), None)
    if column is None or entry is None or len(figures) != 1 or figures[0].unit:
        return
    yield from claim(figures[0], exactly(entry.get(column), f"{heading} of {feature}, within tasks"))
