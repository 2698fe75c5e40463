"""Every number of ``metrics.json`` and ``coverage.json`` has a row in the table of docs/metrics.md."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from blade_pipeline.metrics import SECTIONS
from blade_pipeline.models import Profile
from blade_pipeline.reporting.metrics import metrics
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, failure, planned, rollout, write_run
from blade_pipeline_tests.reporting.samples import mixed_run

PAGE = (PROJECT / "docs" / "metrics.md").read_text()
PATTERNS = [
    re.compile("".join(".+" if part.startswith("<") else re.escape(part) for part in re.split(r"(<\w+>)", name)))
    for line in PAGE.splitlines()
    if line.startswith("| `")
    for cell in line.split("|")[1:4]
    for name in re.findall(r"`([^`]+)`", cell)
]
NO_METRICS = ("schema_version",)


def numbers(value: Any, path: str = "") -> Iterator[str]:
    """Paths of the numeric leaves; the entries of a list share the path of the list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numbers(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def undocumented(document: Any) -> set[str]:
    paths = {re.sub(r"^agents\.[^.]+\.", "", path) for path in numbers(document)}
    return {path for path in paths if path not in NO_METRICS and not any(p.fullmatch(path) for p in PATTERNS)}


def run_of(tmp_path: Path) -> Analyzed:
    """A run with every block: scores that are not binary, answers, slices, families, masks, losses, performance."""
    rows = [
        rollout(task, repeat, 0.5 * ((task + repeat) % 3), answer=str(repeat), level="easy", ng_perf={"num_turns": 2})
        for task in range(4)
        for repeat in range(3)
    ]
    rows[3]["mask_sample"] = True
    inputs = [planned(task, repeat, source=task % 2) for task in range(5) for repeat in range(3)]
    folder = write_run(tmp_path / "bench" / "run", [*rows, "torn{"], inputs, [failure(4, 0)])
    (folder / "rollouts_aggregate_metrics.json").write_text('[{"agent_metrics": {"mean/reward": 0.1}}]')
    profile = Profile(answer_key="answer", slices=("level",), family_field="source")
    return analyzed_folder(tmp_path, profile)["bench/run"]


def test_every_number_of_metrics_json_has_a_row(tmp_path: Path, record_property: Any) -> None:
    run = run_of(tmp_path)
    document = metrics(replace(mixed_run(), scores=run.scores, coverage=run.coverage))
    found = set(numbers(document))
    assert {"best_of.2.value", "variance.icc", "bounds.pass_at_1.low"} <= found
    assert any("repeat_level_metrics" in path for path in found)
    assert undocumented(document) == set()
    record_property("told", f"docs/metrics.md has a row for each of {len(found)} numbers of a run's metrics.json")


def test_so_has_every_number_of_a_run_that_goes_by_its_mean_score(tmp_path: Path) -> None:
    rows = [rollout(task, repeat, 0.1 * (task + repeat)) for task in range(4) for repeat in range(3)]
    write_run(tmp_path / "bench" / "run", rows)
    scores = analyzed_folder(tmp_path)["bench/run"].scores
    document = metrics(replace(mixed_run(), scores=scores))
    assert {"mean_reward_accountings.observed", "mean_reward_repeats.sd", "mean_reward_drift.q"} <= {*numbers(document)}
    assert undocumented(document) == set()


def test_every_number_of_coverage_json_has_a_row(tmp_path: Path) -> None:
    document = run_of(tmp_path).coverage
    assert document["aggregates"][0]["different"] == 1
    named = {key: value for key, value in document.items() if key != "findings"}
    assert undocumented(named) == set()


def test_its_tables_say_formula_denominator_source_and_question() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert rows.count("| name | formula | denominator | source | question answered | function |") == len(SECTIONS)
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 6, row
        assert all(cells), row
