"""What a program costs in a process of its own, and the two bare readers that its figures stand beside."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Row = dict[str, Any]
"""One line of the table: ``what``, those of ``NUMBERS`` that were measured, and a ``note``."""

NUMBERS = ("ours_seconds", "ours_cpu_seconds", "bare_seconds", "duckdb_seconds", "ratio", "peak_megabytes")
BLADE = ("-c", "from blade_pipeline.cli import main; main()")

_CLOCKED = """
import sys, time
{imports}
before, cpu = time.perf_counter(), time.process_time()
{work}
print(time.perf_counter() - before, time.process_time() - cpu)
"""

_BARE = _CLOCKED.format(
    imports="import orjson",
    work="""
for path in sys.stdin.read().splitlines():
    with open(path, "rb") as lines:
        for line in lines:
            orjson.loads(line)
""",
)

_DUCKDB = _CLOCKED.format(
    imports="import duckdb; duckdb.execute('set threads = 2; set enable_progress_bar = false')",
    work="""
columns = "columns = {reward: 'DOUBLE', _ng_task_index: 'BIGINT'}"
paths = sys.stdin.read().splitlines()
duckdb.execute(f"select count(*), sum(reward) from read_ndjson(?, {columns})", [paths]).fetchall()
""",
)


class Cost(NamedTuple):
    """Wall seconds, CPU seconds with those of helpers, peak megabytes of the largest process, and what it printed."""

    wall: float
    cpu: float
    peak: float
    out: str


class Bare(NamedTuple):
    """Seconds of a bare ``orjson.loads`` loop and of DuckDB's scan over the same files, imports left out."""

    loop: float
    loop_cpu: float
    scan: float


def cost_of(arguments: Sequence[str], given: str = "") -> Cost:
    """The cost of this Python with some arguments, from its start to its end, in an empty folder of its own.

    The system counts the memory of the process that starts it as its own, so that process must be a small one.

    Raises:
        RuntimeError: the program failed; the message is the end of what it complained of.
    """
    with (
        tempfile.TemporaryFile("w+") as stdin,
        tempfile.TemporaryFile("w+") as stdout,
        tempfile.TemporaryFile("w+") as stderr,
        tempfile.TemporaryDirectory() as empty,
    ):
        stdin.write(given)
        stdin.seek(0)
        before = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments], stdin=stdin, stdout=stdout, stderr=stderr, cwd=empty, env=_environment()
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - before
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (stdout, stderr):
            stream.seek(0)
        if process.returncode:
            raise RuntimeError(stderr.read()[-4000:])
        return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, stdout.read())


def _environment() -> dict[str, str]:
    """The environment without folders of the person who measures, where byte code is kept as installing keeps it."""
    left = ("BLADE_", "DAGSTER_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left)}
    return kept | {"PYTHONPATH": str(Path(__file__).parents[2])}


def cpu_seconds() -> float:
    """CPU seconds of this process and of its helpers that have ended."""
    return sum(os.times()[:4])


def called(module: str, call: str) -> tuple[Any, Cost]:
    """What a function of one of these modules answers as JSON, called in a process of its own, and what that cost."""
    program = f"import json; from blade_pipeline_tests.perf import {module}; print(json.dumps({module}.{call}))"
    cost = cost_of(["-c", program])
    return json.loads(cost.out.splitlines()[-1]), cost


def bare_of(folder: Path) -> Bare:
    """Best of three of both bare readers over every rollouts file below a folder."""
    paths = "\n".join(str(path) for path in sorted(folder.rglob("rollouts.jsonl")))
    (loop, loop_cpu), (scan, _) = (_best(program, paths) for program in (_BARE, _DUCKDB))
    return Bare(loop, loop_cpu, scan)


def _best(program: str, paths: str) -> tuple[float, float]:
    found = [[float(figure) for figure in cost_of(["-c", program], paths).out.split()] for _ in range(3)]
    return min(wall for wall, _ in found), min(cpu for _, cpu in found)


def row(what: str, wall: float, cpu: float, peak: float | None, bare: Bare | None = None, note: str = "") -> Row:
    """A line of the table; the ratio is ours over the bare loop, in wall seconds."""
    beside = {"bare_seconds": bare.loop, "duckdb_seconds": bare.scan, "ratio": wall / bare.loop} if bare else {}
    return {"what": what, "ours_seconds": wall, "ours_cpu_seconds": cpu, "peak_megabytes": peak, **beside, "note": note}


def shown(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as a Markdown table."""
    head = ("what", "ours s", "ours CPU s", "bare loop s", "DuckDB scan s", "ours / bare", "peak MB", "note")
    lines = [_line(head), _line(["---"] * len(head))]
    lines += [_line([found["what"], *map(_figure, map(found.get, NUMBERS)), found.get("note", "")]) for found in rows]
    return "\n".join(lines)


def _line(values: Iterable[str]) -> str:
    return f"| {' | '.join(values)} |"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.3g}"
