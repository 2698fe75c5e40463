"""What the accounting of a run takes for granted, in sentences."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.profiling import profiled
from blade_pipeline.method.contents import SEVERAL_CONTENTS


def assumptions(aligned: pa.Table, total: dict[str, Any], known: bool) -> Iterator[str]:
    """One sentence per assumption.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        total: the accounting of the run.
        known: whether something says what was expected.
    """
    if not known:
        yield "No materialized inputs were found, so how many rollouts were expected is unknown."
    elif profiled(aligned):
        yield (
            "How many rollouts were expected is what the reward profile counts for each task; a task that lost every "
            "rollout and a masked rollout leave no trace in it."
        )
    yield from _of_tasks(aligned)
    if total["malformed_lines"]:
        yield (
            f"{total['malformed_lines']} of {total['lines']} lines could not be read as rollouts and are counted as "
            "malformed, not as failures."
        )
    if total["duplicates"]:
        yield (
            f"Lines that repeat the identity of a rollout: {total['duplicates']}. Equal payloads count once, "
            "the highest attempt wins, and differing results of one attempt are unscored."
        )
    if total["unexpected"]:
        yield f"{total['unexpected']} rollouts are not named by the materialized inputs and stay out of every score."


def _of_tasks(aligned: pa.Table) -> Iterator[str]:
    """Which task a row was taken to belong to."""
    stale = pc.sum(aligned["stale_inputs"]).as_py() or 0
    if stale:
        yield (
            f"{stale} rows open with another prompt than the materialized inputs name under their index, so the inputs "
            "are of another run. These tasks are identified by what the rows answer."
        )
    apart = aligned.filter(pc.match_substring(aligned["task"], SEVERAL_CONTENTS))
    own = pc.fill_null(apart["indexed"], True)
    if shared := len(pc.unique(apart["task"].filter(own))):
        yield (
            f"{shared} tasks share an index with a task of other content, as shards that each number from 0 do; "
            "they are told apart by their content."
        )
    if alike := len(pc.unique(apart["task"].filter(pc.invert(own)))):
        yield (
            f"{alike} tasks of rows without an index share their user prompt with another task of the run; they are "
            "told apart by their system prompt."
        )
    unindexed = pc.sum(pc.equal(aligned["indexed"], False)).as_py() or 0
    if unindexed:
        yield (
            f"{unindexed} rows carry no task and repeat index: their task is taken from their content "
            "and their repeat from their order."
        )
