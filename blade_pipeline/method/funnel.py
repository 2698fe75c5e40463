"""The workflow funnel: how many rollouts get through each ordered phase, and where most are lost.

A rollout is lost at the first phase whose rule does not hold for it, whatever later rules say, so that no phase counts
more rollouts than the one before it.
"""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import rows_where
from blade_pipeline.method.funnel_counts import counted, largest_drop, survivors
from blade_pipeline.method.funnel_parts import Parts
from blade_pipeline.method.graded import MEAN_REWARD, headline_metric
from blade_pipeline.method.phase_order import out_of_order
from blade_pipeline.method.phases import phases_of
from blade_pipeline.method.selfcheck import self_checks
from blade_pipeline.models import Profile

_GRADED = "Scores are graded: no phase says who passed, and how high scores are the mean score says."


def funnel(aligned: pa.Table, profile: Profile) -> dict[str, Any]:
    """Count the rollouts through every phase.

    Returns:
        ``{source, phases, largest_drop, total_rollouts, out_of_order, by_slice, by_slice_left_out, by_model,
        by_model_left_out, not_observable, self_check, notes}``; ``reached`` never rises from one phase to the next, and
        ``survival`` is ``reached`` over all rollouts. Unexpected rows stay out.
    """
    samples = rows_where(aligned, pc.not_equal(aligned["outcome"], "unexpected"))
    total, unexpected = samples.num_rows, aligned.num_rows - samples.num_rows
    phases, not_observable = phases_of(samples, profile)
    names, alive = [phase.phase for phase in phases], survivors(phases, total)
    whole = counted(names, [int(mask.sum()) for mask in alive], total)
    parts = Parts(names, alive, largest_drop(whole))
    return {
        "source": "profile" if profile.funnel else "generic",
        "phases": [row | {"rule": p.rule, "source": p.source} for row, p in zip(whole, phases, strict=True)],
        "largest_drop": largest_drop(whole),
        "total_rollouts": total,
        "out_of_order": out_of_order(phases, alive),
        **parts.by_slice(samples["slices"]),
        **parts.by_model(samples["model"]),
        "not_observable": not_observable,
        "self_check": self_checks(samples),
        "notes": [
            *([f"{unexpected} unexpected rows are outside the funnel."] if unexpected else []),
            *([_GRADED] if not profile.funnel and headline_metric(samples, profile) == MEAN_REWARD else []),
        ],
    }
