"""A run as one side of a comparison, from its artifacts."""

import pyarrow as pa

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.method.comparison import Side
from blade_pipeline.method.comparison.side import SAMPLE_COLUMNS

SIDE = ("run_manifest", "coverage", "pass_at_k", "aligned_samples")
"""The artifacts that make a side."""


def side_of(inputs: Inputs, *, samples: bool = True) -> Side:
    """The side of the run that the inputs speak of."""

    def table(asset: str) -> pa.Table:
        return inputs.table(asset, SAMPLE_COLUMNS if asset == "aligned_samples" else None)

    return Side.read(str(inputs.cell.run), inputs.document, table, samples=samples)
