"""Tools called in two runs: counts planted, p by hand from the sign vectors."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.comparison import Side
from blade_pipeline.method.comparison.moved_tools import moved_tools, tool_uses
from blade_pipeline.method.comparison.shares import on_common_tasks
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, planned, rollout, write_run

TASKS = 10
Place = tuple[int, int]
Calls = dict[Place, list[str]]
EVERY = [(task, repeat) for task in range(TASKS) for repeat in range(2)]


def _response(tools: list[str]) -> dict[str, Any]:
    calls = [
        {"type": "function_call", "name": tool, "arguments": "{}", "call_id": f"c{number}"}
        for number, tool in enumerate(tools)
    ]
    answers = [{"type": "function_call_output", "call_id": call["call_id"], "output": "done"} for call in calls]
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]}
    return {"id": "r", "model": "m", "output": [*calls, *answers, said]}


def _runs(
    folder: Path, a: Calls, b: Calls, silent: frozenset[Place] = frozenset(), cut: frozenset[Place] = frozenset()
) -> list[tuple[Side, pa.Table]]:
    """Two runs whose rollouts call these tools; ``silent`` ones of the first record nothing, a limit ``cut`` others."""
    limit = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    for name, calls in (("a", a), ("b", b)):
        rows = []
        for task, repeat in EVERY:
            is_cut = name == "b" and (task, repeat) in cut
            response = _response(calls.get((task, repeat), [])) | (limit if is_cut else {})
            recorded = {"id": "r", "model": "m"} if name == "a" and (task, repeat) in silent else response
            rows.append(rollout(task, repeat, float(not is_cut), response=recorded))
        write_run(folder / "bench" / name, rows, [planned(task, repeat) for task, repeat in EVERY])
    found = []
    for name, run in sorted(analyzed_folder(folder).items()):
        modes, _ = failure_modes(run.aligned, Profile())
        found.append((run.side(name), tool_uses(run.aligned, modes)))
    return found


def _moved(folder: Path, a: Calls, b: Calls, **options: Any) -> dict[str, Any]:
    (first, before), (second, now) = _runs(folder, a, b, **options)
    return moved_tools(on_common_tasks(first, second), before, now)


def test_a_tool_that_is_left_out_is_named_with_its_counts(tmp_path: Path) -> None:
    # search in all 20 rollouts before and in the first repeat of two tasks now: 8 tasks fall by 1, 2 by .5; mid-p 2^-10
    every = {place: ["search", "search", "open"] for place in EVERY}
    now = {place: ["open"] for place in every} | {(0, 0): ["search", "open"], (1, 0): ["search"]}
    found = _moved(tmp_path, every, now)
    rows = {row["tool"]: row for row in found["rows"]}
    assert rows["search"]["a"] == {"count": 20, "measured": 20, "share": 1.0}
    assert rows["search"]["b"] == {"count": 2, "measured": 20, "share": 0.1}
    assert rows["search"]["change"] == pytest.approx(-0.9)
    assert rows["search"]["p"] == pytest.approx(2**-10) and rows["search"]["holm_p"] == pytest.approx(2 * 2**-10)
    assert (rows["open"]["b"]["count"], rows["open"]["holm_p"]) == (19, 1.0)
    assert found["sentence"] == (
        "Beyond chance in the tools called: search in 20 of 20 rollouts before and 2 of 20 now, -90.0 points, p = 0.002"
        " (p after Holm's correction over 2 tools)."
    )


def test_rollouts_without_recorded_steps_count_on_no_side(tmp_path: Path) -> None:
    silent = frozenset({(0, 0), (0, 1), (1, 0)})
    every = {place: ["open"] for place in EVERY}
    found = _moved(tmp_path, every, every, silent=silent)
    [row] = found["rows"]
    assert (found["tasks"], row["a"]["count"], row["a"]["measured"], row["b"]["measured"]) == (9, 17, 17, 18)
    assert (row["change"], row["p"], found["sentence"]) == (0.0, 1.0, "")


def test_rollouts_that_a_limit_ended_count_on_no_side(tmp_path: Path) -> None:
    """Six rollouts are cut before they come to the tool: that they left it out says nothing of the model."""
    every = {place: ["open"] for place in EVERY}
    cut = frozenset((task, 0) for task in range(6))
    found = _moved(tmp_path, every, {place: tools for place, tools in every.items() if place not in cut}, cut=cut)
    [row] = found["rows"]
    assert (found["tasks"], row["b"]["count"], row["b"]["measured"], row["change"]) == (10, 14, 14, 0.0)


def test_runs_that_call_no_tool_have_no_rows(tmp_path: Path) -> None:
    found = _moved(tmp_path, {}, {})
    assert (found["tasks"], found["rows"], found["sentence"]) == (TASKS, [], "")
