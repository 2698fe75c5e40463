"""Artifacts come back as they were written, and no reader ever sees half of one."""

import errno
import multiprocessing
import os
import stat
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.registry import _registry as loaded_filesystems

from blade_pipeline.models import BladeError
from blade_pipeline.storage import Artifact, Cell, MissingArtifactError, Store, data_version
from blade_pipeline.tables import RAW_ROLLOUTS
from blade_pipeline_tests.processes import LONGEST_WAIT_SECONDS

RUN = Cell("aime", "m1")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_table_with_a_document_comes_back_whole(store: Store) -> None:
    table = pa.Table.from_pylist(
        [{"task": "7", "numbers": [("reward", 0.1)]}, {"task": '"7"', "numbers": None}], schema=RAW_ROLLOUTS
    )
    artifact = Artifact(table, {"pass_at_1": 0.1, "nothing": None})
    version = store.write("raw_rollouts", RUN, artifact)
    read = store.read("raw_rollouts", RUN)
    assert read.artifact.table.equals(table)
    assert read.artifact.document == {"pass_at_1": 0.1, "nothing": None}
    assert version == read.version == data_version(artifact) == data_version(read.artifact)
    assert Path(store.root, "artifacts/raw_rollouts/aime/m1.parquet").is_file()


@pytest.mark.parametrize(
    ("root", "sentence"),
    [
        ("foo://bar", "or one URL of file://, local://, memory://, s3://, .*; it cannot be foo://"),
        ("://", "it cannot be ://"),
        ("zip://a.zip", "it cannot be zip://"),
        ("simplecache::s3://me:secret@b", "it cannot be simplecache::s3://[.]$"),
        ("abfs://b", "Install adlfs to access"),
        ("s3://b", r"Install s3fs to access S3 \(the extra s3 of blade_pipeline\); or name a folder"),
    ],
)
def test_a_place_that_cannot_be_opened_is_told_in_a_sentence(
    root: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("adlfs", "s3fs"):
        monkeypatch.setitem(sys.modules, package, None)
    for protocol in ("abfs", "s3"):
        monkeypatch.delitem(loaded_filesystems, protocol, raising=False)
    with pytest.raises(BladeError, match=sentence):
        Store(root)


def test_a_document_alone_is_a_json_file_of_the_benchmark(store: Store) -> None:
    version = store.write("comparability", Cell("aime"), Artifact(document={"pairs": []}))
    read = store.read("comparability", Cell("aime"))
    assert (read.artifact.document, read.version) == ({"pairs": []}, version)
    assert Path(store.root, "artifacts/comparability/aime.json").is_file()


def test_the_listing_names_every_artifact_and_no_stranger(store: Store) -> None:
    store.write("coverage", RUN, Artifact(document={}))
    store.write("comparability", Cell("aime"), Artifact(document={}))
    Path(store.root, "artifacts/coverage/aime/.writing-x.json").write_text("{")
    Path(store.root, "artifacts/coverage/notes.txt").write_text("mine")
    assert set(store.artifacts()) == {("coverage", RUN), ("comparability", Cell("aime"))}


def test_an_artifact_that_changes_its_form_leaves_no_twin(store: Store) -> None:
    store.write("coverage", RUN, Artifact(pa.table({"n": [1]})))
    store.write("coverage", RUN, Artifact(document={"n": 1}))
    assert store.read("coverage", RUN).artifact.table is None


def test_a_missing_artifact_is_one_sentence(store: Store) -> None:
    with pytest.raises(MissingArtifactError, match="coverage of aime/m1 is not there yet; run blade analyze first"):
        store.read("coverage", RUN)


def test_arrow_is_handed_memory_of_its_own(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python file or bytes that an Arrow thread lets go of while Python ends kills the process with signal 6."""
    sources = []
    opened = pq.ParquetFile
    monkeypatch.setattr(pq, "ParquetFile", lambda source: sources.append(source) or opened(source))
    cell = Cell("bench", "m")
    store.write("pass_at_k", cell, Artifact(pa.table({"task": ["1"]})))
    store.read("pass_at_k", cell)
    [source] = sources
    assert type(source) is pa.BufferReader
    assert type(source.read_buffer()) is pa.Buffer
    assert source.closed is False


def test_published_files_are_replaced(store: Store) -> None:
    store.publish(RUN, {"report.md": b"one"})
    store.publish(RUN, {"report.md": b"two"})
    assert Path(store.report_path(RUN, "report.md")).read_bytes() == b"two"
    assert store.published() == {"aime/m1/report.md"}


def test_a_page_comes_after_the_files_beside_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(Store, "write_bytes", lambda _self, _content, *parts: written.append(parts[-1]))
    store.publish(RUN, {"report.html": b"<p>", "report.md": b"one", "metrics.json": b"{}"})
    assert written == ["report.md", "metrics.json", "report.html"]


def test_a_store_may_be_a_url() -> None:
    store = Store("memory://bucket/blade")
    version = store.write("coverage", RUN, Artifact(pa.table({"n": [1]}), {"a": 1}))
    assert store.read("coverage", RUN).version == version
    assert set(store.artifacts()) == {("coverage", RUN)}
    with store.lock(["aime"]):
        store.publish(RUN, {"report.md": b"one"})
    assert store.published() == {"aime/m1/report.md"}


def _write_for_ever(root: str, ready: "multiprocessing.synchronize.Event") -> None:
    store, n = Store(root), 0
    while True:
        n += 1
        store.write("raw", RUN, Artifact(pa.table({"n": [n] * 50_000}), {"n": n}))
        ready.set()


def test_a_killed_writer_leaves_a_whole_artifact(store: Store) -> None:
    """Killed at any moment, the file is one of the versions that were written whole; temporaries are not listed."""
    context = multiprocessing.get_context("spawn")
    for delay in (0.0, 0.004, 0.013):
        ready = context.Event()
        writer = context.Process(target=_write_for_ever, args=(store.root, ready), daemon=True)
        writer.start()
        assert ready.wait(LONGEST_WAIT_SECONDS)
        time.sleep(delay)
        assert writer.pid is not None
        os.kill(writer.pid, 9)
        writer.join()
        read = store.read("raw", RUN)
        assert data_version(read.artifact) == read.version
        assert set(read.artifact.table["n"].to_pylist()) == {(read.artifact.document or {})["n"]}
        assert set(store.artifacts()) == {("raw", RUN)}


def _left(store: Store) -> list[str]:
    return [path.name for path in Path(store.root).rglob(".writing-*")]


def _write_half(
    root: str, ready: "multiprocessing.synchronize.Event", go_on: "multiprocessing.synchronize.Event"
) -> None:
    """Stands still between the temporary file's bytes and its rename."""
    replace = Path.replace

    def wait(self: Path, target: Path) -> Path:
        ready.set()
        assert go_on.wait(LONGEST_WAIT_SECONDS)
        return replace(self, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", wait)
        Store(root).write("raw", RUN, Artifact(document={"n": 1}))


def test_what_a_killed_writer_left_is_swept_and_a_living_writer_goes_on(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    killed, never, living, go_on = (context.Event() for _ in range(4))
    dead = context.Process(target=_write_half, args=(store.root, killed, never), daemon=True)
    alive = context.Process(target=_write_half, args=(store.root, living, go_on), daemon=True)
    for process in (dead, alive):
        process.start()
    assert killed.wait(LONGEST_WAIT_SECONDS)
    assert living.wait(LONGEST_WAIT_SECONDS)
    assert dead.pid is not None
    os.kill(dead.pid, 9)
    dead.join()
    assert len(_left(store)) == 2
    assert store.sweep() == 1
    assert len(_left(store)) == 1
    go_on.set()
    alive.join()
    assert alive.exitcode == 0
    assert store.read("raw", RUN).artifact.document == {"n": 1}
    assert (_left(store), store.sweep()) == ([], 0)


def test_sweeping_for_ever_disturbs_no_writer(store: Store) -> None:
    """A file that is swept between its creation and its lock is made again."""
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    writer = context.Process(target=_write_for_ever, args=(store.root, ready), daemon=True)
    writer.start()
    assert ready.wait(LONGEST_WAIT_SECONDS)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        store.sweep()
    assert writer.is_alive()
    assert writer.pid is not None
    os.kill(writer.pid, 9)
    writer.join()
    store.sweep()
    assert _left(store) == []


def _hold(root: str, ready: "multiprocessing.synchronize.Event") -> None:
    with Store(root).lock(["aime"]):
        ready.set()
        time.sleep(LONGEST_WAIT_SECONDS)


def test_a_lock_waits_for_its_holder_and_falls_with_it(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(store.root, ready), daemon=True)
    holder.start()
    assert ready.wait(LONGEST_WAIT_SECONDS)
    with store.lock(["gpqa"]):
        pass
    assert holder.pid is not None
    os.kill(holder.pid, 9)
    with store.lock(["aime", "gpqa"]):
        holder.join()


def test_a_full_disk_is_told_with_the_file_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(str(tmp_path))
    store.write_bytes(b"old", "sources.json")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BladeError, match=r"sources\.json cannot be written \(No space left on device\)"):
        store.write_bytes(b"new", "sources.json")
    assert store.read_bytes("sources.json") == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["sources.json"]


@pytest.mark.parametrize(("mask", "rights"), [(0o077, 0o600), (0o022, 0o644)])
def test_files_get_the_rights_of_new_files_and_no_other_thread_meets_another_mask(
    store: Store, monkeypatch: pytest.MonkeyPatch, mask: int, rights: int
) -> None:
    before = os.umask(mask)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(os, "umask", None)
            store.write_bytes(b"{}", "sources.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path(store.path("sources.json")).stat().st_mode) == rights
