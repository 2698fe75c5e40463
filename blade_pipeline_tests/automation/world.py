"""A small world for the tests of automation: three runs of one benchmark, and the ways to bring them up to date."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.partitions import cell_of
from blade_pipeline.assets.stage import Graph
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation import analysis, jobs, sensor, telling
from blade_pipeline.storage import Store
from blade_pipeline_tests.analysed import settings_of

TASKS, REPEATS = 3, 2
START = 1_780_000_000

Recomputed = Counter[str]
"""How often each artifact, such as ``coverage of aime/m1``, was materialized."""


def row(task: int, repeat: int, reward: float, at: int, model: str) -> dict[str, Any]:
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "agent_ref": {"name": "solver"},
        "reward": reward,
        "responses_create_params": {"input": [{"role": "user", "content": f"What is {task} + {task}?"}]},
        "response": {"model": model, "created_at": at, "output": [], "usage": {"output_tokens": 10 + task}},
        "expected_answer": str(2 * task),
    }


def write_lines(path: Path, rows: list[dict[str, Any]], mode: str = "w") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode) as stream:
        stream.writelines(json.dumps(entry) + "\n" for entry in rows)


def write_run(folder: Path, *, age: int, model: str, rows: int = TASKS * REPEATS) -> None:
    """A run whose first row is ``age`` hours after the first run's; repeat 0 passes, repeat 1 fails on odd tasks."""
    cells = [(task, repeat) for repeat in range(REPEATS) for task in range(TASKS)]
    whole = [
        row(task, repeat, float(repeat == 0 or task % 2 == 0), START + 3600 * age + n, model)
        for n, (task, repeat) in enumerate(cells)
    ]
    kept = ("_ng_task_index", "_ng_rollout_index", "agent_ref", "responses_create_params", "expected_answer")
    write_lines(folder / "rollouts_materialized_inputs.jsonl", [{key: entry[key] for key in kept} for entry in whole])
    write_lines(folder / "rollouts.jsonl", whole[:rows])
    write_lines(folder / "rollouts_failures.jsonl", [])
    (folder / "rollouts_resolved_config.yaml").write_text(
        yaml.safe_dump({"responses_create_params": {"temperature": 0.6}})
    )


class World:
    """Folders, an instance, and every way of bringing them up to date."""

    def __init__(self, root: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.instance = instance
        self.runs = root / "runs"
        self.settings = settings_of(root)
        self.store = Store(self.settings.store)
        self._monkeypatch = monkeypatch
        self.cursor: str | None = None
        self._seen = 0
        monkeypatch.setenv("BLADE_QUIET_SECONDS", "0")
        for module in (sensor, telling):
            monkeypatch.setattr(module, "BUDGET_SECONDS", math.inf)
        monkeypatch.setattr(analysis, "open_instance", lambda _: _kept_open(instance))

    def run(self, name: str, benchmark: str = "aime") -> Path:
        return self.runs / benchmark / name

    def write(self, folder: str, name: str, content: Any) -> Path:
        """A file of the team's: a profile, references or labels."""
        path = self.root / folder / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return path

    def use(self, graph: Graph) -> None:
        """Puts another graph in the place of the product's."""
        for module in (analysis, jobs, sensor):
            self._monkeypatch.setattr(module, "GRAPH", graph)

    def analyse(self, **options: Any) -> analysis.Analysis:
        return analysis.analyse(self.settings, **options)

    @property
    def workspace(self) -> Workspace:
        return Workspace(**vars(self.settings))

    def tick(self) -> dg.SensorResult | dg.SkipReason:
        """One evaluation of the sensor; its new partitions are added as the daemon does."""
        resources = {"workspace": self.workspace}
        with dg.build_sensor_context(self.instance, cursor=self.cursor, resources=resources) as context:
            found = sensor.run_directory_sensor(context)
            self.cursor = context.cursor
        assert isinstance(found, (dg.SensorResult, dg.SkipReason))
        if isinstance(found, dg.SensorResult):
            self.cursor = found.cursor
            for request in found.dynamic_partitions_requests or ():
                self.instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
        return found

    def sense(self) -> None:
        """Ticks and runs what is requested until nothing is; a request that was made before is not run again."""
        asked: set[str] = set()
        while isinstance(found := self.tick(), dg.SensorResult):
            new = [request for request in found.run_requests or () if request.run_key not in asked]
            if not new:
                return
            for request in new:
                asked.add(str(request.run_key))
                self.reanalyse(str(request.partition_key))

    def reanalyse(self, benchmark: str, *, fails: bool = False) -> None:
        result = jobs.reanalysis.execute_in_process(
            instance=self.instance,
            partition_key=benchmark,
            resources={"workspace": self.workspace},
            raise_on_error=not fails,
        )
        assert result.success is not fails

    def recomputed(self) -> Recomputed:
        """What was materialized since the last call."""
        found: Recomputed = Counter()
        newest = self._seen
        for stage in GRAPH:
            wanted = dg.AssetRecordsFilter(asset_key=dg.AssetKey(stage.name), after_storage_id=self._seen)
            for record in self.instance.fetch_materializations(wanted, limit=1000).records:
                found[f"{stage.name} of {cell_of(str(record.partition_key))}"] += 1
                newest = max(newest, record.storage_id)
        self._seen = newest
        return found


def bumped(graph: Graph, name: str) -> Graph:
    """The graph after somebody changed a stage's code."""
    stages = [replace(stage, code_version="next") if stage.name == name else stage for stage in graph]
    return Graph(stages, graph.checks)


@contextmanager
def _kept_open(instance: dg.DagsterInstance) -> Iterator[dg.DagsterInstance]:
    yield instance


Bring = Callable[[World], None]
