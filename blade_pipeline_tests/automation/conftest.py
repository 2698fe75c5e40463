"""The world that the tests of automation share."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from blade_pipeline_tests.automation.small_graph import SMALL
from blade_pipeline_tests.automation.world import World, row, write_lines, write_run


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world without runs."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield World(tmp_path, instance, monkeypatch)


@pytest.fixture
def world(empty: World) -> World:
    """Three runs of one benchmark, none analysed yet; m2 lacks its last rollout."""
    for age, name in enumerate(("m1", "m2", "m3")):
        write_run(empty.run(name), age=age, model=f"model-{name}", rows=5 if name == "m2" else 6)
    return empty


@pytest.fixture
def small(empty: World) -> World:
    """Two runs of one benchmark under the small graph."""
    for name, reward in (("m1", 1.0), ("m2", 0.0)):
        write_lines(empty.run(name) / "rollouts.jsonl", [row(0, 0, reward, 0, name)])
    empty.use(SMALL)
    return empty
