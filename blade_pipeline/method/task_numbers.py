"""Tasks as numbers, where three columns name one."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import Counts
from blade_pipeline.method.kept import while_it_lives


@while_it_lives
def task_numbers(aligned: pa.Table) -> Counts:
    """A number per row that is the same for all rows of one agent, stage and task."""
    stage = aligned["stage"].cast(pa.string())
    key = pc.binary_join_element_wise(aligned["agent"], stage, aligned["task"], "\x1f")
    numbers = np.asarray(key.combine_chunks().dictionary_encode().indices, dtype=np.int64)
    numbers.flags.writeable = False
    return numbers
