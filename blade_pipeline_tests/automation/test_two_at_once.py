"""Two analyses of one store at once, each with runs of the same benchmark below its own folder."""

import json
import shutil
from dataclasses import replace
from typing import Any

import pytest

from blade_pipeline.automation import analysis
from blade_pipeline_tests.automation.world import World

pytestmark = pytest.mark.long


def test_the_page_of_a_benchmark_holds_what_another_process_registered_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process sees, analyses and ends between this one's look at the folders and its lock."""
    other = world.root / "other"
    shutil.copytree(world.runs / "aime" / "m3", other / "aime" / "m4")
    shutil.rmtree(world.runs / "aime" / "m3")
    up_to_date, calls = analysis.bring_up_to_date, []

    def delayed(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 1:
            analysis.analyse(replace(world.settings, runs=str(other)))
        return up_to_date(*arguments)

    monkeypatch.setattr(analysis, "bring_up_to_date", delayed)
    found = world.analyse()
    page = json.loads((world.root / "store/reports/aime/comparison.json").read_text())
    assert sorted(run["run"] for run in page["runs"]) == ["m1", "m2", "m4"]
    assert [cell.run for cell in found.cells] == ["m1", "m2"]
    assert found.errors == []
    assert world.analyse().update.made == []
