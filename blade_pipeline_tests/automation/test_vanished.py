"""A benchmark of which every directory vanished: its page stays, and says so, once."""

import json
import shutil

import dagster as dg
import pytest

from blade_pipeline_tests.automation.world import World

pytestmark = pytest.mark.long


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


def test_the_report_of_a_vanished_run_says_so_until_its_directory_is_back(world: World) -> None:
    world.analyse()
    reports = [world.root / "store/reports/aime/m1" / name for name in ("report.html", "report.md")]
    before = [report.read_bytes() for report in reports]
    world.run("m1").rename(world.root / "aside")
    world.analyse()
    registry = json.loads((world.root / "store/registry.json").read_text())
    since = next(entry["vanished"] for entry in registry["runs"] if entry["run"] == "m1")
    for report in reports:
        text = report.read_text()
        assert "The directory of this run is gone." in text
        assert since in text
    assert "is gone" not in (world.root / "store/reports/aime/m2/report.md").read_text()
    (world.root / "aside").rename(world.run("m1"))
    world.analyse()
    assert [report.read_bytes() for report in reports] == before
