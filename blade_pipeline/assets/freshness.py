"""When a benchmark counts as overdue: only where a team says how often it expects something new."""

import os
from datetime import timedelta

import dagster as dg

from blade_pipeline.assets.stage import Stage
from blade_pipeline.models import UsageProblem


def freshness_of(stage: Stage) -> dg.FreshnessPolicy | None:
    """The policy of a benchmark-level asset: overdue when no benchmark's changed for ``BLADE_FRESH_HOURS``.

    Artifacts are made again only when something changed, so that without new runs even a current one grows old.

    Raises:
        UsageProblem: the variable is no number of hours above 0.
    """
    written = os.environ.get("BLADE_FRESH_HOURS", "")
    if not written:
        return None
    try:
        window = timedelta(hours=float(written))
    except (ValueError, OverflowError):
        window = timedelta(0)
    if window <= timedelta(0):
        raise UsageProblem(f"BLADE_FRESH_HOURS is {written!r}; give a number of hours above 0.")
    return dg.FreshnessPolicy.time_window(fail_window=window) if stage.level == "benchmark" else None
