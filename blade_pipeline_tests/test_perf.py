"""The measurements of ``python -m blade_pipeline_tests.perf`` work on little data; nothing is judged by time.

Their programs run in this process, one after the other, so that Dagster is loaded once.
"""

import io
import json
import runpy
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path

import pytest

from blade_pipeline_tests.perf import __main__ as perf
from blade_pipeline_tests.perf import bulk, command, grown, measuring, quiet
from blade_pipeline_tests.perf.measuring import Cost, cost_of


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run in this process, in an empty folder."""

    def run(arguments: Sequence[str], given: str = "") -> Cost:
        kind, program, *rest = arguments
        monkeypatch.setattr(sys, "argv", [kind, *rest])
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        with redirect_stdout(io.StringIO()) as out, suppress(SystemExit):
            if kind == "-c":
                exec(program, {"__name__": "__main__"})
            else:
                runpy.run_module(program, run_name="__main__")
        return Cost(1.0, 1.0, 100.0, out.getvalue())

    monkeypatch.chdir(tmp_path)
    for module in (bulk, command, grown, measuring, quiet):
        monkeypatch.setattr(module, "cost_of", run)


@pytest.mark.long
def test_the_small_version_measures_every_row(
    here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run has 19 artifacts of its own and its benchmark 6, of which 4 speak of its runs."""
    monkeypatch.setattr(sys, "argv", ["perf", "--small", "--out", str(tmp_path / "table.json")])
    perf.main()
    found = json.loads((tmp_path / "table.json").read_text())
    notes = {row["what"]: row["note"] for row in found["rows"]}
    assert notes["sensor tick over 50 known run directories"] == "0 of their files opened"
    assert notes["one run more in a benchmark of 2"] == "23 artifacts recomputed, at most 1 of one asset"
    assert "comparability of 2 runs, 1 pairs" in notes
    assert notes["blade analyze, 2 unchanged run directories"] == "0 artifacts recomputed, 44 were current"
    table = capsys.readouterr().out
    assert all(f"| {row['what']} |" in table for row in found["rows"])


def test_a_cost_is_of_the_program_alone() -> None:
    """A program of 64 MB that works for a fifth of a second and waits for as long."""
    program = "import time; held = bytearray(2**26)\nwhile time.process_time() < 0.2: pass\ntime.sleep(0.2); print(7)"
    cost = cost_of(["-c", program])
    assert cost.out == "7\n"
    assert cost.cpu >= 0.2
    assert cost.wall >= 0.4
    assert cost.peak > 64


def test_a_program_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        cost_of(["-c", "1 / 0"])
