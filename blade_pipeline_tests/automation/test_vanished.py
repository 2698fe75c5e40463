"""A benchmark of which every directory vanished: its page stays, and says so, once."""

import json
import shutil

import dagster as dg
import pytest

from blade_pipeline_tests.automation.world import World


@pytest.mark.parametrize("by_sensor", [False, True])
def test_the_page_of_a_benchmark_whose_runs_all_vanished_says_so(world: World, by_sensor: bool) -> None:
    world.analyse()
    for run in ("m1", "m2", "m3"):
        shutil.rmtree(world.run(run))
    world.sense() if by_sensor else world.analyse()
    page = json.loads((world.root / "store/reports/aime/comparison.json").read_text())
    assert [(run["run"], run["gone"]) for run in page["runs"]] == [("m1", True), ("m2", True), ("m3", True)]
    assert page["pairs"] == []
    assert (world.root / "store/reports/aime/m1/report.html").is_file()
    again = world.analyse()
    assert (again.errors, again.update.made) == ([], [])
    assert isinstance(world.tick(), dg.SkipReason)
