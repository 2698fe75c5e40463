"""The room's own promises: what it loads, what it exports, how its docs keep up."""

import inspect
import subprocess
import sys

from blade_pipeline import statistics as st

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
