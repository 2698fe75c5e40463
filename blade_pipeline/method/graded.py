"""Whether a run goes by its mean score: graded scores of which most are earned below the pass mark."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import floats
from blade_pipeline.models import Profile

PASS_AT_1, MEAN_REWARD = "pass_at_1", "mean_reward"
MEAN_SCORE = "mean score"
"""How texts call ``mean_reward``."""


def headline_metric(aligned: pa.Table, profile: Profile) -> str:
    """``mean_reward`` where passing says little of the scores, else ``pass_at_1``.

    That is where there are more than two different scores on a known scale (the profile's ``reward_range``, else all
    within 0 to 1), and rollouts below the pass mark earned more of the sum of scores than those that reach it. A pass
    mark of the team's own is kept to.
    """
    if profile.pass_threshold != Profile().pass_threshold:
        return PASS_AT_1
    measured = aligned.select(["score", "passed"]).filter(pc.equal(aligned["outcome"], "measured"))
    scores, passed = floats(measured["score"]), np.asarray(measured["passed"], dtype=np.bool_)
    if np.unique(scores).size <= 2:
        return PASS_AT_1
    scale = scale_of(scores, profile)
    if scale is None:
        return PASS_AT_1
    earned = scores - scale[0] if profile.higher_is_better else scale[1] - scores
    below, above = (float(np.sort(earned[mask]).sum()) for mask in (~passed, passed))
    return MEAN_REWARD if below > above else PASS_AT_1


def any_by_mean_score(runs: Iterable[Mapping[str, Any]]) -> bool:
    """Whether some run (with its ``headline_metric``) goes by its mean score, which then tells all of them apart."""
    return any(run.get("headline_metric") == MEAN_REWARD for run in runs)


def scale_of(scores: object, profile: Profile) -> tuple[float, float] | None:
    """Lowest and highest possible score: as declared, else 0 and 1 where no score leaves them, else unknown."""
    if profile.reward_range is not None:
        return profile.reward_range
    known = np.asarray(scores, dtype=np.float64)
    inside = bool(np.all((known >= 0) & (known <= 1)))
    return (0.0, 1.0) if inside else None
