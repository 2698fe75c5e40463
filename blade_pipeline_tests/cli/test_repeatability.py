"""The same runs give the same published bytes, whatever the machine's settings and wherever the files lie."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

DATA = Path(__file__).parent.parent.parent / "data"
ONE_MACHINE = {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "1", "COLUMNS": "60"}
ANOTHER = {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "4711", "COLUMNS": "240"}


def copied(folder: Path, *, backwards: bool) -> None:
    """The example's folders, their files written in the order of their names or against it."""
    files = sorted(path for path in DATA.rglob("*") if path.is_file())
    for source in reversed(files) if backwards else files:
        target = folder / source.relative_to(DATA)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        os.utime(target, (1_780_000_000, 1_780_000_000))


def analysed(folder: Path, settings: dict[str, str]) -> dict[str, bytes]:
    """Every published file by its place in the reports."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BLADE_", "DAGSTER"))}
    command = [
        sys.executable,
        "-c",
        "from blade_pipeline.cli import main; main()",
        "analyze",
        "runs",
        "--store",
        "store",
    ]
    done = subprocess.run(command, cwd=folder, env=environment | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reports = folder / "store/reports"
    return {str(path.relative_to(reports)): path.read_bytes() for path in reports.rglob("*") if path.is_file()}


def test_two_machines_publish_the_same_bytes(tmp_path: Path) -> None:
    one, another = tmp_path / "one", tmp_path / "a rather different place"
    copied(one, backwards=False)
    copied(another, backwards=True)
    first, second = analysed(one, ONE_MACHINE), analysed(another, ANOTHER)
    assert len(first) > 50
    assert first == second
