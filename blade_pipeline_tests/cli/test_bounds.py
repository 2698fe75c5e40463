"""Work that does not end by itself is ended."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from blade_pipeline.cli.bounds import half_of_memory, within
from blade_pipeline.models import BladeError, UsageProblem

ONE_CALL = "select levenshtein(repeat('ab', 400000), repeat('ba', 400000))"
"""Minutes in one call of a function, within which DuckDB looks for no interrupt."""

AT_WORK = f"""
import duckdb, signal, sys
from blade_pipeline.cli.bounds import within

def work():
    print("begun", flush=True)
    duckdb.sql({ONE_CALL!r}).fetchall()

signal.signal(signal.SIGINT, signal.default_int_handler)
within(float(sys.argv[1]), work, "too long")
"""
"""A shell that starts tests in the background has them ignore Ctrl-C, and what they start inherits that."""


def _at_work(seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", AT_WORK, str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_one_call_that_does_not_end_is_ended_after_its_time() -> None:
    process = _at_work(1.0)
    assert process.communicate() == ("begun\n", "blade: too long\n")
    assert process.returncode == 2


def test_one_call_that_does_not_end_is_ended_by_ctrl_c() -> None:
    process = _at_work(100_000.0)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate() == ("", "blade: stopped\n")
    assert process.returncode == 130


def test_what_work_comes_to_or_raises_is_handed_on() -> None:
    assert within(100.0, lambda: 7, "too long") == 7
    with pytest.raises(BladeError, match="no such view"):
        within(100.0, _failing, "too long")


def _failing() -> None:
    raise BladeError("no such view")


def test_more_than_half_of_the_memory_is_refused_and_the_limit_is_lifted_after_it() -> None:
    all_of_it = int(Path("/proc/meminfo").read_text(encoding="ascii").split()[1]) * 1024
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(UsageProblem, match="select less"), half_of_memory("select less"):
        bytearray(all_of_it * 3 // 4)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
