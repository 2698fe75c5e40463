"""The items of an output in every shape in which it is written, as one list."""

from itertools import pairwise
from typing import Any


def flat(output: Any) -> list[Any] | None:
    """Items of an output as one list; of cumulative lists the last, of other nested lists all in order; else null."""
    if isinstance(output, str):
        return [{"type": "message", "role": "assistant", "content": output}] if output else []
    if isinstance(output, dict):
        return [output]
    if not isinstance(output, list):
        return None
    if list not in map(type, output):
        return output
    nested = [item for item in output if isinstance(item, list)]
    if len(nested) == len(output) and all(_continues(before, after) for before, after in pairwise(nested)):
        return nested[-1]
    return [item for part in output for item in (part if isinstance(part, list) else [part])]


def _continues(before: list[Any], after: list[Any]) -> bool:
    try:
        return len(after) >= len(before) and after[: len(before)] == before
    except RecursionError:
        return False
