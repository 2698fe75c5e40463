"""The data that the project ships: what the generator writes, and profiles, references and labels that fit it."""

from collections import Counter
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from blade_pipeline.example import write_example
from blade_pipeline.gym import discover, read_expected, read_failures, read_health, read_rollouts
from blade_pipeline.method.align import align
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.profile_fields import absent_fields
from blade_pipeline.method.profiles import load_labels, load_profile, load_references, profile_of
from blade_pipeline.models import Profile
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.example.conftest import Json, lines_of, truth_of
from blade_pipeline_tests.example.test_writing import bytes_below

DATA = PROJECT / "data"
BENCHMARKS = ("ledger_math", "shop_tools")
MOST_BYTES = 1_600_000


@cache
def _truth() -> Json:
    return truth_of(DATA / "runs")


def _profile(benchmark: str) -> Profile:
    return profile_of(load_profile(DATA / "benchmarks", benchmark))


@cache
def _aligned() -> dict[tuple[str, str], pa.Table]:
    """The samples of every committed run, read by the analysis."""
    tables = {}
    for run in discover(DATA / "runs").runs:
        rows = read_rollouts(run)
        health = read_health(run, rows.num_rows)
        tables[run.benchmark, run.run] = align(
            read_expected(run), rows, read_failures(run), health, _profile(run.benchmark)
        )
    return tables


def test_the_committed_runs_are_what_the_generator_writes(tmp_path: Path) -> None:
    write_example(tmp_path / "runs", **_truth()["parameters"])
    written, committed = bytes_below(tmp_path / "runs"), bytes_below(DATA / "runs")
    assert sorted(written) == sorted(committed)
    assert [name for name in written if written[name] != committed[name]] == []


def test_the_data_stay_small() -> None:
    kept = [DATA / name for name in ("runs", "benchmarks", "references", "labels")]
    assert sum(len(content) for folder in kept for content in bytes_below(folder).values()) < MOST_BYTES


def test_the_analysis_finds_the_runs_and_accounts_for_every_rollout_as_planted() -> None:
    runs = {(run["benchmark"], run["run"]): run for run in _truth()["runs"]}
    assert set(_aligned()) == set(runs)
    for key, table in _aligned().items():
        told = {(str(r["task"]), str(r["repeat"])): (r["outcome"], r["reward"]) for r in runs[key]["rollouts"]}
        columns = table.select(["task", "repeat", "outcome", "score"]).to_pylist()
        assert {(row["task"], row["repeat"]): (row["outcome"], row["score"]) for row in columns} == told


def test_the_profiles_name_every_planted_failure_mode() -> None:
    runs = {(run["benchmark"], run["run"]): run for run in _truth()["runs"]}
    for (benchmark, run), table in _aligned().items():
        modes, document = failure_modes(table, _profile(benchmark))
        assert document["unexplained"] == 0
        found = {(row["task"], row["repeat"]): row["mode"] for row in modes.to_pylist()}
        planted = {(str(r["task"]), str(r["repeat"])): r["mode"] for r in runs[benchmark, run]["rollouts"] if r["mode"]}
        assert found == planted


def test_every_phase_of_the_funnels_tells_rollouts_apart() -> None:
    for benchmark in BENCHMARKS:
        lost: Counter[str] = Counter()
        for (name, _), table in _aligned().items():
            if name == benchmark:
                phases = [p for p in funnel(table, _profile(benchmark))["phases"] if p["source"] == "profile"]
                lost.update({phase["phase"]: phase["entered"] - phase["reached"] for phase in phases[1:]})
        assert set(lost) == {phase.phase for phase in _profile(benchmark).funnel[1:]}
        assert all(lost.values()), lost


def test_the_profiles_name_no_field_that_the_runs_lack() -> None:
    assert [absent_fields(table, _profile(name)) for (name, _), table in _aligned().items()] == [[]] * len(_aligned())


def test_baselines_are_among_the_runs() -> None:
    runs = {(run["benchmark"], run["run"]) for run in _truth()["runs"]}
    assert {(benchmark, _profile(benchmark).baseline_run) for benchmark in BENCHMARKS} <= runs


def test_references_load() -> None:
    for benchmark in BENCHMARKS:
        assert len(load_references(DATA / "references", benchmark)["references"]) == 1


@pytest.mark.parametrize("path", sorted((DATA / "labels").rglob("*.yaml")), ids=lambda path: path.stem)
def test_labels_cite_failed_rollouts_of_their_run(path: Path) -> None:
    benchmark, run = path.parent.name, path.stem
    labels = load_labels(DATA / "labels", benchmark, run)["labels"]
    [directory] = [r["directory"] for r in _truth()["runs"] if (r["benchmark"], r["run"]) == (benchmark, run)]
    rows = lines_of(DATA / "runs" / directory / "rollouts.jsonl")
    failed = {f"{r['_ng_task_index']}-{r['_ng_rollout_index']}": r["_ng_task_index"] for r in rows if r["reward"] < 1}
    assert len(labels) == 2
    for label in labels:
        assert label["evidence"]
        assert {failed[rollout] for rollout in label["evidence"]} == {label["task"]}
