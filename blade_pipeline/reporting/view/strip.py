"""Tasks by repeats at a glance: a cell per rollout, or a raster where there are too many tasks for cells."""

from itertools import pairwise

from blade_pipeline.reporting.blocks import Block, Figure, Row, Strip, StripTask, cells, table
from blade_pipeline.reporting.figures import raster
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, ratio
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.evidence import BUCKET_LETTERS
from blade_pipeline.reporting.view.traits import Key, task_key

STRIP_TASKS = 200
"""Tasks up to which each has a column of its own."""
BINS = 100
TENTHS = 10
OTHER = "no valid score"


def strip(
    tasks: list[Json], letters: dict[Key, str], words: dict[str, str], legend: tuple[tuple[str, str], ...]
) -> list[Block]:
    """The strip over ``tasks`` in order of score."""
    if len(tasks) > STRIP_TASKS:
        return _raster(tasks, letters)
    columns = tuple(_column(task, letters[task_key(task)], words) for task in tasks)
    title = "Every rollout: one column per task, one cell per repeat, sorted by score"
    return [Strip(title, "The task table below holds the same, one row per task.", columns, legend)]


def _column(task: Json, outcomes: str, words: dict[str, str]) -> StripTask:
    name, bucket = clean(task["task"]), task["bucket"]
    note = f"task {name}: {words[bucket]}, {task['passed']} of {task['measured']} measured pass"
    return StripTask(name, BUCKET_LETTERS[bucket], bucket, tuple(outcomes), note)


def _raster(tasks: list[Json], letters: dict[Key, str]) -> list[Block]:
    """Neighbours in order of score together; the shares of their outcomes are stacked."""
    bins = _bins(tasks, letters, BINS)
    rows = [
        (position, name, amount / sum(found.values()))
        for position, (_, found) in enumerate(bins)
        for name, amount in found.items()
        if amount
    ]
    title = f"Outcomes of {count(len(tasks))} tasks in {len(bins)} bins, sorted by score"
    tenths = _bins(tasks, letters, TENTHS)
    body = [Row(cells(f"{n}", count(size), *(ratio(found[name], sum(found.values())) for name in found)))
            for n, (size, found) in enumerate(tenths, 1)]  # fmt: skip
    columns = "Tenth | Tasks | Passed | Failed the verifier | No valid score"
    numbers = table("Outcomes by tenth of the tasks, sorted by score", columns, body, numeric=columns)
    return [Figure(raster(rows), title, "The table beside it holds the same by tenths."), numbers]


def _bins(tasks: list[Json], letters: dict[Key, str], most: int) -> list[tuple[int, dict[str, int]]]:
    """Number of tasks and rollouts by outcome of each bin; the bins differ by at most one task."""
    edges = [len(tasks) * place // most for place in range(most + 1)]
    return [(end - start, _outcomes(tasks[start:end], letters)) for start, end in pairwise(edges)]


def _outcomes(tasks: list[Json], letters: dict[Key, str]) -> dict[str, int]:
    text = "".join(letters[task_key(task)] for task in tasks)
    passed, failed = text.count("p"), text.count("f")
    return {"passed": passed, "failed the verifier": failed, OTHER: len(text) - passed - failed}
