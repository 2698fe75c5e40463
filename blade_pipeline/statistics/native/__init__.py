"""NeMo Gym 0.7.0's own numbers under its names and on its scales, recomputed from rows.

Rewards stay raw, pass@k and majority@k are percentages: the scales of the tool, kept so that a reader can lay the
two side by side.
"""

from blade_pipeline.statistics.native.agent import agent_metrics, agent_summary, coverage_block
from blade_pipeline.statistics.native.baseline import baseline_statistics
from blade_pipeline.statistics.native.completion import profile_completion
from blade_pipeline.statistics.native.majority import pass_majority
from blade_pipeline.statistics.native.perf import perf_summary
from blade_pipeline.statistics.native.primary import is_primary
from blade_pipeline.statistics.native.repeats import across_repeats, repeat_level
from blade_pipeline.statistics.native.selection import highest_k, subset_metrics

__all__ = [
    "across_repeats",
    "agent_metrics",
    "agent_summary",
    "baseline_statistics",
    "coverage_block",
    "highest_k",
    "is_primary",
    "pass_majority",
    "perf_summary",
    "profile_completion",
    "repeat_level",
    "subset_metrics",
]
