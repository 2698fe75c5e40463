"""Passing against failing rollouts of the same task: where they first part, and in what they differ on average."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method.arrays import row_numbers
from blade_pipeline.method.first_difference import first_difference
from blade_pipeline.method.sql import query
from blade_pipeline.method.stratified import stratified
from blade_pipeline.method.undisturbed import undisturbed

MOST_SHOWN = 20
"""Pairs that the document holds; the averages are over every task."""

PAIRED = 200
"""Of so many passing and as many failing rollouts of a task the two closest in length are sought."""

TELLING_ANSWER = 40
"""Characters from which an answer without tool calls counts as the whole output: a shorter one hides other work."""

_TASKS = ["agent", "stage", "task"]
_COLUMNS = (
    "agent stage task repeat rank order outcome passed score file line rollout_id output_items tool_calls tool_errors "
    "input_tokens output_tokens total_tokens reasoning_tokens answer_length incomplete_reason response_status "
    "response_digest answer_digest steps numbers perf"
).split()

_MIXED = """
    select samples.* from samples semi join sometimes using (agent, stage, task) where outcome = 'measured'
"""

_PAIRS = """
    with first as (
        from mixed qualify row_number() over (partition by agent, stage, task, passed order by rank) <= $paired
    ), pairs as (
        select passing.agent, passing.stage, passing.task, passing.position as passing, failing.position as failing,
            passing."order", passing.rank as passing_rank, failing.rank as failing_rank,
            abs(passing.output_items - failing.output_items) as items_apart,
            abs(passing.output_tokens - failing.output_tokens) as tokens_apart
        from first as passing join first as failing using (agent, stage, task)
        where passing.passed and not failing.passed
    )
    select * from pairs
    qualify row_number() over (
        partition by agent, stage, task
        order by items_apart nulls last, tokens_apart nulls last, passing_rank, failing_rank) = 1
    order by stage, "order", agent limit $most
"""

_SAME_OUTPUT = """
    select agent, stage, task, arg_min(rollout_id, rank) filter (passed) as passing,
        arg_min(rollout_id, rank) filter (not passed) as failing
    from mixed where response_digest is not null and (answer_length >= $telling or tool_calls > 0)
    group by agent, stage, task, response_digest having bool_or(passed) and bool_or(not passed)
    order by stage, min("order"), agent, passing
"""


def contrasts(aligned: pa.Table, buckets: pa.Table, modes: pa.Table) -> dict[str, Any]:
    """Contrast the tasks that pass sometimes.

    Of each such task the passing and the failing rollout closest in length are shown, for the first 20 tasks in the
    dataset's order; ``stratified`` averages the within-task differences over all of them, each task weighing the
    same, without failing rollouts that an outage or a limit ended; ``same_output`` names tasks where one and the same
    output was scored both ways.
    """
    sometimes = query(
        "select agent, stage, task from b where bucket = 'sometimes_pass'", b=buckets.select([*_TASKS, "bucket"])
    )
    mixed = query(_MIXED, samples=aligned.select(_COLUMNS), sometimes=sometimes)
    mixed = mixed.append_column("position", row_numbers(mixed))
    slim = mixed.select([name for name in mixed.column_names if name not in ("steps", "numbers", "perf")])
    pairs = query(_PAIRS, {"most": MOST_SHOWN, "paired": PAIRED}, mixed=slim).to_pylist()
    return {
        "contrasts": [_contrast(pair, mixed) for pair in pairs],
        "stratified": stratified(undisturbed(mixed, modes)),
        "same_output": query(_SAME_OUTPUT, {"telling": TELLING_ANSWER}, mixed=slim).to_pylist(),
        "tasks": sometimes.num_rows,
        "shown": len(pairs),
        "note": _note(mixed, buckets, sometimes.num_rows),
    }


def _contrast(pair: dict[str, Any], mixed: pa.Table) -> dict[str, Any]:
    passing, failing = mixed.take([pair["passing"], pair["failing"]]).to_pylist()
    sentence, step = first_difference(passing, failing)
    return {
        **{name: pair[name] for name in _TASKS},
        "passing": _place(passing),
        "failing": _place(failing),
        "features": _features(passing, failing),
        "first_difference": sentence,
        "step": step,
    }


def _place(row: dict[str, Any]) -> dict[str, Any]:
    return {"rollout": row["rollout_id"], "repeat": row["repeat"], "file": row["file"], "line": row["line"]}


FEATURES = {
    "steps": "output_items",
    "tool calls": "tool_calls",
    "tool errors": "tool_errors",
    "output tokens": "output_tokens",
    "total tokens": "total_tokens",
    "reasoning tokens": "reasoning_tokens",
    "answer characters": "answer_length",
    "score": "score",
}
"""Columns of the aligned samples by the names that reports give them."""


def _features(passing: dict[str, Any], failing: dict[str, Any]) -> list[dict[str, Any]]:
    """Features that at least one of the two rollouts carries; zero tokens on both sides were not counted."""
    pairs = {name: (passing[column], failing[column]) for name, column in FEATURES.items()}
    found = [
        {"name": name, "passing": pair[0], "failing": pair[1]}
        for name, pair in pairs.items()
        if pair != (None, None) and not ("tokens" in name and pair == (0, 0))
    ]
    return [*found, {"name": "stop reason", "passing": _stop(passing), "failing": _stop(failing)}]


def _stop(row: dict[str, Any]) -> str:
    return row["incomplete_reason"] or row["response_status"] or "not recorded"


def _note(mixed: pa.Table, buckets: pa.Table, tasks: int) -> str | None:
    """Why there is nothing, or not all, to compare."""
    if tasks == 0:
        repeats = max(buckets["measured"].to_pylist(), default=0)
        if repeats < 2:
            return "Cannot be supported: no task has two measured rollouts, so none can pass sometimes."
        return "No task passes sometimes: every task with several measured rollouts always passes or never does."
    if mixed["steps"].null_count == mixed.num_rows:
        return "Cannot be supported: no rollout of a sometimes-pass task has a recorded trajectory."
    return None
