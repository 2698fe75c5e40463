"""A tick of the sensor over many run directories that are all known and unchanged, and the files that it opens.

Run it as ``python -m blade_pipeline_tests.perf.tick FOLDER RUNS`` with an empty folder; it prints JSON. The
directories, their stamps and the files of a whole store are made up; records are not read, since nothing moved.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import dagster as dg

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.sensor import _seen, run_directory_sensor
from blade_pipeline.storage import Cell

RUNS_OF_A_BENCHMARK = 100
NOTHING = "nothing changed"
FILES = {
    "rollouts.jsonl": '{"_ng_task_index": 0, "_ng_rollout_index": 0, "reward": 1.0}\n',
    "rollouts_materialized_inputs.jsonl": '{"_ng_task_index": 0, "_ng_rollout_index": 0}\n',
    "rollouts_failures.jsonl": "",
    "rollouts_resolved_config.yaml": "num_repeats: 1\n",
}


def settings_of(folder: Path) -> Settings:
    return Settings(*(str(folder / name) for name in ("runs", "store", "profiles", "references", "labels")))


def write_world(folder: Path, runs: int) -> None:
    """Run directories of one rollout, and an empty file in the place of each artifact and published page."""
    cells = [Cell(f"bench{n // RUNS_OF_A_BENCHMARK:03}", f"run{n % RUNS_OF_A_BENCHMARK:03}") for n in range(runs)]
    for cell in cells:
        place = folder / "runs" / str(cell)
        place.mkdir(parents=True)
        for name, content in FILES.items():
            (place / name).write_text(content)
    for stage in GRAPH:
        places = cells if stage.level == "run" else sorted({cell.of_benchmark for cell in cells}, key=str)
        for cell in places:
            _touch(folder / "store" / "artifacts" / stage.name / f"{cell}.json")
            for name in stage.publishes:
                _touch(folder / "store" / "reports" / str(cell) / name)


def _touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def learn(folder: Path) -> None:
    """Reads every file once, as an analysis does, so that its stamp is known."""
    live = Workspace(**vars(settings_of(folder))).see()
    for stage in GRAPH:
        if stage.reads:
            for cell in live.runs:
                live.source_version(stage, cell)
    live.memo.save()


class Opened:
    """Counts the files below a folder that this process opens."""

    def __init__(self, folder: Path) -> None:
        self._below = f"{folder}{os.sep}"
        self.count = 0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            self.count += os.fspath(arguments[0]).startswith(self._below)


def measure(folder: Path) -> dict[str, float]:
    """Wall and CPU seconds of a tick that sees what the last one saw, and the files of run directories it opened."""
    workspace = Workspace(**vars(settings_of(folder)))
    with dg.DagsterInstance.ephemeral() as instance:
        cursor = json.dumps([_seen(instance, workspace), NOTHING])
        opened = Opened(folder / "runs")
        before, cpu = time.perf_counter(), time.process_time()
        with dg.build_sensor_context(instance, cursor=cursor, resources={"workspace": workspace}) as context:
            answer = run_directory_sensor(context)
        found = {"seconds": time.perf_counter() - before, "cpu_seconds": time.process_time() - cpu}
        assert isinstance(answer, dg.SkipReason) and answer.skip_message == NOTHING, answer
    return found | {"opened": opened.count}


def main() -> None:
    folder, runs = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    write_world(folder, runs)
    learn(folder)
    print(json.dumps(measure(folder)))


if __name__ == "__main__":
    main()
