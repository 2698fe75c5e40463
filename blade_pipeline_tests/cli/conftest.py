"""A way to call the command, and one small analysed example that all tests of a process share."""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.cli import main, output
from blade_pipeline.example import write_example
from blade_pipeline_tests.analysed import analysed


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Blade:
    """Calls ``blade`` in this process, in a folder of its own; on a slow machine it says no more than on a fast one."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capfd = capfd
        for name in ("BLADE_RUNS", "BLADE_STORE", "BLADE_PROFILES", "BLADE_REFERENCES", "BLADE_LABELS", "DAGSTER_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(output, "SECONDS_PER_LINE", math.inf)
        monkeypatch.chdir(folder)

    def __call__(self, *arguments: str) -> Said:
        self._monkeypatch.setattr(sys, "argv", ["blade", *arguments])
        self._capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = self._capfd.readouterr()
        return Said(code, out, err)


@pytest.fixture
def blade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Blade:
    """The command in an empty folder."""
    return Blade(tmp_path, monkeypatch, capfd)


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An analysed example of two benchmarks with two runs each: ``runs`` and ``store``; tests change nothing in it."""
    folder = tmp_path_factory.mktemp("example")
    write_example(folder / "runs", tasks=4, repeats=2, models=2)
    return analysed(folder)
