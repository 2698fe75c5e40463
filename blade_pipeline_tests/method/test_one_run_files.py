"""Further inputs of public bug reports about one run: its files, encodings, repeats and standard errors."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.assets.checks import peer_aggregate_agrees
from blade_pipeline.models import Profile
from blade_pipeline.statistics import cluster_bootstrap_se
from blade_pipeline.storage import Artifact
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, planned, rollout, write_run


def run_of(tmp_path: Path, rows: list[Any], profile: Profile | None = None, **files: Any) -> Analyzed:
    write_run(tmp_path / "bench" / "run", rows, **files)
    return analyzed_folder(tmp_path, profile)["bench/run"]


def with_aggregate(tmp_path: Path, rows: list[Any], **metrics: float) -> Analyzed:
    folder = write_run(tmp_path / "bench" / "run", rows)
    entry = {"agent_ref": {"name": "simple"}, "agent_metrics": metrics}
    (folder / "rollouts_aggregate_metrics.json").write_text(json.dumps([entry]))
    return analyzed_folder(tmp_path)["bench/run"]


def kinds(run: Analyzed) -> list[str]:
    return [found["kind"] for found in run.coverage["findings"]]


def output(text: str) -> list[dict[str, Any]]:
    return [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]


def test_b07_a_shipped_mean_that_the_rows_do_not_give_is_a_finding(tmp_path: Path) -> None:
    rows = [rollout(task, 0, reward) for task, reward in enumerate([1.0, 0.0, 1.0, 0.0])]
    run = with_aggregate(tmp_path, rows, **{"mean/reward": 0.6667})
    [found] = [entry for entry in run.coverage["findings"] if "aggregate" in entry["kind"]]
    assert found["numbers"] == {"compared": 1, "different": 1, "theirs": 0.6667, "ours": 0.5}
    # 1, 0, 1 are the first three rows: 2/3
    assert "only the first 3 of 4 rows had been written" in found["sentence"]


def test_b22_a_share_of_160_percent_fails_the_runs_check(tmp_path: Path) -> None:
    rows = [rollout(task, 0, float(task % 2), extracted=None if task < 2 else "x") for task in range(8)]
    run = with_aggregate(tmp_path, rows, no_answer=160.01)
    assert kinds(run) == ["impossible share"]
    (tmp_path / "bench" / "run" / "rollouts_aggregate_metrics.json").unlink()
    answered = analyzed_folder(tmp_path, Profile(answer_key="extracted"))["bench/run"]
    assert answered.scores["agents"]["simple"]["native"]["pass@1/no_answer"] == 25.0  # 2 of 8
    verdicts = [peer_aggregate_agrees(Artifact(document=found.coverage)) for found in (run, answered)]
    assert [verdict.passed for verdict in verdicts] == [False, True]


def test_b25_two_models_in_one_run_are_a_finding(tmp_path: Path) -> None:
    rows = [rollout(task, 0, response={"model": f"m-{'ab'[task % 2]}", "output": []}) for task in range(8)]
    run = run_of(tmp_path, rows)
    [found] = [entry for entry in run.manifest["findings"] if entry["kind"] == "several values of model in one run"]
    assert found["detail"] == "8 of 8 rows name 2 values of model: m-a (4), m-b (4)."
    assert run.manifest["values"]["model"]["value"] is None


def test_b27_only_the_newline_byte_ends_a_row(tmp_path: Path) -> None:
    text = "one\u0085two\u2028three"
    raw = json.dumps(rollout(0, 0, response={"output": output(text)}), ensure_ascii=False)
    run = run_of(tmp_path, [raw, raw.replace('"_ng_task_index": 0', '"_ng_task_index": 1')])
    count = run.coverage["accounting"]
    assert (count["lines"], count["measured"], count["malformed_lines"]) == (2, 2, 0)


@pytest.mark.parametrize(("cut", "measured", "missing", "malformed"), [(0, 4, 0, 0), (1, 3, 1, 1)])
def test_b28_half_a_last_line_is_one_malformed_line_and_its_rollout_is_missing(
    tmp_path: Path, cut: int, measured: int, missing: int, malformed: int
) -> None:
    whole = [json.dumps(rollout(task, 0, note="é"), ensure_ascii=False).encode() for task in range(4)]
    last = whole[3][: whole[3].index("é".encode()) + 1] if cut else whole[3]
    folder = write_run(tmp_path / "bench" / "run", [], [planned(task, 0) for task in range(4)])
    content = b"\n".join([*whole[:3], last])
    (folder / "rollouts.jsonl").write_bytes(content)
    count = analyzed_folder(tmp_path)["bench/run"].coverage["accounting"]
    assert (count["measured"], count["missing"], count["malformed_lines"]) == (measured, missing, malformed)
    assert (folder / "rollouts.jsonl").read_bytes() == content


def test_b29_what_some_rows_do_not_say_stays_unknown(tmp_path: Path) -> None:
    responses: list[dict[str, Any]] = [{"output": [], "finish_reason": "length"}] * 2 + [{"output": []}] * 2
    run = run_of(tmp_path, [rollout(task, 0, response=response) for task, response in enumerate(responses)])
    known = [json.loads(text or "{}").get("finish_reason") for text in run.aligned["response"].to_pylist()]
    assert known == ["length", "length", None, None]


def test_b30_repeats_that_overwrote_each_other_are_named(tmp_path: Path) -> None:
    copied = {"id": "r0", "output": output("same")}
    rows = [rollout(task, repeat, 1.0, response=copied) for task in range(3) for repeat in range(4)]
    assert "repeats are copies" in kinds(run_of(tmp_path / "copies", rows))
    kept = [rollout(task, repeat, 1.0) for task in range(3) for repeat in (0, 2, 3)]
    lost = run_of(tmp_path / "lost", kept, inputs=[planned(task, repeat) for task in range(3) for repeat in range(4)])
    assert "a repeat is missing" in kinds(lost)


def test_b32_a_mean_and_its_error_weigh_alike(tmp_path: Path) -> None:
    # two tasks of category a pass, of eighteen of category b none: over tasks .1, over categories .5
    rows = [rollout(task, 0, float(task < 2), category="a" if task < 2 else "b") for task in range(20)]
    scores = run_of(tmp_path, rows, Profile(slices=("category",))).scores
    interval = scores["intervals"]["pass_at_1"]
    assert scores["pass_at_1"] == interval["estimate"] == pytest.approx(0.1)
    # sd of two 1 and eighteen 0 is sqrt(.09 * 20/19); over sqrt(20)
    assert interval["se"] == pytest.approx(math.sqrt(0.09 / 19))


def test_b33_the_error_over_tasks_holds_the_luck_of_the_repeats_once(tmp_path: Path) -> None:
    matrix = ["1101", "0000", "1001", "1111", "0100", "1110"]
    rows = [rollout(t, r, float(value)) for t, row in enumerate(matrix) for r, value in enumerate(row)]
    run = run_of(tmp_path, rows)
    # case S31: enumerating all 6^6 resamples of whole tasks gives .137142 = sqrt(5/6) * .150231
    assert run.scores["intervals"]["pass_at_1"]["se"] == pytest.approx(0.15023130314433292, abs=1e-9)
    means = run.per_task["score_mean"].to_pylist()
    assert cluster_bootstrap_se(means) == pytest.approx(0.13714178929257986, abs=1e-9)


def test_b38_cached_repeats_at_a_temperature_are_one_observation_each(tmp_path: Path) -> None:
    asked = {"temperature": 1.0}
    rows = [
        rollout(task, repeat, float(task % 2), response={"output": output(f"a{task}")}, responses_create_params=asked)
        for task in range(5)
        for repeat in range(4)
    ]
    run = run_of(tmp_path, rows)
    [found] = [entry for entry in run.coverage["findings"] if entry["kind"] == "repeats are copies"]
    assert found["numbers"] == {"identical_tasks": 5, "compared_tasks": 5, "identical_unequal_tasks": 0}
    # 2 of 5 tasks pass: pass@4 says no more than pass@1, and the error is that of five tasks, not of twenty rollouts
    assert (run.scores["pass_at_1"], run.scores["pass_at"]["4"]["value"]) == (0.4, 0.4)
    assert run.scores["intervals"]["pass_at_1"]["se"] == pytest.approx(math.sqrt(0.24 / 4))
    cold = [{**row, "responses_create_params": {"temperature": 0.0}} for row in rows]
    assert "repeats are copies" not in kinds(run_of(tmp_path / "cold", cold))


def test_b40_two_judges_in_one_run_are_a_finding(tmp_path: Path) -> None:
    rows = [rollout(task, 0, judge={"model": "j1" if task < 4 else "j2"}) for task in range(6)]
    findings = run_of(tmp_path, rows).manifest["findings"]
    assert [found["detail"] for found in findings] == ["6 of 6 rows name 2 values of judge: j1 (4), j2 (2)."]


def test_b41_half_a_surrogate_leaves_its_row_scored(tmp_path: Path) -> None:
    line = json.dumps(rollout(0, 0, response={"output": output("SPOT")})).replace("SPOT", "a\\ud83d b")
    run = run_of(tmp_path, [line])
    assert run.coverage["accounting"]["measured"] == 1
    assert run.aligned["answer_length"].to_pylist() == [4]


def test_b42_one_huge_row_is_scored_and_only_its_narrow_columns_stay(tmp_path: Path) -> None:
    rows = [rollout(0, 0, 1.0, response={"output": output("x" * 40_000_000)}), rollout(1, 0, 0.0)]
    run = run_of(tmp_path, rows)
    assert run.scores["pass_at_1"] == 0.5
    assert run.aligned.nbytes < 100_000
