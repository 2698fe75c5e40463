"""A fault of the program in a command is told by its places, without what its message quotes."""

import subprocess
import sys
from pathlib import Path

import pytest

from blade_pipeline.cli import runs
from blade_pipeline_tests.automation.test_exceptions import CANARY, TOKEN, breaks
from blade_pipeline_tests.cli.conftest import Blade


def test_a_command_tells_a_fault_by_its_place(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "existing", breaks)
    said = blade("runs", "somewhere")
    assert (said.code, said.out) == (1, "")
    last = said.err.splitlines()[-1]
    assert last.startswith("blade: a fault of the program, RuntimeError in runs.py line ")
    assert 'File "' in said.err
    assert CANARY not in said.err
    assert TOKEN not in said.err


@pytest.mark.parametrize(
    ("standard_output", "code", "said"),
    [
        (">&-", 0, ""),
        (">/dev/full", 1, "blade: what was asked for could not be written (No space left on device)\n"),
    ],
)
def test_an_answer_that_nobody_can_take_is_no_fault(standard_output: str, code: int, said: str, tmp_path: Path) -> None:
    blade = f'{sys.executable} -c "from blade_pipeline.cli import main; main()" runs . --json {standard_output}'
    ended = subprocess.run(blade, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (code, said)
