"""Why is this number different? Two runs, every pair of a benchmark's runs, and published references."""

from blade_pipeline.method.comparison.checks import STUDIED
from blade_pipeline.method.comparison.compare import compare
from blade_pipeline.method.comparison.moved_modes import Failures, moved_modes
from blade_pipeline.method.comparison.moved_tools import moved_tools, tool_uses
from blade_pipeline.method.comparison.paired_tasks import paired_tasks
from blade_pipeline.method.comparison.pairs import Pairs
from blade_pipeline.method.comparison.references import against_reference
from blade_pipeline.method.comparison.runs import (
    Behaviour,
    baseline_of,
    comparability,
    model_comparison,
    run_comparison,
)
from blade_pipeline.method.comparison.side import Side

__all__ = [
    "STUDIED",
    "Behaviour",
    "Failures",
    "Pairs",
    "Side",
    "against_reference",
    "baseline_of",
    "comparability",
    "compare",
    "model_comparison",
    "moved_modes",
    "moved_tools",
    "paired_tasks",
    "run_comparison",
    "tool_uses",
]
