"""A run as one side of a comparison, from its artifacts."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.method.comparison import Side

SIDE = ("run_manifest", "coverage", "pass_at_k", "aligned_samples")
"""The artifacts that make a side."""


def side_of(inputs: Inputs) -> Side:
    """The side of the run that the inputs speak of."""
    return Side(
        run=str(inputs.cell.run),
        manifest=inputs.document("run_manifest"),
        coverage=inputs.document("coverage"),
        scores=inputs.document("pass_at_k"),
        per_task=inputs.table("pass_at_k"),
        aligned=inputs.table("aligned_samples"),
    )
