"""A store in a bucket of a real S3-compatible server holds and answers what a store on a disk does."""

import json
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa
import pytest

from blade_pipeline.models import BladeError
from blade_pipeline.storage import Artifact, Cell, Store, lease, traces
from blade_pipeline.storage.catalogue import Catalogue
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.processes import LONGEST_WAIT_SECONDS
from blade_pipeline_tests.services.alone import Alone, versions_in

pytestmark = pytest.mark.services

QUERY = """
select benchmark, run, count(*) as n, sum(reward) as passed from measured_samples join coverage using (benchmark, run)
where benchmark = 'aime' group by all order by all
"""


def test_every_command_answers_as_with_a_store_on_a_disk(blade: Blade, alone: Alone, bucket: str) -> None:
    disk, remote = alone.settings.store, f"{bucket}/teams/blade"
    folders = [f"--{name}={alone.folder / name}" for name in ("profiles", "references", "labels")]
    analyze = ["analyze", alone.settings.runs, *folders, "--store", remote]
    said = blade(*analyze)
    assert said.code == 0, said.err
    assert len(versions_in(disk)) > 60
    assert versions_in(remote) == versions_in(disk)
    assert Store(remote).published() == Store(disk).published()
    assert blade(*analyze).err.startswith("nothing changed: 4 reports are current\n")

    report = Store(disk).report_path(Cell("aime", "m1"), "report.md")
    for command in (
        ["sql", QUERY, "--json"],
        ["sql", "--json"],
        ["show", "aime", "m1", "--json"],
        ["compare", "aime", "m1", "m2", "--json"],
        ["verify", report, "aime", "m1", "--json"],
    ):
        here, there = blade(*command, "--store", disk), blade(*command, "--store", remote)
        assert (here.code, there.code) == (0, 0), (command, here.err, there.err)
        assert there.out.replace(remote.removeprefix("s3://"), disk) == here.out, command
    assert json.loads(blade("sql", QUERY, "--json", "--store", remote).out)["rows"] == [
        {"benchmark": "aime", "run": "m1", "n": 6, "passed": 5.0},
        {"benchmark": "aime", "run": "m2", "n": 5, "passed": 4.0},
    ]


def test_a_query_reads_the_store_and_nothing_else_of_the_bucket(bucket: str) -> None:
    store = Store(f"{bucket}/blade")
    store.write("samples", Cell("aime", "m1"), Artifact(document=None, table=_table(1)))
    store.write("samples", Cell("gpqa", "m1"), Artifact(document=None, table=_table(2)))
    Store(f"{bucket}/other").write("samples", Cell("aime", "m1"), Artifact(document=None, table=_table(3)))
    catalogue = Catalogue(store)
    assert catalogue.query("select n from samples where benchmark = 'gpqa'").to_pylist() == [{"n": 2}]
    for place in (f"{bucket}/other", f"{bucket}/blade/artifacts/../../other"):
        with pytest.raises(BladeError, match="nothing outside it"):
            catalogue.query(f"select * from read_parquet('{place}/artifacts/samples/aime/m1.parquet')")


def test_a_bucket_that_is_not_there_is_told_in_a_sentence(bucket: str) -> None:
    with pytest.raises(BladeError, match=r"^A store at s3:// cannot be opened: there is no such bucket; create it\.$"):
        Store(f"{bucket}-other/blade")


def test_a_replaced_artifact_leaves_a_trace(bucket: str) -> None:
    store = Store(f"{bucket}/blade")
    seen = [traces(store, "artifacts")]
    for n in (1, 1, 2):
        store.write("samples", Cell("aime", "m1"), Artifact(table=_table(n)))
        seen.append(traces(store, "artifacts"))
        time.sleep(1.1)
    assert all(one != other for one, other in pairwise(seen))
    assert traces(store, "artifacts") == seen[-1]


def _table(n: int) -> pa.Table:
    return pa.table({"n": [n]})


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Signs of life five times a second, and death after a second and a half without one."""
    monkeypatch.setattr(lease, "RENEWED_SECONDS", 0.2)
    monkeypatch.setattr(lease, "DEAD_SECONDS", 1.5)
    monkeypatch.setattr(lease, "_POLL_SECONDS", 0.05)
    yield


def test_no_count_is_lost_among_writers_that_read_first(bucket: str, impatient: None) -> None:
    """Three writers that each raise a number four times, as the registry's writers read, change and replace it."""

    def raise_it() -> None:
        store = Store(f"{bucket}/blade")
        for _ in range(4):
            with store.lock(["registry.json"]):
                before = int(store.read_bytes("count") or 0)
                time.sleep(0.02)
                store.write_bytes(str(before + 1).encode(), "count")

    writers = [threading.Thread(target=raise_it) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    store = Store(f"{bucket}/blade")
    assert store.read_bytes("count") == b"12"
    assert store.listed(".locks") == []


def test_a_living_holder_keeps_its_lock_however_long_it_works(bucket: str, impatient: None) -> None:
    order = []

    def wait_for_it() -> None:
        with Store(f"{bucket}/blade").lock(["aime", "gpqa"]):
            order.append("other")

    with Store(f"{bucket}/blade").lock(["aime"]):
        other = threading.Thread(target=wait_for_it)
        other.start()
        time.sleep(2 * lease.DEAD_SECONDS)
        order.append("holder")
    other.join()
    assert order == ["holder", "other"]


def _hold(root: str, ready: "multiprocessing.synchronize.Event") -> None:
    with Store(root).lock(["aime"]):
        ready.set()
        time.sleep(LONGEST_WAIT_SECONDS)


def test_a_lock_falls_to_the_next_when_its_holder_was_killed(bucket: str, impatient: None) -> None:
    store = Store(f"{bucket}/blade")
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(f"{bucket}/blade", ready), daemon=True)
    holder.start()
    assert ready.wait(LONGEST_WAIT_SECONDS)
    assert holder.pid is not None
    os.kill(holder.pid, 9)
    holder.join()
    with store.lock(["aime"]):
        assert [path.rpartition("/")[2] for path in store.listed(".locks", "aime")] != []
    assert store.listed(".locks") == []
