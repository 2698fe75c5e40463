"""Every number that a report shows or that ``statistics`` offers, with its definition, declared once.

docs/metrics.md and the pages of Dagster's assets follow from it.
"""

from collections.abc import Mapping

from blade_pipeline.metrics.ablation import ABLATION
from blade_pipeline.metrics.gym_native import GYM_NATIVE
from blade_pipeline.metrics.metric import Metric
from blade_pipeline.metrics.one_run import ONE_RUN
from blade_pipeline.metrics.two_runs import TWO_RUNS
from blade_pipeline.metrics.uncertainty import UNCERTAINTY
from blade_pipeline.metrics.unmeasured import UNMEASURED

__all__ = ["ABLATION", "GYM_NATIVE", "ONE_RUN", "SECTIONS", "TWO_RUNS", "UNCERTAINTY", "UNMEASURED", "Metric"]

SECTIONS: Mapping[str, tuple[Metric, ...]] = {
    "One run": ONE_RUN,
    "What failures cost": ABLATION,
    "Uncertainty of one run": UNCERTAINTY,
    "Rows without a measurement": UNMEASURED,
    "NeMo Gym's own numbers": GYM_NATIVE,
    "Two runs": TWO_RUNS,
}
"""The metrics by heading, in the order of the page."""
