"""How the two-dimensional grid of partitions behaves as it grows.

Run it as ``python -m blade_pipeline_tests.perf.grid``; the figures go to docs/performance.md by hand. No rollout is
read: partitions, records and run directories are made up, and only ``LIVE`` events are written.
"""

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.automation.outdated import plan
from blade_pipeline.automation.recordmemo import Record
from blade_pipeline.automation.registering import register
from blade_pipeline.automation.state import State
from blade_pipeline.gym import RunDirectory
from blade_pipeline.storage import Cell, SourceMemo, Store

GRIDS = ((10, 1000), (20, 2000), (100, 1000))
LIVE = 200
STATUSES = """
query Statuses($key: AssetKeyInput!) {
  assetNodeOrError(assetKey: $key) { ... on AssetNode {
    partitionStats { numPartitions numMaterialized }
    partitionKeysByDimension { name partitionKeys }
    assetPartitionStatuses { ... on MultiPartitionStatuses { primaryDimensionName ranges { primaryDimStartKey } } }
  } }
}
"""


def live(folder: Path, cells: list[Cell]) -> Live:
    """A world in which these runs are there and everything is made."""
    runs = {cell: RunDirectory(cell.benchmark, str(cell.run), folder, "plain", cell.benchmark, str(cell.run), (), ())
            for cell in cells}  # fmt: skip
    store = Store(folder / "store")
    world = Live(store, {"profiles": folder, "references": folder, "labels": folder}, runs, memo=SourceMemo(store))
    world._artifacts = {(stage.name, cell): "" for stage in GRAPH for cell in cells_of(stage.level, cells)}
    world._published = {f"{cell}/{name}" for stage in GRAPH for cell in cells_of(stage.level, cells)
                        for name in stage.publishes}  # fmt: skip
    return world


def cells_of(level: str, cells: list[Cell]) -> list[Cell]:
    return cells if level == "run" else sorted({cell.of_benchmark for cell in cells}, key=lambda cell: cell.order)


def plan_seconds(world: Live) -> float:
    """Seconds of one walk over records that are all current."""
    records = {key: Record("v", GRAPH[key[0]].code_version, {}) for key in world._artifacts}
    before = time.perf_counter()
    assert plan(State(world, GRAPH, records)).due == []
    return time.perf_counter() - before


@contextmanager
def webserver(home: Path) -> Iterator[tuple[str, int]]:
    """Address and process id of a webserver on an instance."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dagster_webserver", "-m", "blade_pipeline.definitions", "-p", str(port)]
    process = subprocess.Popen(
        command, env=os.environ | {"DAGSTER_HOME": str(home)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def statuses(address: str) -> tuple[float, int]:
    """Seconds and bytes of the query behind an asset's partitions page."""
    body = json.dumps({"query": STATUSES, "variables": {"key": {"path": ["coverage"]}}}).encode()
    request = urllib.request.Request(f"{address}/graphql", body, {"Content-Type": "application/json"})
    before = time.perf_counter()
    with urllib.request.urlopen(request, timeout=600) as answer:
        content = answer.read()
    assert b'"numPartitions"' in content, content[:500]
    return time.perf_counter() - before, len(content)


def ready(address: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}/server_info", timeout=5).read()
            statuses(address)
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise TimeoutError("the webserver does not answer")


def resident(pid: int) -> int:
    """Megabytes that a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) // 1024


def measure(benchmarks: int, runs: int) -> str:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        grid = [Cell(f"bench{b}", f"run{r}") for b in range(benchmarks) for r in range(runs)]
        one_each = [Cell(f"bench{r % benchmarks}", f"run{r}") for r in range(runs)]
        sparse, full = live(folder, one_each), live(folder, grid)
        home = folder / "home"
        home.mkdir()
        (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
        with dg.DagsterInstance.from_config(str(home)) as instance:
            before = time.perf_counter()
            register(instance, sparse)
            registered = time.perf_counter() - before
            for cell in one_each[:LIVE]:
                event = dg.AssetMaterialization("coverage", partition=partition_key(cell))
                instance.report_runless_asset_event(event)
        with webserver(home) as (address, pid):
            ready(address)
            seconds, size = min(statuses(address) for _ in range(3))
            memory = resident(pid)
        walks = (
            f"walk {plan_seconds(sparse):.2f} s over {len(one_each)} runs, {plan_seconds(full):.1f} s over {len(grid)}"
        )
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return (
            f"{benchmarks} x {runs} = {len(grid)} cells: registered {registered:.2f} s; {walks} ({own} MB); "
            f"page {seconds:.2f} s, {size / 1e6:.2f} MB, webserver {memory} MB"
        )


def main() -> None:
    """Print one line per grid."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    for benchmarks, runs in GRIDS:
        print(measure(benchmarks, runs), flush=True)


if __name__ == "__main__":
    main()
