import csv
from collections import Counter
from pathlib import Path

import pytest

from blade_pipeline.gym import discover, read_expected, read_failures, read_health, read_manifest, read_rollouts


def test_all_real_runs_are_found_and_every_row_is_read(shared: Path) -> None:
    found = discover(shared / "corpus" / "runs")
    assert found.problems == []
    counted = {(run.benchmark, run.run): Counter(read_rollouts(run)["line_class"].to_pylist()) for run in found.runs}
    assert len(counted) == 101
    with (shared / "corpus" / "INDEX.tsv").open(newline="") as index:
        listed = {(row["benchmark"], row["run"]): int(row["rows"]) for row in csv.DictReader(index, delimiter="\t")}
    assert {key: lines["row"] for key, lines in counted.items() if key in listed} == listed
    assert {key for key in counted if key not in listed} == {("synthetic", "seed11"), ("synthetic", "seed12")}
    assert all(set(lines) == {"row"} for lines in counted.values())


def test_real_runs_have_a_manifest_and_steps_where_they_have_output(shared: Path) -> None:
    for run in discover(shared / "corpus" / "runs").runs:
        rows = read_rollouts(run)
        manifest = read_manifest(run, rows, read_expected(run))
        assert manifest["run"] == run.run
        for row in rows.select(["output_items", "steps", "response"]).to_pylist():
            assert (row["output_items"] is None) == (row["steps"] is None)


@pytest.mark.parametrize(
    ("name", "lines", "rewards", "masked"),
    [
        # counted by hand in the folder's expected.json: 7 measured, 1 masked, 1 null, one blank and one torn line
        ("resumed", {"row": 9, "blank": 1, "torn": 1}, 8, 1),
        # 4 of agent_a; of agent_b 1 measured, 2 masked, and a conflict of two lines
        ("fanout", {"row": 9}, 9, 2),
        ("writing", {"row": 3, "torn": 1}, 3, 0),
    ],
)
def test_hand_counted_runs(shared: Path, name: str, lines: dict[str, int], rewards: int, masked: int) -> None:
    [run] = discover(shared / "cases" / "run_dirs" / name).runs
    rows = read_rollouts(run)
    assert Counter(rows["line_class"].to_pylist()) == lines
    assert rows["reward"].drop_null().to_pylist().__len__() == rewards
    assert sum(filter(None, rows["masked"].to_pylist())) == masked


def test_the_resumed_run_tells_its_attempts_and_its_stale_health(shared: Path) -> None:
    [run] = discover(shared / "cases" / "run_dirs" / "resumed").runs
    failures = read_failures(run)
    keys = Counter(zip(failures["task"].to_pylist(), failures["repeat"].to_pylist(), strict=True))
    assert keys == {("0", "2"): 1, ("1", "1"): 2, ("2", "0"): 1}
    assert sum(failures["terminal"].to_pylist()) == 1
    assert read_expected(run).num_rows == 12
    assert read_health(run, 9)["stale"].to_pylist() == ["quality_summary.json speaks of 5 records, the file has 9 rows"]
    recovered = [row for row in read_rollouts(run).to_pylist() if row["attempt"] == 1]
    assert [(row["task"], row["repeat"], row["rollout_id"]) for row in recovered] == [("0", "2", "0-2-a1")]


def test_the_fan_out_has_a_masking_integer_and_a_conflict(shared: Path) -> None:
    [run] = discover(shared / "cases" / "run_dirs" / "fanout").runs
    rows = read_rollouts(run).to_pylist()
    masks = {(row["task"], row["repeat"]): row["mask_source"] for row in rows if row["masked"]}
    assert masks == {("1", "2"): "mask_sample", ("1", "3"): "mask_sample"}
    twice = [row["reward"] for row in rows if (row["task"], row["repeat"]) == ("0", "3")]
    assert sorted(twice) == [0.0, 1.0]
    assert {row["dataset_id"] for row in rows} == {"7", "8"}
