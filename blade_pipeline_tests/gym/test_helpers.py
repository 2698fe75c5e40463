import logging
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade_pipeline.gym import RunDirectory, helpers, read_rollouts, rollouts
from blade_pipeline.gym.lines import Span, cut, read_lines
from blade_pipeline.models import BladeError
from blade_pipeline_tests.gym.run_folder import jsonl, rollout, write_run
from blade_pipeline_tests.processes import wait_until

HARD = [
    b"",
    b"not a row",
    b'{"reward":NaN}',
    b"[1]",
    b'{"_ng_task_index":0,"rew',
    b"\xff",
    b'{"question":"q","reward":1}',
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    """Two shards of rows, hard lines and rows without an index, cut into many spans, the last line torn."""
    monkeypatch.setattr(rollouts, "SPAN_BYTES", 500)
    rows = [line for n in range(60) for line in (rollout(n // 4, n % 4, 1.0), HARD[n % len(HARD)])]
    return write_run(tmp_path, b"\xef\xbb\xbf" + jsonl(*rows), others={"rollouts-2.jsonl": jsonl(*rows)[:-3]})


def read_with(count: int, run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> pa.Table:
    monkeypatch.setattr(helpers, "helpers_for", lambda _: count)
    return read_rollouts(run)


@pytest.mark.parametrize("count", [1, 3])
def test_rows_are_the_same_with_and_without_helpers(
    run: RunDirectory, count: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    alone = read_with(0, run, monkeypatch)
    assert read_with(count, run, monkeypatch).equals(alone)
    assert alone["line"].to_pylist() == [*range(1, 121), *range(1, 121)]
    assert not caplog.records


def test_a_helper_imports_nothing_from_the_folder_it_is_started_in(
    run: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "orjson.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert read_with(1, run, monkeypatch).equals(read_with(0, run, monkeypatch))
    assert not caplog.records  # a helper that ended early would be told


def test_what_a_killed_helper_was_asked_for_is_read_once_more(
    run: RunDirectory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Killed(helpers.Helper):
        def ask(self, span: Span) -> bool:
            """Stops the helper first, so that it cannot have answered when it is killed."""
            self._process.send_signal(signal.SIGSTOP)
            asked = super().ask(span)
            self._process.kill()
            return asked

    alone = read_with(0, run, monkeypatch)
    monkeypatch.setattr(helpers, "Helper", Killed)
    with caplog.at_level(logging.WARNING):
        assert read_with(1, run, monkeypatch).equals(alone)
    assert "ended early" in caplog.text


def test_helpers_of_a_killed_reader_leave_no_folder(run: RunDirectory, tmp_path: Path) -> None:
    """The reader is killed between two spans that its two helpers delivered and nobody fetched."""
    program = """if True:
        import os, sys, time
        from pathlib import Path
        from tempfile import mkdtemp
        from blade_pipeline.gym.helpers import Helper
        from blade_pipeline.gym.lines import cut
        folder = Path(mkdtemp(dir=sys.argv[2]))
        helpers = [Helper(folder / str(number)) for number in range(2)]
        span = next(cut(Path(sys.argv[1]), 500))
        assert all(helper.ask(span) for helper in helpers)
        while not all(helper.is_ready() for helper in helpers):
            time.sleep(0.01)
        os.kill(os.getpid(), 9)
    """
    place = tmp_path / "temporary"
    place.mkdir()
    killed = subprocess.run([sys.executable, "-c", program, run.rollouts[0], place], check=False)
    assert killed.returncode == -9
    wait_until(lambda: not any(place.iterdir()))


def test_without_a_python_to_start_everything_is_read_in_one_process(
    run: RunDirectory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    alone = read_with(0, run, monkeypatch)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert read_with(1, run, monkeypatch).equals(alone)
    assert "read without helpers" in caplog.text


def test_a_file_that_changes_while_helpers_read_it_is_a_sentence(
    run: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helpers, "helpers_for", lambda _: 1)
    monkeypatch.setattr(rollouts, "BATCH_ROWS", 1)
    batches = rollouts.rollout_batches(run)
    next(batches)
    with run.rollouts[0].open("ab") as stream:
        stream.write(b"{}\n")
    with pytest.raises(BladeError, match=r"rollouts-2\.jsonl changed while it was read"):
        list(batches)


@pytest.mark.parametrize(("size", "cores", "count"), [(10**6, 8, 0), (10**9, 1, 0), (10**9, 2, 1), (10**9, 64, 7)])
def test_helpers_need_a_large_file_and_free_cores(
    size: int, cores: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert helpers.helpers_for(size) == count


def test_a_helper_loads_neither_arrow_nor_pydantic() -> None:
    program = "import sys, blade_pipeline.gym.helper; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert "orjson" in loaded
    assert not {"pyarrow", "numpy", "pydantic", "yaml"} & set(loaded)


@given(st.binary(max_size=60).map(lambda text: text.replace(b"\x01", b"\n")), st.integers(1, 20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_spans_hold_whole_lines_and_tile_the_file(tmp_path: Path, content: bytes, size: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(content)
    spans = list(cut(path, size))
    assert b"".join(content[span.start : span.stop] for span in spans) == content
    assert all(before.stop == after.start and content[after.start - 1] == 10 for before, after in pairwise(spans))
    apart = [line._replace(number=0) for span in spans for line in read_lines(path, span=span)]
    assert apart == [line._replace(number=0) for line in read_lines(path)]
