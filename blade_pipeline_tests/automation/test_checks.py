"""Each check of the graph passes on sound artifacts and fails on what it is there for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.assets.check import Finding
from blade_pipeline.assets.checks import accounting_sums, coverage_is_complete, no_duplicates, rows_readable
from blade_pipeline.gym import RunDirectory, discover
from blade_pipeline.storage import Artifact
from blade_pipeline_tests.method.chain import analyzed, failure, planned, rollout, write_run


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    """Two tasks with two repeats: two measured, one masked, one failed; a blank and a torn line."""
    rows: list[dict[str, Any] | str] = [
        rollout(0, 0, 1.0),
        rollout(0, 1, 0.0),
        rollout(1, 0, 1.0, mask_sample=True),
        "",
        "{torn",
    ]
    inputs = [planned(task, repeat) for task in range(2) for repeat in range(2)]
    write_run(tmp_path / "bench" / "run", rows, inputs, [failure(1, 1)])
    [directory] = discover(tmp_path).runs
    return directory


def verdict(check: Callable[[Artifact], Finding], artifact: Artifact) -> tuple[bool, str]:
    found = check(artifact)
    return found.passed, found.sentence


def test_a_sound_accounting_sums(run: RunDirectory) -> None:
    document = analyzed(run).coverage
    expected = (True, "5 lines and 4 rollouts are each in one place")
    assert verdict(accounting_sums, Artifact(document=document)) == expected


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("expected", "expected 5 is not 2 + 1 + 0 + 1 + 0"),
        ("measured", "expected 4 is not 3 + 1 + 0 + 1 + 0; measured 3 is not the agents' 2"),
        ("lines", "6 lines are not rows, blank and malformed lines together"),
    ],
)
def test_an_accounting_with_one_too_many_is_refused(run: RunDirectory, part: str, sentence: str) -> None:
    document = analyzed(run).coverage
    document["accounting"][part] += 1
    assert verdict(accounting_sums, Artifact(document=document)) == (False, sentence)


@pytest.mark.parametrize(("floor", "passes"), [(None, False), (0.5, True), (0.51, False)])
def test_what_is_measured_is_held_against_the_floor_or_everything(
    run: RunDirectory, floor: float | None, passes: bool
) -> None:
    found = coverage_is_complete(Artifact(document=analyzed(run).coverage | {"min_coverage": floor}))
    assert (found.passed, found.sentence) == (passes, "50.0% of the expected rollouts are measured, 2 of 4")
    assert found.numbers == {"measured share": 0.5, "measured": 2, "expected": 4}


def test_a_torn_line_is_one_malformed_line_and_a_blank_one_is_none(run: RunDirectory) -> None:
    rows = analyzed(run).rows
    assert verdict(rows_readable, Artifact(rows)) == (False, "1 of 5 lines are malformed")
    assert verdict(rows_readable, Artifact(rows.slice(0, 4))) == (True, "0 of 4 lines are malformed")


@pytest.mark.parametrize(("duplicates", "passes"), [([0, 0], True), ([0, 2], False)])
def test_further_lines_of_a_rollout_are_duplicates(duplicates: list[int], passes: bool) -> None:
    table = pa.table({"duplicates": pa.array(duplicates, pa.int64())})
    sentence = f"{sum(duplicates)} further lines repeat a rollout"
    assert verdict(no_duplicates, Artifact(table)) == (passes, sentence)
