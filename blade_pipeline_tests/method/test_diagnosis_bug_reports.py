"""Public bug reports of tools like this one, from the rows they describe to the diagnosis."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.gym import discover
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed, rollout, write_run

TEXT = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "forty-two"}]}]
ANSWER = {"id": "r", "model": "m", "output": TEXT, "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}}
SILENCE = {"id": "r", "model": "m", "output": [], "usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}}


def _diagnosis(folder: Path, rows: list[dict[str, Any]]) -> tuple[pa.Table, dict[str, Any], dict[str, Any]]:
    write_run(folder / "sums" / "one", rows)
    aligned = analyzed(discover(folder).runs[0]).aligned
    modes, document = failure_modes(aligned, Profile())
    buckets, _ = outcome_buckets(aligned, Profile())
    return modes, document, root_causes(aligned, buckets, modes, {}, Profile())


def test_b11_a_zero_without_any_model_call_is_a_suspect(tmp_path: Path) -> None:
    rows = [
        rollout(0, 0, None, error="reward file unreadable"),
        rollout(0, 1, 0.0, response=SILENCE),
        rollout(0, 2, 0.0, response=ANSWER),
    ]
    modes, document, _ = _diagnosis(tmp_path, rows)
    assert modes["mode"].to_pylist() == ["no_activity", "wrong_answer"]
    assert document["not_measured"] == [{"outcome": "unscored", "reason": "invalid_null", "count": 1, "tasks": 1}]


def test_b12_zeros_with_a_rate_limit_in_their_error_are_counted_apart(tmp_path: Path) -> None:
    # Shown 2/12, without suspects 2/6, bounds [2/12, 8/12].
    rows = [rollout(n, 0, 0.0, response=ANSWER, error="429 Too Many Requests") for n in range(6)]
    rows += [rollout(n, 0, 0.0, response=ANSWER) for n in range(6, 10)]
    rows += [rollout(n, 0, 1.0, response=ANSWER) for n in (10, 11)]
    _, document, causes = _diagnosis(tmp_path, rows)
    found = document["infrastructure"]
    assert found["suspects"] == 6
    assert (found["score_shown"], found["score_without"]) == (pytest.approx(2 / 12), pytest.approx(2 / 6))
    assert (found["low"], found["high"]) == (pytest.approx(2 / 12), pytest.approx(8 / 12))
    assert causes["counts"]["IR"] == 6


def test_b13_the_last_event_decides_not_the_activity_before_it(tmp_path: Path) -> None:
    calls = [{"status": 200}] * 19
    died = {"ng_trajectory": {"schema_version": "1.0", "turns": [], "model_calls": [*calls, {"status": 402}]}}
    ended = {"ng_trajectory": {"schema_version": "1.0", "turns": [], "model_calls": [*calls, {"status": 200}]}}
    rows = [rollout(0, 0, 0.0, response=ANSWER, **died), rollout(1, 0, 0.0, response=ANSWER, **ended)]
    modes, _, causes = _diagnosis(tmp_path, rows)
    assert modes["mode"].to_pylist() == ["infrastructure", "wrong_answer"]
    assert [row["label"] for row in causes["labels"]] == ["IR", "unlabelled"]


def test_b14_a_task_on_which_no_agent_ran_is_no_knowledge_gap(tmp_path: Path) -> None:
    rows = [rollout(0, repeat, 0.0, response=SILENCE) for repeat in range(4)]
    rows += [rollout(1, repeat, 0.0, response=ANSWER) for repeat in range(4)]
    _, document, causes = _diagnosis(tmp_path, rows)
    assert {mode["code"]: mode["count"] for mode in document["modes"]} == {"no_activity": 4, "wrong_answer": 4}
    assert [(row["task"], row["label"]) for row in causes["labels"]] == [("0", "IR"), ("1", "KG")]
