"""A graph of cheap stages in the shape of the product's: two that read, one per run, two per benchmark."""

import json
from collections.abc import Callable
from dataclasses import replace

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.storage import Artifact

Compute = Callable[[Inputs], Artifact]


def read_rows(inputs: Inputs) -> Artifact:
    lines = [line for path in inputs.run_directory.rollouts for line in path.read_text().splitlines()]
    return Artifact(document={"rewards": [json.loads(line)["reward"] for line in lines]})


def read_margin(inputs: Inputs) -> Artifact:
    path = inputs.folder / f"{inputs.cell.benchmark}.yaml"
    return Artifact(document={"margin": path.read_text().split("#")[0].strip() if path.exists() else ""})


def mean(inputs: Inputs) -> Artifact:
    rewards = inputs.document("rows")["rewards"]
    return Artifact(document={"mean": sum(rewards) / len(rewards), "margin": inputs.document("margin")["margin"]})


def ranking(inputs: Inputs) -> Artifact:
    return Artifact(document={run: inputs.of(run).document("mean")["mean"] for run in inputs.live_runs})


def page(inputs: Inputs) -> Artifact:
    return Artifact(document={"ranked": len(inputs.document("ranking"))})


def _stage(name: str, compute: Compute, **fields: object) -> Stage:
    level = fields.pop("level", "run")
    return Stage(name=name, level=level, description=name, group="test", compute=compute, **fields)  # type: ignore[arg-type]


SMALL = Graph(
    [
        _stage("margin", read_margin, level="benchmark", folder="profiles"),
        _stage("rows", read_rows, reads=("rollouts",)),
        _stage("mean", mean, deps=("rows", "margin")),
        _stage("ranking", ranking, level="benchmark", deps=("mean",)),
        _stage("page", page, level="benchmark", deps=("ranking",)),
    ]
)


def with_compute(name: str, compute: Compute) -> Graph:
    """The small graph with another function in one stage."""
    return Graph([replace(stage, compute=compute) if stage.name == name else stage for stage in SMALL])
