"""A fault of the program in a command is told by its places, without what its message quotes."""

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
