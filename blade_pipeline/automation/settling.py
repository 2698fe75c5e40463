"""Keeps hands off run directories that are still being written."""

import time

from blade_pipeline.assets.live import Live
from blade_pipeline.assets.stage import Graph
from blade_pipeline.environment import QUIET_SECONDS
from blade_pipeline.gym import settled
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell


def still_written(live: Live, graph: Graph, budget: float | None = None) -> dict[Cell, str]:
    """Live runs that have something new to read and whose writer is not done, each with the reason.

    A run whose files all carry a known stamp is not looked at. After ``budget`` seconds the rest wait for next time.
    """
    quiet, start = QUIET_SECONDS.amount(), time.monotonic()
    reading = [stage for stage in graph if stage.reads]
    waiting: dict[Cell, str] = {}
    for cell, run in live.runs.items():
        if not any(live.has_unread(stage, cell) for stage in reading):
            continue
        if budget is not None and time.monotonic() - start > budget:
            waiting[cell] = "not looked at yet"
            continue
        try:
            found = settled(run, time.time(), quiet)
        except BladeError as error:
            waiting[cell] = str(error)
            continue
        if not found.ok:
            waiting[cell] = found.reason
    return waiting
