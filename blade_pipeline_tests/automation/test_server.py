"""The real daemon and webserver: a directory that grows and settles gets its report, and a page's button works."""

import importlib.util
import json
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline_tests.automation.world import write_lines, write_run
from blade_pipeline_tests.campaigns.servers import below
from blade_pipeline_tests.conftest import unavailable
from blade_pipeline_tests.processes import LONGEST_WAIT_SECONDS, Webserver

pytestmark = pytest.mark.server

LAUNCH = """
mutation Launch($params: ExecutionParams!) {
  launchPipelineExecution(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
  }
}
"""
STATUS = "query Status($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
PARTITION = """
query Partition($key: AssetKeyInput!, $partitions: [String!]) {
  assetOrError(assetKey: $key) {
    ... on Asset { assetMaterializations(partitions: $partitions) { runId partition tags { key value } } }
  }
}
"""
NIGHT = """
query Night($key: AssetKeyInput!) {
  assetOrError(assetKey: $key) {
    ... on Asset {
      assetMaterializations(limit: 1) { runId metadataEntries { label ... on IntMetadataEntry { intValue } } }
    }
  }
}
"""
UNSYNCED = """
query Unsynced($key: AssetKeyInput!, $partition: String!) {
  assetNodeOrError(assetKey: $key) { ... on AssetNode { staleStatus(partition: $partition) } }
}
"""
TICKS = """
query Ticks($sensor: SensorSelector!) {
  sensorOrError(sensorSelector: $sensor) {
    ... on Sensor { sensorState { ticks(limit: 20) { status skipReason error { message } } } }
  }
}
"""
REPOSITORY = {"repositoryName": "__repository__", "repositoryLocationName": "blade_pipeline.definitions"}

PROGRAMS = {"dagster-webserver": "dagster_webserver", "dagster-daemon": "dagster._daemon"}


def blade_ui(folder: Path) -> Webserver:
    """``blade ui`` in a folder."""
    command = [sys.executable, "-c", "from blade_pipeline.cli import main; main()", "ui", "--port"]
    return Webserver(folder, command, {"BLADE_QUIET_SECONDS": "5"})


def _can_start(program: str, module: str) -> bool:
    """Whether a program lies beside this Python or is one of its modules."""
    beside = shutil.which(program, path=str(Path(sys.executable).parent))
    return beside is not None or importlib.util.find_spec(module) is not None


def listening(pid: int) -> set[str]:
    """Addresses at which a process, and those that it started, take connections (from Linux' tables of sockets)."""
    sockets = set()
    for one in [pid, *below(pid)]:
        with suppress(OSError):
            for link in Path(f"/proc/{one}/fd").iterdir():
                with suppress(FileNotFoundError):
                    sockets.add(str(link.readlink()))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in sockets:
                address, port = local.split(":")
                plain = socket.inet_ntoa(bytes.fromhex(address)[::-1]) if len(address) == 8 else address
                found.add(f"{plain}:{int(port, 16)}")
    return found


def wait_for(condition: Callable[[], bool], seconds: float, server: Webserver) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert server.process.poll() is None, (server.folder / "ui.log").read_text()[-4000:]
        assert time.monotonic() < end, (server.folder / "ui.log").read_text()[-4000:]
        time.sleep(0.5)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Webserver]:
    for name in ("BLADE_RUNS", "BLADE_STORE", "BLADE_PROFILES", "BLADE_REFERENCES", "BLADE_LABELS", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    for program, module in PROGRAMS.items():
        if not _can_start(program, module):
            unavailable(f"needs {program}: install the package with its dependencies")
    (tmp_path / "data/runs").mkdir(parents=True)
    started = blade_ui(tmp_path)
    try:
        wait_for(started.answers, LONGEST_WAIT_SECONDS, started)
        yield started
    finally:
        started.stop()


def test_a_directory_that_grows_and_settles_gets_its_report(server: Webserver) -> None:
    run = server.folder / "data/runs/aime/m1"
    write_run(run, age=0, model="m")
    rows = (run / "rollouts.jsonl").read_text().splitlines()
    write_lines(run / "rollouts.jsonl", [])
    report = server.folder / "data/store/reports/aime/m1/report.html"

    def is_seen_growing() -> bool:
        write_lines(run / "rollouts.jsonl", [json.loads(rows[0])], "w")
        return any("still being written: aime/m1" in (tick["skipReason"] or "") for tick in _ticks(server))

    wait_for(is_seen_growing, LONGEST_WAIT_SECONDS, server)
    assert not report.exists()
    (run / "rollouts.jsonl").write_text("\n".join(rows) + "\n")
    wait_for(report.exists, LONGEST_WAIT_SECONDS, server)
    metrics = json.loads((report.parent / "metrics.json").read_text())
    assert metrics["accounting"]["measured"] == metrics["accounting"]["expected"] == 6
    wait_for((report.parent.parent / "index.html").exists, LONGEST_WAIT_SECONDS, server)
    for sensor in ("run_directory_sensor", "notification_sensor", "run_failure_notifications"):
        assert [tick["error"] for tick in _ticks(server, sensor) if tick["error"]] == []
    wait_for(lambda: _skipped(server, "nothing new in 1 runs"), LONGEST_WAIT_SECONDS, server)
    _materialize_one_partition(server)
    _report_a_night(server)
    assert listening(server.process.pid) == {f"127.0.0.1:{server.port}"}


def _ticks(server: Webserver, sensor: str = "run_directory_sensor") -> list[dict[str, Any]]:
    found = server.ask(TICKS, sensor={**REPOSITORY, "sensorName": sensor})
    return list(found["sensorOrError"]["sensorState"]["ticks"])


def _skipped(server: Webserver, reason: str) -> bool:
    return any(tick["skipReason"] == reason for tick in _ticks(server, "notification_sensor"))


def _launch(server: Webserver, selector: dict[str, Any], tags: list[dict[str, str]]) -> str:
    """Launches a run, waits until it succeeded, and answers its id."""
    launched = server.ask(
        LAUNCH,
        params={
            "selector": {**REPOSITORY, **selector},
            "runConfigData": {},
            "mode": "default",
            "executionMetadata": {"tags": tags},
        },
    )["launchPipelineExecution"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    run_id = str(launched["run"]["runId"])

    def ended() -> bool:
        status = server.ask(STATUS, id=run_id)["runOrError"]["status"]
        assert status not in ("FAILURE", "CANCELED")
        return bool(status == "SUCCESS")

    wait_for(ended, LONGEST_WAIT_SECONDS, server)
    return run_id


def _report_a_night(server: Webserver) -> None:
    run_id = _launch(server, {"pipelineName": "reanalyze_everything"}, [])
    found = server.ask(NIGHT, key={"path": ["nightly_report"]})["assetOrError"]["assetMaterializations"][0]
    shown = {entry["label"]: entry["intValue"] for entry in found["metadataEntries"] if "intValue" in entry}
    assert found["runId"] == run_id
    assert (shown["artifacts made again"], shown["failures left"]) == (0, 0)


def _materialize_one_partition(server: Webserver) -> None:
    """What the button of an asset's page sends."""
    selection = {"assetSelection": [{"path": ["outcome_buckets"]}], "assetCheckSelection": []}
    tags = [{"key": "dagster/partition", "value": "aime|m1"}]
    run_id = _launch(server, {"pipelineName": "__ASSET_JOB", **selection}, tags)
    asset = server.ask(PARTITION, key={"path": ["outcome_buckets"]}, partitions=["aime|m1"])["assetOrError"]
    newest, before = asset["assetMaterializations"]
    assert (newest["runId"], newest["partition"]) == (run_id, "aime|m1")
    assert _version(newest) == _version(before)
    for name in ("outcome_buckets", "root_causes", "blade_report"):
        node = server.ask(UNSYNCED, key={"path": [name]}, partition="aime|m1")["assetNodeOrError"]
        assert node["staleStatus"] == "FRESH", name


def _version(materialization: dict[str, Any]) -> str:
    return next(str(tag["value"]) for tag in materialization["tags"] if tag["key"] == "dagster/data_version")
