"""What the task table, its filters and its readings hold, before any browser sees them."""

import json
from dataclasses import replace

import pyarrow as pa
import pytest

from blade_pipeline.reporting import build_report
from blade_pipeline.reporting.html import embedded
from blade_pipeline.reporting.inputs import ReportInputs
from blade_pipeline.reporting.view import reading, task_table
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.reading import Readings
from blade_pipeline.reporting.view.strip import strip
from blade_pipeline.reporting.view.traits import Traits
from blade_pipeline.tables import ROLLOUT_EXCERPTS
from blade_pipeline_tests.reporting.parts import aligned, tables
from blade_pipeline_tests.reporting.reading_sample import reading_run
from blade_pipeline_tests.reporting.samples import mixed_run


def _many(tasks: int, repeats: int) -> ReportInputs:
    """Every fifth task passes in all repeats, the others in none."""
    patterns = [("P" if task % 5 == 0 else "F") * repeats for task in range(tasks)]
    buckets = ["always_pass" if pattern[0] == "P" else "always_fail" for pattern in patterns]
    per_task, outcome, modes = tables(patterns, buckets)
    samples = aligned(patterns, True, None)
    return replace(mixed_run(), per_task=per_task, buckets=outcome, modes_table=modes, aligned=samples)


def test_embedded_text_can_end_no_script_and_reads_back() -> None:
    text = "</script><!-- & \u2028\u2029 é"
    shown = embedded([text])
    assert not set("<>&\u2028\u2029") & set(shown)
    assert json.loads(shown) == [text]


def test_filters_count_their_tasks() -> None:
    evidence = Evidence(reading_run())
    found = {choice.by: choice.options for choice in Traits(evidence).filters(evidence.inputs.buckets.to_pylist())}
    assert found["Slice"] == (("topic = sums", "topic = sums (6 tasks)"), ("topic = words", "topic = words (6 tasks)"))
    assert found["Against baseline"] == (
        ("gained", "gained (1 task)"),
        ("lost", "lost (1 task)"),
        ("unchanged", "unchanged (8 tasks)"),
        ("new", "not in the baseline (2 tasks)"),
    )


def test_no_baseline_adds_no_column_and_no_filter() -> None:
    evidence = Evidence(mixed_run())
    filters = Traits(evidence).filters(evidence.inputs.buckets.to_pylist())
    assert [choice.options for choice in filters if choice.by == "Against baseline"] == [()]
    report = build_report(mixed_run())["report.md"].decode()
    assert "| Task | Bucket | Repeats | Passed of measured | Share | Failure modes | Root cause | Reason |" in report


def test_readings_stop_at_their_bound_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Readings(Evidence(reading_run())).reading(12)
    assert whole is not None
    assert whole.note.startswith("2 of 12 tasks can be opened")
    monkeypatch.setattr(reading, "MOST_BYTES", len(json.dumps(whole.tasks[0], ensure_ascii=False).encode()))
    cut = Readings(Evidence(reading_run()))
    assert [cut.place({"agent": "solver", "stage": 0, "task": task}) for task in ("3", "7")] == [0, None]


def test_without_excerpts_no_text_of_a_rollout_is_in_the_page() -> None:
    page = build_report(replace(reading_run("very private words"), excerpts=None))["report.html"]
    assert b"very private words" not in page
    assert b"<dialog" not in page
    assert b"No text of a rollout" in page


def test_a_page_with_excerpts_says_where_text_stands() -> None:
    files = build_report(reading_run("very private words"))
    assert b"stands only where a task is opened in the HTML page" in files["report.md"]
    assert [name for name, content in files.items() if b"very private words" in content] == ["report.html"]


def test_markdown_names_how_many_rows_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_table, "WRITTEN_TASKS", 4)
    report = build_report(reading_run())["report.md"].decode()
    section = report.split("12 tasks, the first 4:\n\n")[1].split("\n\n")[0]
    assert len(section.splitlines()) == 2 + 4


def test_the_raster_counts_every_rollout_by_tenths_of_the_tasks() -> None:
    """250 tasks in order of score: 200 without a pass, then 50 that pass: eight tenths of failures, two of passes."""
    tasks = [{"agent": "a", "stage": 0, "task": str(n)} for n in range(250)]
    letters = {("a", 0, str(n)): "ff" if n < 200 else "pm" for n in range(250)}
    _, numbers = strip(tasks, letters, {}, ())
    rows = [["".join(piece.text for piece in cell.text) for cell in row.cells] for row in numbers.rows]
    assert len(rows) == 10
    assert rows[7] == ["8", "25", "0.0% (0 of 50)", "100.0% (50 of 50)", "0.0% (0 of 50)"]
    assert rows[8] == ["9", "25", "50.0% (25 of 50)", "0.0% (0 of 50)", "50.0% (25 of 50)"]


def test_five_thousand_tasks_of_sixteen_repeats_fit_into_eight_megabytes() -> None:
    run = _many(5000, 16)
    steps = json.dumps([[n, "tool_call", "search", 9999, "completed", 0, "x" * 240] for n in range(40)])
    sides = [
        {"agent": "solver", "stage": 0, "task": str(task), "side": side, "rollout_id": f"{task}", "repeat": "0",
         "score": 1.0, "file": "rollouts.jsonl", "line": 1, "offset": 0, "question": "x" * 600, "steps": steps}
        for task in range(200)
        for side in ("passing", "failing")
    ]  # fmt: skip
    page = build_report(replace(run, excerpts=pa.Table.from_pylist(sides, schema=ROLLOUT_EXCERPTS)))["report.html"]
    assert len(page) < 8_000_000
    assert page.count(b"<tr data-keys=") == 5000
