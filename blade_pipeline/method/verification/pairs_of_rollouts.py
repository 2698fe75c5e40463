"""Tables that hold passing rollouts against failing ones."""

import re
from collections.abc import Iterator, Sequence

from blade_pipeline.method.contrasts import FEATURES
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.truths import Truths
from blade_pipeline.method.verification.within_tasks import WithinTasks

_SIDE = re.compile(r"^(?P<id>.+) (?:passes|fails)$")
_COLUMNS = ("passing", "failing", "difference", "p", "q", "tasks")


def side_by_side(feature: str, heading: str, figure: Figure | None, truths: Truths) -> Iterator[Claim]:
    """A feature of one rollout, whose id heads the column."""
    side = _SIDE.match(heading)
    column = FEATURES.get(feature)
    if side is None or column is None or figure is None:
        return
    known = truths.rollouts.get(bare(side["id"]), [])
    values = [value for truth in known if (value := truth.features.get(column)) is not None]
    yield from claim(figure, [option for value in values for option in exactly(value, f"{feature} of {side['id']}")])


def stratified(feature: str, heading: str, figures: Sequence[Figure], within: WithinTasks) -> Iterator[Claim]:
    """A feature's means within tasks, their difference, p and q."""
    if heading in _COLUMNS and len(figures) == 1 and not figures[0].unit:
        yield from claim(figures[0], exactly(within.value(feature, heading), f"{heading} of {feature}, within tasks"))
