"""What was computed from a table, kept for as long as that table lives."""

import functools
import weakref
from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa

Result = TypeVar("Result")


def while_it_lives(function: Callable[[pa.Table], Result]) -> Callable[[pa.Table], Result]:
    """Answer a second question about the same table object from memory.

    Tables cannot change, so the answer stays right; it goes when the table does.
    """
    kept: dict[int, Result] = {}

    @functools.wraps(function)
    def asked(table: pa.Table) -> Result:
        found = kept.get(id(table))
        if found is None:
            found = kept[id(table)] = function(table)
            weakref.finalize(table, kept.pop, id(table), None)
        return found

    return asked
