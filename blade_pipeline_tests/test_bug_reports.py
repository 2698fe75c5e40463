"""Every public bug report of ``bug_reports.md`` has a test, named ``test_b<number>_...``.

Reports about one run are built as a run directory and analysed; the others say what they concern instead. A report
that is in the file and not here, or here without a test, fails.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent

ONE_RUN = (
    "method/test_one_run_bug_reports.py",
    "method/test_one_run_files.py",
    "method/test_diagnosis_bug_reports.py",
    "cli/test_published_bug_reports.py",
)
"""Modules whose tests write a run directory and analyse it."""

TWO_RUNS = "method/comparison/test_two_run_bug_reports.py"

ABOUT_ONE_RUN = [
    *("B03", "B04", "B05", "B06", "B07", "B08", "B09", "B10", "B11", "B12", "B13", "B14", "B16", "B17", "B18", "B19"),
    *("B20", "B21", "B22", "B23", "B24", "B25", "B26", "B27", "B28", "B29", "B30", "B31", "B32", "B33", "B38", "B40"),
    *("B41", "B42", "B43", "B44", "B45", "B46", "B47"),
]
ABOUT_TWO_RUNS = {
    "B01": "a run that lost its hard tasks against one that did not",
    "B02": "failures routed to the sidecar in one of two runs",
    "B15": "a jump of the share of empty answers between two runs",
    "B34": "tasks of two runs joined by index or by content",
    "B35": "two configurations that differ in the chat template",
    "B36": "two versions of a benchmark",
    "B37": "a commit known of one run alone",
    "B39": "two runs with other output limits",
}


@cache
def named_in(module: str) -> list[str]:
    """Names of the test functions of a module."""
    tree = ast.parse((TESTS / module).read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]


def covering(report: str) -> list[str]:
    """The tests of a report in the modules where its kind belongs."""
    modules = ONE_RUN if report in ABOUT_ONE_RUN else (TWO_RUNS,)
    start = f"test_{report.lower()}_"
    return [f"{module}::{name}" for module in modules for name in named_in(module) if name.startswith(start)]


def test_every_report_of_the_file_is_mapped_once(shared: Path) -> None:
    text = (shared / "cases" / "bug_reports.md").read_text(encoding="utf-8")
    reports = re.findall(r"^\*\*(B\d+) ", text, re.MULTILINE)
    assert len(reports) == len(set(reports)) == 47
    assert sorted([*ABOUT_ONE_RUN, *ABOUT_TWO_RUNS]) == sorted(reports)


@pytest.mark.parametrize("report", sorted([*ABOUT_ONE_RUN, *ABOUT_TWO_RUNS]))
def test_a_report_is_covered(report: str, record_property: Any) -> None:
    found = covering(report)
    assert found, f"no test named test_{report.lower()}_... in the modules of its kind"
    about = f" (two runs: {ABOUT_TWO_RUNS[report]})" if report in ABOUT_TWO_RUNS else ""
    record_property("told", f"{report}{about}: {', '.join(found)}")
