"""The room's own promises: what it loads, what it exports, how its docs keep up."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

from blade_pipeline import statistics as st

PROJECT = Path(__file__).resolve().parents[2]
HEAVY = ("dagster", "duckdb", "pandas", "pyarrow", "scipy.stats")


def test_importing_the_numbers_loads_nothing_heavy() -> None:
    code = f"import sys, blade_pipeline.statistics; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_function_and_record_explains_itself() -> None:
    assert set(st.__all__) <= set(dir(st))
    for name in st.__all__:
        thing = getattr(st, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert thing.__doc__, name


def _documented() -> set[str]:
    """Functions named in the last column of the table of docs/metrics.md, and the one named above it."""
    page = (PROJECT / "docs/metrics.md").read_text(encoding="utf-8")
    cells = [line.rstrip(" |").rsplit("|", 1)[1] for line in page.splitlines() if line.startswith("| ")]
    named = {name for cell in cells for name in re.findall(r"`([a-z_0-9.]+)`", cell)}
    return named | set(re.findall(r"`(native\.\w+)`\.$", page, re.MULTILINE))


def test_the_page_of_metrics_names_every_function_and_no_other() -> None:
    ours = {name for name in st.__all__ if inspect.isfunction(getattr(st, name))}
    ours |= {f"native.{name}" for name in st.native.__all__}
    assert _documented() == ours
