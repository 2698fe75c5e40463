"""The mixed run with everything that its page can show: excerpts, slices and a baseline."""

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa

from blade_pipeline.reporting import ReportInputs
from blade_pipeline.tables import PAIRED_TASKS, ROLLOUT_EXCERPTS
from blade_pipeline_tests.reporting.mixed_sample import MIXED
from blade_pipeline_tests.reporting.samples import mixed_run

# Measured tasks in the baseline: 3 rises from 0 to 3 of 4, 4 falls from 4 of 4 to 1 of 4, the other eight stay.
MOVED = {3: (0, 4), 4: (4, 4)}


def reading_run(text: str = "the answer is 4") -> ReportInputs:
    """Task 3 opens a passing and a failing rollout, task 7 a failing one alone; ``text`` is what the steps say."""
    inputs = mixed_run()
    slices = pa.array([json.dumps({"topic": "sums" if task % 2 else "words"}) for task in range(12)])
    place = inputs.per_task.schema.get_field_index("slices")
    rows = [_rollout("3", "passing", text), _rollout("3", "failing", text), _rollout("7", "failing", text)]
    return replace(
        inputs,
        per_task=inputs.per_task.set_column(place, "slices", slices),
        paired=pa.Table.from_pylist([_pair(task) for task in range(10)], schema=PAIRED_TASKS),
        excerpts=pa.Table.from_pylist(rows, schema=ROLLOUT_EXCERPTS),
    )


def _pair(task: int) -> dict[str, Any]:
    passed, measured = MIXED[task].count("P"), MIXED[task].count("P") + MIXED[task].count("F")
    before, of = MOVED.get(task, (passed, measured))
    counts = {"measured": measured, "passed": passed, "baseline_measured": of, "baseline_passed": before}
    names = {"agent": "solver", "stage": 0, "task": str(task), "baseline_task": str(task)}
    return {**names, **counts, "difference": passed / measured - before / of}


def _rollout(task: str, side: str, text: str) -> dict[str, Any]:
    called = "search" if side == "passing" else "guess"
    steps = [
        [1, "message", "user", 12, None, 0, "What is 2+2?"],
        [2, "tool_call", called, 7, "completed", 0, '{"q":1}'],
        [3, "tool_output", called, 30, None, int(side == "failing"), "first line\nsecond line"],
        [4, "omitted", None, 17, None, 0, ""],
        [21, "message", "assistant", len(text), "completed", 0, text],
    ]
    sentence = "At step 2 the passing rollout calls the tool `search`, the failing one calls the tool `guess`."
    return {
        "agent": "solver", "stage": 0, "task": task, "side": side, "rollout_id": f"{task}-{side}", "repeat": "0",
        "score": float(side == "passing"), "stop": "completed", "file": "rollouts.jsonl", "line": 12, "offset": 345,
        "question": text, "steps": json.dumps(steps), "unread": None,
        "first_difference": sentence if task == "3" else None, "step": 2 if task == "3" else None,
    }  # fmt: skip
