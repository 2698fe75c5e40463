"""Why is this number different? Two runs, every pair of a benchmark's runs, and published references."""

from blade_pipeline.method.comparison.behaviour import Behaviour, moved_behaviour
from blade_pipeline.method.comparison.checks import STUDIED
from blade_pipeline.method.comparison.compare import compare
from blade_pipeline.method.comparison.moved_modes import Failures
from blade_pipeline.method.comparison.paired_tasks import paired_tasks
from blade_pipeline.method.comparison.pairs import Pairs
from blade_pipeline.method.comparison.references import against_reference
from blade_pipeline.method.comparison.runs import (
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
    "moved_behaviour",
    "paired_tasks",
    "run_comparison",
]
