"""When a benchmark counts as overdue: only where a team says how often it expects something new."""

import math
from datetime import timedelta

import dagster as dg

from blade_pipeline.assets.stage import Stage
from blade_pipeline.environment import FRESH_HOURS
from blade_pipeline.models import UsageProblem

_MOST_HOURS = 24 * 365 * 100


def fresh_hours() -> float | None:
    """Hours of a benchmark whose profile has no ``fresh_hours``; None where nobody said any.

    Raises:
        UsageProblem: the variable is no number of hours above 0.
    """
    written = FRESH_HOURS.value()
    if written is None:
        return None
    try:
        hours = float(written)
    except ValueError:
        hours = math.nan
    if not 0 < hours < _MOST_HOURS:
        raise UsageProblem(f"{FRESH_HOURS} is {written!r}; give a number of hours above 0.")
    return hours


def freshness_of(stage: Stage) -> dg.FreshnessPolicy | None:
    """The policy of a benchmark-level asset: overdue when no benchmark's changed for ``BLADE_FRESH_HOURS``.

    Dagster holds a policy against the latest materialization of the whole asset, of whatever partition; ``overdue``
    of the automation looks at each benchmark. Artifacts are made again only when something changed, so that without
    new runs even a current one grows old.

    Raises:
        UsageProblem: the variable is no number of hours above 0.
    """
    hours = fresh_hours()
    if hours is None or stage.level != "benchmark":
        return None
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=hours))
