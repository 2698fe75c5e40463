"""Sample inputs: a mixed run, a run without materialized inputs, and a run that nobody could read."""

from blade_pipeline_tests.reporting.mixed_sample import mixed_run
from blade_pipeline_tests.reporting.plain_samples import empty_run, single_run

__all__ = ["empty_run", "mixed_run", "single_run"]
