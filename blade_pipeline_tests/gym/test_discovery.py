import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade_pipeline.gym import discover, read_rollouts
from blade_pipeline.gym.naming import SAFE_NAME, safe_name
from blade_pipeline.models import BladeError
from blade_pipeline_tests.gym.run_folder import jsonl, only_run, rollout

ROWS = jsonl(rollout(0, 0, 1.0))


def put(root: Path, *names: str, content: bytes | str = ROWS) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def names(root: Path) -> list[tuple[str, str, str]]:
    found = discover(root)
    assert found.problems == []
    return [(run.benchmark, run.run, run.layout) for run in found.runs]


def test_the_folders_name_benchmark_and_run(tmp_path: Path) -> None:
    put(tmp_path, "sums/night-1/rollouts.jsonl", "deep/er/words/night-2/rollouts.jsonl")
    assert names(tmp_path) == [("words", "night-2", "plain"), ("sums", "night-1", "plain")]


def test_a_submitted_job_names_its_benchmarks_and_is_the_run(tmp_path: Path) -> None:
    job = "gym-job-20261103T080910Z-0a1b2c"
    put(tmp_path, f"{job}/sums/artifacts/rollouts.jsonl", f"{job}/words/artifacts/rollouts.jsonl")
    put(tmp_path, f"{job}/gym-job.json", content="{}")
    put(tmp_path, f"{job}/sums/logs/driver-1.log", f"{job}/sums/model-calls/x.capture.jsonl", content="x")
    assert names(tmp_path) == [("sums", job, "submit"), ("words", job, "submit")]
    roles = {file.role for file in discover(tmp_path).runs[0].files}
    assert roles == {"rollouts", "gym_job", "log"}


def test_a_run_yaml_wins_over_the_layout(tmp_path: Path) -> None:
    put(tmp_path, "job/sums/artifacts/rollouts.jsonl")
    put(tmp_path, "job/sums/artifacts/run.yaml", content="benchmark: arithmetic\nmodel_run: 7\nmodel: m\nnotes: hi\n")
    run = only_run(tmp_path)
    assert (run.benchmark, run.run, run.layout, run.model, run.notes) == ("arithmetic", "7", "run.yaml", "m", "hi")


def test_a_run_yaml_takes_a_date_as_a_name(tmp_path: Path) -> None:
    put(tmp_path, "sums/night/rollouts.jsonl")
    put(tmp_path, "sums/night/run.yaml", content="model_run: 2026-01-01\n")
    (run,) = discover(tmp_path).runs
    assert run.run == "2026-01-01"


@pytest.mark.parametrize("pattern", ["a**b[", "[", "**b", "a/**b/c"])
def test_a_pattern_that_is_none_is_a_problem(tmp_path: Path, pattern: str) -> None:
    put(tmp_path, "sums/night/rollouts.jsonl")
    put(tmp_path, "sums/night/run.yaml", content=f"rollouts: '{pattern}'\n")
    (problem,) = discover(tmp_path).problems
    assert problem.endswith(f"rollouts '{pattern}' matches no file; mend the name.")


def test_a_run_yaml_may_leave_names_to_the_folders_and_choose_the_rollouts(tmp_path: Path) -> None:
    put(tmp_path, "sums/night/part-1.jsonl", "sums/night/part-2.jsonl", "sums/night/old_rollouts.jsonl")
    put(tmp_path, "sums/night/run.yaml", content='rollouts: ["part-*.jsonl"]\n')
    run = only_run(tmp_path)
    assert (run.benchmark, run.run) == ("sums", "night")
    assert [path.name for path in run.rollouts] == ["part-1.jsonl", "part-2.jsonl"]
    assert {file.path.name: file.role for file in run.files}["old_rollouts.jsonl"] == "other"


@pytest.mark.parametrize(
    ("files", "packed"),
    [
        (["rollouts.jsonl.gz"], "rollouts.jsonl.gz"),
        (["rollouts-0.jsonl", "rollouts-1.jsonl.zst"], "rollouts-1.jsonl.zst"),
        (["night.jsonl.gz", "night_materialized_inputs.jsonl"], "night.jsonl.gz"),
    ],
)
def test_compressed_rollouts_are_a_problem_that_names_the_file(tmp_path: Path, files: list[str], packed: str) -> None:
    put(tmp_path, *(f"sums/night/{name}" for name in files))
    found = discover(tmp_path)
    assert found.runs == []
    assert found.problems == [
        f"{tmp_path}/sums/night/{packed} is compressed, which is not read; unpack it in its folder, "
        "or move the folder away."
    ]


def test_compressed_files_are_none_where_the_rollouts_lie_there_too_or_are_others(tmp_path: Path) -> None:
    put(tmp_path, "sums/a/rollouts.jsonl", "sums/a/rollouts.jsonl.gz", "sums/a/rollouts_failures.jsonl.gz")
    put(tmp_path, "sums/b/part-1.jsonl", "sums/b/old_rollouts.jsonl.gz", "sums/data/train.jsonl.gz")
    put(tmp_path, "sums/b/run.yaml", content="rollouts: part-1.jsonl\n")
    assert names(tmp_path) == [("sums", "a", "plain"), ("sums", "b", "run.yaml")]


def test_a_run_yaml_cannot_make_a_compressed_file_readable(tmp_path: Path) -> None:
    put(tmp_path, "sums/night/part-1.jsonl.gz", "sums/night/run.yaml", content="rollouts: part-1.jsonl.gz\n")
    assert "/part-1.jsonl.gz is compressed, which is not read" in "".join(discover(tmp_path).problems)


@pytest.mark.parametrize("name", ["rollouts.jsonl", "rollouts_failures.jsonl", "rollouts-2.jsonl"])
@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_a_pipe_a_folder_or_a_device_under_the_name_of_rows_is_a_problem(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    """Nothing waits for its writer; what lies beside it is a run, which does not pass for the whole one in silence."""
    put(tmp_path, "sums/night/rollouts-1.jsonl", "sums/night/rollouts_materialized_inputs.jsonl")
    make(tmp_path / "sums/night" / name)
    found = discover(tmp_path)
    assert [run.run for run in found.runs] == ["night"]
    assert found.problems == [
        f"{tmp_path}/sums/night/{name} is no plain file and is not read; "
        "the rest of its folder passes for the whole run until it is mended."
    ]


def test_a_folder_named_like_rows_may_hold_runs(tmp_path: Path) -> None:
    put(tmp_path, "sums/rollouts.jsonl/rollouts.jsonl")
    assert discover(tmp_path).problems == []
    assert names(tmp_path) == [("sums", "rollouts.jsonl", "plain")]


def test_folders_whose_files_a_run_yaml_lists_are_no_runs_of_their_own(tmp_path: Path) -> None:
    put(tmp_path, "sums/night/chunk0/rollouts.jsonl", "sums/night/chunk1/rollouts.jsonl")
    put(tmp_path, "sums/night/run.yaml", content="rollouts: chunk*/rollouts.jsonl\n")
    run = only_run(tmp_path)
    assert (run.benchmark, run.run, len(run.rollouts)) == ("sums", "night", 2)


def test_sidecars_follow_their_rollouts(tmp_path: Path) -> None:
    for stem in ("chosen", "old", "sub/deep", "unsafe_chosen"):
        put(tmp_path, *[f"sums/night/{stem}{end}.jsonl" for end in ("", "_failures", "_materialized_inputs")])
    put(tmp_path, "sums/night/run.yaml", content="rollouts: [chosen.jsonl, sub/deep.jsonl]\n")
    run = only_run(tmp_path)
    assert [run.relative(file.path) for file in run.having("failures", "materialized_inputs")] == [
        "chosen_failures.jsonl",
        "chosen_materialized_inputs.jsonl",
        "sub/deep_failures.jsonl",
        "sub/deep_materialized_inputs.jsonl",
    ]


def test_sidecars_of_re_verified_rollouts_do_not_count_twice(tmp_path: Path) -> None:
    for stem in ("rollouts", "unsafe_rollouts"):
        put(tmp_path, *[f"sums/night/{stem}{end}.jsonl" for end in ("", "_failures")])
    put(tmp_path, *[f"sums/alone/unsafe_rollouts{end}.jsonl" for end in ("", "_failures")])
    alone, night = discover(tmp_path).runs
    assert [file.path.name for file in night.having("failures")] == ["rollouts_failures.jsonl"]
    assert [file.path.name for file in alone.having("failures")] == ["unsafe_rollouts_failures.jsonl"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("benchmark: [", "is not readable YAML"),
        ("- a\n- b\n", "must be a mapping"),
        ("model-run: x\n", r"unknown key 'model-run'; did you mean 'model_run'\?"),
        ("colour: red\n", "unknown key 'colour'; known keys are benchmark, model_run"),
        ("benchmark: [a]\n", "benchmark: input should be a valid string"),
        ("rollouts: ../other/rollouts.jsonl\n", "must be a name or pattern inside its folder"),
        ("rollouts: /etc/passwd\n", "must be a name or pattern inside its folder"),
        ("rollouts: gone.jsonl\n", "'gone.jsonl' matches no file"),
        ("\x00", "is not readable YAML"),
    ],
)
def test_a_broken_run_yaml_is_a_problem_that_names_it(tmp_path: Path, text: str, sentence: str) -> None:
    put(tmp_path, "sums/night/rollouts.jsonl", "sums/other/rollouts.jsonl")
    put(tmp_path, "sums/night/run.yaml", content=text)
    found = discover(tmp_path)
    assert [run.run for run in found.runs] == ["other"]
    [problem] = found.problems
    assert str(tmp_path / "sums" / "night" / "run.yaml") in problem
    assert re.search(sentence, problem)


def test_a_run_yaml_without_rollouts_is_a_problem(tmp_path: Path) -> None:
    put(tmp_path, "sums/night/run.yaml", content="benchmark: a\n")
    assert "stands beside no rollouts" in discover(tmp_path).problems[0]


def test_the_same_names_twice_are_one_problem_that_names_both_and_no_run(tmp_path: Path) -> None:
    put(tmp_path, "a/sums/night/rollouts.jsonl", "b/sums/night/rollouts.jsonl", "a/sums/day/rollouts.jsonl")
    found = discover(tmp_path)
    assert [run.run for run in found.runs] == ["day"]
    [problem] = found.problems
    assert str(tmp_path / "a/sums/night") in problem
    assert str(tmp_path / "b/sums/night") in problem


@pytest.mark.parametrize("depth", ["", "sums", "sums/night"])
def test_a_benchmark_or_run_folder_may_be_given_itself(tmp_path: Path, depth: str) -> None:
    put(tmp_path, "sums/night/rollouts.jsonl")
    assert names(tmp_path / depth) == [("sums", "night", "plain")]


def test_the_current_folder_may_be_given_as_a_dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "sums/night/rollouts.jsonl")
    monkeypatch.chdir(tmp_path / "sums" / "night")
    assert names(Path()) == [("sums", "night", "plain")]


@pytest.mark.parametrize(
    ("name", "content", "role"),
    [
        ("rollouts.jsonl", b"", "rollouts"),
        ("my_rollouts_v2.jsonl", b"", "rollouts"),
        ("unsafe_rollouts.jsonl", b"", "reverified"),
        ("out.jsonl", ROWS, "rollouts"),
        ("out.jsonl", b"words\n" + ROWS, "rollouts"),
        ("out.jsonl", jsonl({"responses_create_params": {}, "response": {}}), "rollouts"),
        ("rollouts_materialized_inputs.jsonl", b"", "materialized_inputs"),
        ("rollouts_failures.jsonl", b"", "failures"),
        ("rollouts_reward_profiling.jsonl", b"", "reward_profiling"),
    ],
)
def test_what_makes_a_folder_a_run(tmp_path: Path, name: str, content: bytes, role: str) -> None:
    put(tmp_path, f"sums/night/{name}", content=content)
    run = only_run(tmp_path)
    assert [file.role for file in run.files] == [role]
    assert bool(run.rollouts) == (role in ("rollouts", "reverified"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.jsonl", jsonl({"responses_create_params": {"input": "q"}})),
        ("rollout_verdicts.jsonl", jsonl({"_ng_task_index": 0, "verdict": "healthy"})),
        ("quality_summary.json", b"{}"),
        ("rollouts_aggregate_metrics.json", b"[]"),
        ("a.capture.jsonl", ROWS),
        (".rollouts.jsonl.migrate-1", ROWS),
        ("rollouts.jsonl.upload.tmp", ROWS),
        ("truth.json", b"{}"),
    ],
)
def test_what_does_not(tmp_path: Path, name: str, content: bytes) -> None:
    put(tmp_path, f"sums/night/{name}", content=content)
    assert discover(tmp_path).runs == []


def test_siblings_of_the_rollouts_are_no_shards(tmp_path: Path) -> None:
    names_ = ["rollouts-rs0-chunk0.jsonl", "rollouts-rs0-chunk1.jsonl", "rollout_verdicts.jsonl", "truth.json"]
    names_ += ["rollouts-rs0-chunk0_failures.jsonl", "rollouts-rs0-chunk0_materialized_inputs.jsonl"]
    names_ += ["rollouts-rs0-chunk0_reward_profiling.jsonl", "unsafe_rollouts-rs0-chunk0.jsonl"]
    put(tmp_path, *[f"sums/night/{name}" for name in names_])
    run = only_run(tmp_path)
    assert [path.name for path in run.rollouts] == ["rollouts-rs0-chunk0.jsonl", "rollouts-rs0-chunk1.jsonl"]
    assert {file.path.name: file.role for file in run.files}["truth.json"] == "other"


def test_hidden_and_scratch_folders_are_not_searched(tmp_path: Path) -> None:
    for folder in (".cache", "preprocessed_datasets", "logs", "model-calls", "otel"):
        put(tmp_path, f"sums/night/{folder}/rollouts.jsonl")
    put(tmp_path, "sums/night/rollouts.jsonl")
    assert names(tmp_path) == [("sums", "night", "plain")]


def test_links_that_lead_back_or_above_end(tmp_path: Path) -> None:
    put(tmp_path, "runs/sums/night/rollouts.jsonl")
    night = tmp_path / "runs" / "sums" / "night"
    (night / "self").symlink_to(night)
    (night / "up").symlink_to(tmp_path / "runs")
    (night / "above").symlink_to(tmp_path)
    (night / "gone").symlink_to(tmp_path / "nowhere")
    (night / "round").symlink_to(night / "round")
    assert names(tmp_path / "runs") == [("sums", "night", "plain")]


def test_a_linked_folder_elsewhere_is_searched_once(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/night/rollouts.jsonl")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "sums").symlink_to(tmp_path / "elsewhere")
    assert names(tmp_path / "runs") == [("sums", "night", "plain")]


def test_a_folder_without_permission_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "sums/night/rollouts.jsonl", "closed/night/rollouts.jsonl")
    closed = tmp_path / "closed"
    listed = os.scandir

    def scandir(path: Path) -> Any:
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = discover(tmp_path)
    assert [run.run for run in found.runs] == ["night"]
    assert f"{closed} cannot be searched" in found.problems[0]


def test_a_file_that_leads_nowhere_or_never_ends_is_no_file_of_a_run(tmp_path: Path) -> None:
    put(tmp_path, "sums/night/rollouts.jsonl")
    night = tmp_path / "sums" / "night"
    os.mkfifo(night / "rollouts_failures.jsonl")
    (night / "rollouts-1.jsonl").symlink_to(night / "rollouts-1.jsonl")
    (night / "rollouts-2.jsonl").symlink_to("gone")
    (night / "rollouts-3.jsonl").mkdir()
    [run] = discover(tmp_path).runs
    assert [file.path.name for file in run.files] == ["rollouts.jsonl"]
    assert read_rollouts(run).num_rows == 1


RAW_NAMES = [
    b"with space", b"new\nline", b"x..y", b"a|b", b"x" * 255, b"\xff\xfe", b"\xed\xa0\x80", b"caf\xe9",
    "caf\u00e9".encode(), "cafe\u0301".encode(), b"-rf", b"~", b"$(id)", b"%2e%2e%2f", b"\\..\\..", b"\x1b[2J", b"*",
    "\u202egnp".encode(), b"CON",
]  # fmt: skip


def test_names_of_any_bytes_become_safe_ones_of_their_own(tmp_path: Path) -> None:
    for name in RAW_NAMES:
        put(tmp_path, f"sums/{os.fsdecode(name)}/rollouts.jsonl")
    found = discover(tmp_path)
    assert found.problems == []
    assert len({run.run for run in found.runs}) == len(found.runs) == len(RAW_NAMES)
    assert all(SAFE_NAME.fullmatch(run.run) for run in found.runs)
    assert {os.fsencode(run.path.name) for run in found.runs} == set(RAW_NAMES)
    assert all(read_rollouts(run).num_rows > 0 for run in found.runs)


def test_a_root_that_is_no_folder_is_refused_with_a_sentence(tmp_path: Path) -> None:
    put(tmp_path, "rollouts.jsonl")
    with pytest.raises(BladeError, match=r"rollouts\.jsonl is a file; give a folder"):
        discover(tmp_path / "rollouts.jsonl")
    with pytest.raises(BladeError, match="nowhere does not exist; give a folder"):
        discover(tmp_path / "nowhere")


def test_unsafe_names_are_made_safe_and_kept_apart(tmp_path: Path) -> None:
    put(tmp_path, "my sums/run|1/rollouts.jsonl", "my sums/run?1/rollouts.jsonl")
    runs = discover(tmp_path).runs
    assert {run.original_run for run in runs} == {"run|1", "run?1"}
    assert len({run.run for run in runs}) == 2
    assert all(run.run.startswith("run_1-") and run.benchmark.startswith("my_sums-") for run in runs)


@given(st.text(min_size=1, max_size=200))
def test_any_name_becomes_safe_and_stays_so(original: str) -> None:
    safe = safe_name(original)
    assert SAFE_NAME.fullmatch(safe)
    assert safe_name(safe) == safe
    assert safe == original or not SAFE_NAME.fullmatch(original)


@pytest.mark.parametrize("original", ["..", ".", "../../etc", "a/b", "-rf", "CON ", "x" * 500, "名前"])
def test_names_that_would_do_harm(original: str) -> None:
    safe = safe_name(original)
    assert SAFE_NAME.fullmatch(safe)
    assert safe != original
