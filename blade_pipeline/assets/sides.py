"""A run as one side of a comparison, from its artifacts."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.method.comparison import Side

SIDE = ("run_manifest", "coverage", "pass_at_k", "aligned_samples")
"""The artifacts that make a side."""


def side_of(inputs: Inputs, *, samples: bool = True) -> Side:
    """The side of the run that the inputs speak of."""
    return Side.read(str(inputs.cell.run), inputs.document, inputs.table, samples=samples)
