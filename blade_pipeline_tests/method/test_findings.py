"""What disturbs a run's numbers is found, named with its numbers, and changes no score."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, failure, planned, rollout, write_run

TEXT = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "four"}]}]
ANSWER = {"id": "r", "model": "m", "output": TEXT, "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}}


def run_of(
    tmp_path: Path,
    rows: list[Any],
    *,
    profile: Profile | None = None,
    others: dict[str, Any] | None = None,
    **files: Any,
) -> Analyzed:
    folder = write_run(tmp_path / "bench" / "run", rows, **files)
    for name, content in (others or {}).items():
        lines = isinstance(content, list) and name.endswith(".jsonl")
        text = "".join(f"{json.dumps(line)}\n" for line in content) if lines else json.dumps(content)
        (folder / name).write_text(content if isinstance(content, str) else text)
    return analyzed_folder(tmp_path, profile)["bench/run"]


def named(run: Analyzed, kind: str) -> dict[str, Any]:
    [found] = [entry for entry in run.coverage["findings"] if entry["kind"] == kind]
    assert set(found) == {"kind", "sentence", "numbers"}
    return dict(found)


def kinds(run: Analyzed) -> list[str]:
    return [entry["kind"] for entry in run.coverage["findings"]]


def grid(tasks: int, repeats: int = 1) -> list[dict[str, Any]]:
    return [planned(task, repeat) for task in range(tasks) for repeat in range(repeats)]


def aggregate(**metrics: float) -> dict[str, Any]:
    numbers = {name.replace("__", "/"): value for name, value in metrics.items()}
    return {"rollouts_aggregate_metrics.json": [{"agent_ref": {"name": "simple"}, "agent_metrics": numbers}]}


def test_a_whole_run_has_no_finding(tmp_path: Path) -> None:
    rows = [rollout(task, 0, float(task % 2), response=ANSWER) for task in range(4)]
    run = run_of(tmp_path, rows, inputs=grid(4), others=aggregate(mean__reward=0.5, min__reward=0.0))
    assert run.coverage["findings"] == []
    [file] = run.coverage["aggregates"]
    assert (file["compared"], file["different"]) == (2, 0)


def test_a_field_that_some_rows_lack_is_named_with_its_rows(tmp_path: Path) -> None:
    """Bug report B29: two of four rows know how the answer ended."""
    rows = [rollout(task, 0, 1.0, response=ANSWER) for task in range(4)]
    for row in rows[:2]:
        row["finish_reason"] = "length"
    found = named(run_of(tmp_path, rows, inputs=grid(4)), "fields known on some rows only")
    assert "`finish_reason` is known for 2 of 4 rows." in found["sentence"]
    assert found["numbers"] == {"fields": 1, "known": 2, "rows": 4}


def test_zeros_written_in_place_of_failed_rollouts_are_named(tmp_path: Path) -> None:
    silent = {"id": "r", "output": [], "usage": {"output_tokens": 0}}
    rows = [rollout(0, 0, 1.0, response=ANSWER), rollout(1, 0, 0.0, response=ANSWER)]
    rows += [rollout(2, 0, 0.0, response=None, failure_kind="transport_timeout"), rollout(3, 0, 0.0, response=silent)]
    run = run_of(tmp_path, rows, inputs=grid(4), failures=[failure(3, 0)])
    found = named(run, "imputed zeros")
    # 1 of 4 with the two zeros, 1 of 2 without them
    assert found["numbers"] == {
        "zeros": 2, "measured": 4, "passed": 1, "measured_without": 2, "pass_rate": 0.25, "pass_rate_without": 0.5,
    }  # fmt: skip
    assert "`2-0`, `3-0`" in found["sentence"]
    assert run.scores["pass_at_1"] == 0.25


def test_a_wrong_answer_with_a_remark_is_no_imputed_zero(tmp_path: Path) -> None:
    rows = [rollout(0, 0, 0.0, response=ANSWER, failure_reason="no match"), rollout(1, 0, 0.0, response=None)]
    assert "imputed zeros" not in kinds(run_of(tmp_path, rows))


ROWS = [rollout(task, 0, reward, response=ANSWER) for task, reward in enumerate([1.0, 0.0, 1.0, 1.0])]


@pytest.mark.parametrize(
    ("lost", "shipped", "kind", "rule"),
    [
        # 3 of 4 pass; 3/6 with two failures as 0; 3/5 with one missing as 0; 3/7 with both
        ("failed", 3 / 6, "imputed zeros in the aggregate", "failed rollouts count as reward 0 (2 of them)"),
        ("missing", 3 / 5, "imputed zeros in the aggregate", "missing rollouts count as reward 0 (1 of them)"),
        ("both", 3 / 7, "imputed zeros in the aggregate", "failed and missing rollouts count as reward 0 (3 of them)"),
        # 1, 0 are the first two rows
        ("late", 1 / 2, "aggregate disagrees with the rows", "only the first 2 of 4 rows had been written"),
        # 3 + 1 of 5
        ("masked", 4 / 5, "aggregate disagrees with the rows", "masked rollouts count (1 more)"),
        ("nothing", 0.9, "aggregate disagrees with the rows", "No rule"),
    ],
)
def test_an_aggregate_against_the_rows_with_the_rule_that_explains_it(
    tmp_path: Path, lost: str, shipped: float, kind: str, rule: str
) -> None:
    failures = [failure(4, 0), failure(5, 0)] if lost in ("failed", "both") else []
    extra = [rollout(4, 0, 1.0, response=ANSWER, mask_sample=True)] if lost == "masked" else []
    tasks = {"failed": 6, "missing": 5, "both": 7, "masked": 5}.get(lost, 4)
    run = run_of(
        tmp_path, [*ROWS, *extra], inputs=grid(tasks), failures=failures, others=aggregate(mean__reward=shipped)
    )
    found = named(run, kind)
    assert found["numbers"] == {"compared": 1, "different": 1, "theirs": shipped, "ours": 0.75}
    assert rule in found["sentence"]


def test_a_share_outside_its_range_and_half_a_file_are_named(tmp_path: Path) -> None:
    run = run_of(tmp_path, ROWS, others=aggregate(no_answer=160.01) | {"other_aggregate_metrics.json": "[{"})
    assert set(kinds(run)) == {
        "impossible share",
        "unreadable aggregate",
    }


def test_files_older_than_the_rows_and_forced_verifications_are_named(tmp_path: Path) -> None:
    others = aggregate(mean__reward=0.75) | {"unsafe_rollouts.jsonl": ROWS}
    folder = write_run(tmp_path / "bench" / "run", ROWS)
    for name, content in others.items():
        (folder / name).write_text("\n".join(map(json.dumps, content)) + "\n" if name.endswith("l") else "[]")
    os.utime(folder / "rollouts_aggregate_metrics.json", (1_000_000, 1_000_000))
    run = analyzed_folder(tmp_path)["bench/run"]
    assert "rollouts_aggregate_metrics.json is older than the rollouts" in named(run, "stale aggregate")["sentence"]
    assert "unsafe_rollouts.jsonl" in named(run, "re-verified rewards")["sentence"]
    assert run.scores["pass_at_1"] == 0.75


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            "count_failure_classes_as_zero: [agent_request_failed]\n",
            "pass@1 is 75.0% without them and 60.0% with zeros",
        ),
        ("count_missing_rollouts_as_zero: true\n", "0 missing rollouts stay apart."),
    ],
)
def test_a_configured_rule_for_failures_is_told_with_both_scores(tmp_path: Path, setting: str, sentence: str) -> None:
    others = {"rollouts_resolved_config.yaml": setting}
    run = run_of(tmp_path, ROWS, inputs=grid(5), failures=[failure(4, 0)], others=others)
    assert sentence in named(run, "failures counted as zero")["sentence"]


def verdict(task: int, repeat: int, word: str, *checks: str) -> dict[str, Any]:
    keys = {"_ng_task_index": task, "_ng_rollout_index": repeat, "verdict": word}
    return keys | {"findings": [{"check": name, "detail": {}} for name in checks]}


def test_health_verdicts_have_an_accounting_of_their_own(tmp_path: Path) -> None:
    rewards = [1.0, 0.5, 0.0, 1.0]
    rows = [rollout(task, 0, reward, response=ANSWER) for task, reward in enumerate(rewards)]
    rows[2]["mask_sample"] = True
    verdicts = [verdict(0, 0, "healthy"), verdict(1, 0, "unhealthy", "model_call_failed", "agent_turn_hollow")]
    verdicts += [verdict(2, 0, "unhealthy", "model_call_failed"), verdict(3, 0, "unobserved")]
    run = run_of(tmp_path, rows, inputs=grid(5), others={"rollout_verdicts.jsonl": verdicts})
    shown = ("verdict", "expected", "measured", "masked", "missing", "passed", "mean_reward")
    assert [tuple(row[name] for name in shown) for row in run.coverage["by"]["health"]] == [
        ("healthy", 1, 1, 0, 0, 1, 1.0),
        ("no verdict", 1, 0, 0, 1, 0, None),
        ("unhealthy", 2, 1, 1, 0, 0, 0.5),
        ("unobserved", 1, 1, 0, 0, 1, 1.0),
    ]
    assert run.coverage["health_checks"] == [
        {"check": "model_call_failed", "rollouts": 2, "measured": 1, "passed": 0, "mean_reward": 0.5},
        {"check": "agent_turn_hollow", "rollouts": 1, "measured": 1, "passed": 0, "mean_reward": 0.5},
    ]
    assert named(run, "unhealthy rollouts are scored")["numbers"] == {"unhealthy": 1, "measured": 3, "passed": 0}


def test_stale_verdicts_are_named_and_not_joined(tmp_path: Path) -> None:
    run = run_of(tmp_path, ROWS, others={"rollout_verdicts.jsonl": [verdict(0, 0, "unhealthy", "model_call_failed")]})
    assert "holds 1 verdicts, the rollouts 4 rows; it is not used" in named(run, "stale health file")["sentence"]
    assert run.coverage["by"]["health"] == []
    assert run.coverage["health_checks"] == []


def test_low_coverage_starts_below_nine_rollouts_of_ten(tmp_path: Path) -> None:
    rows = [rollout(0, repeat, 1.0, response={**ANSWER, "output": []}) for repeat in range(9)]
    assert kinds(run_of(tmp_path / "nine", rows, inputs=grid(1, 10))) == []
    found = named(run_of(tmp_path / "eight", rows[:8], inputs=grid(1, 10)), "low coverage")
    assert found["numbers"] == {"measured": 8, "expected": 10, "tasks": 1, "total_tasks": 1}


def test_a_repeat_without_any_row_is_named(tmp_path: Path) -> None:
    rows = [rollout(task, repeat, 1.0, response={**ANSWER, "output": []}) for task in range(3) for repeat in (0, 2)]
    found = named(run_of(tmp_path, rows, inputs=grid(3, 3)), "a repeat is missing")
    assert found["numbers"] == {"repeats": 1, "rollouts": 3}
    assert "repeat 1" in found["sentence"]


def test_a_buckets_share_has_wilsons_interval(tmp_path: Path) -> None:
    # 5 of 16: centre (.3125 + .1200456)/1.2400912 = .3488014; half 1.959964 * .1310693/1.2400912 = .2071549
    rows = [rollout(task, 0, float(task < 5), response=ANSWER) for task in range(16)]
    _, document = outcome_buckets(run_of(tmp_path, rows, inputs=grid(16)).aligned, Profile())
    assert document["intervals"]["always_pass"] == pytest.approx([0.1416465, 0.5559563], abs=1e-6)


def test_coverage_by_task_has_wilsons_interval(tmp_path: Path) -> None:
    # 12 tasks of 2: six whole, four with one of two, two without a row; z^2 = 3.841459, z = 1.959964
    # 10 of 12: (10 + 1.920729 -+ 1.959964 sqrt(12 * 10/12 * 2/12 + .960365)) / 15.841459
    # 6 of 12: (6 + 1.920729 -+ 1.959964 sqrt(12 * 1/4 + .960365)) / 15.841459
    kept = [2] * 6 + [1] * 4 + [0] * 2
    rows = [rollout(task, repeat, 1.0, response=ANSWER) for task, count in enumerate(kept) for repeat in range(count)]
    run = run_of(tmp_path, rows, inputs=grid(12, 2))
    found = run.coverage["task_coverage"]
    labels = {"level": 0.95, "method": "Wilson", "question": "new_tasks", "reason": None}
    near = {name: pytest.approx(value, abs=1e-6) for name, value in {"low": 0.551969, "high": 0.953035}.items()}
    assert found["measured"] == {"tasks": 10, "of": 12, "share": 10 / 12, **near, **labels}
    near = {name: pytest.approx(value, abs=1e-6) for name, value in {"low": 0.253782, "high": 0.746218}.items()}
    assert found["complete"] == {"tasks": 6, "of": 12, "share": 0.5, **near, **labels}


def test_coverage_by_task_is_unknown_without_inputs(tmp_path: Path) -> None:
    found = run_of(tmp_path, [rollout(0, 0, 1.0, response=ANSWER)]).coverage["task_coverage"]["measured"]
    assert (found["tasks"], found["of"], found["share"], found["low"]) == (None, None, None, None)
    assert found["reason"] == "no file says which tasks were expected"


@pytest.mark.parametrize("case", ["one agent", "two agents", "one family"])
def test_a_share_of_tasks_has_an_interval_only_where_tasks_are_independent(tmp_path: Path, case: str) -> None:
    """Four tasks of one agent are four draws; under two agents eight counts are four, in one family perhaps one."""
    agents = ["simple", "other"] if case == "two agents" else ["simple"]
    extra = {"source": "a book"} if case == "one family" else {}
    named = [(task, {"agent_ref": {"name": agent}, **extra}) for task in range(4) for agent in agents]
    rows = [rollout(task, 0, 1.0, response=ANSWER, **given) for task, given in named]
    profile = Profile(family_field="source" if extra else None)
    run = run_of(tmp_path, rows, profile=profile, inputs=[planned(task, 0, **given) for task, given in named])
    covered, shares = run.coverage["task_coverage"]["measured"], outcome_buckets(run.aligned, profile)[1]["intervals"]
    assert (covered["tasks"], covered["of"], covered["share"]) == (len(named), len(named), 1.0)
    if case == "one agent":
        # 4 of 4: low 4 / (4 + z^2) with z^2 = 3.841459
        assert (covered["low"], covered["reason"]) == (pytest.approx(0.510109, abs=1e-6), None)
        assert shares["always_pass"] == pytest.approx([0.510109, 1.0], abs=1e-6)
    else:
        assert (covered["low"], covered["high"], shares) == (None, None, {})
        assert "no independent draws" in covered["reason"]
