"""A forgotten run leaves nothing, wherever the removal was stopped before, and its directory is not touched."""

import json
import shutil
from pathlib import Path

import pytest

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.automation.forgetting import forget, removal_of, unfinished
from blade_pipeline.models import UsageProblem
from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.automation.world import World

pytestmark = pytest.mark.long

M1, M2 = Cell("aime", "m1"), Cell("aime", "m2")


class StoppedError(BaseException):
    """Ends the process as a kill does: no handler of the product catches it."""


def stop_after(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Lets so many writes and deletions of the store through and stops at the next."""
    left = [steps]

    def counted(whole):
        def step(*arguments, **options):
            if not left[0]:
                raise StoppedError
            left[0] -= 1
            return whole(*arguments, **options)

        return step

    filesystem = type(Store("/").filesystem)
    monkeypatch.setattr(filesystem, "rm_file", counted(filesystem.rm_file))
    monkeypatch.setattr(Store, "write_bytes", counted(Store.write_bytes))


def mentions(store: Path, name: str) -> list[str]:
    """Files of the store whose path or content names a run, Dagster's own records left out."""
    paths = [path for path in store.rglob("*") if path.is_file()]
    return [str(path.relative_to(store)) for path in paths if name in str(path) or name.encode() in path.read_bytes()]


def test_a_forgotten_run_is_gone_from_everything_and_comes_back_with_its_directory(world: World) -> None:
    world.analyse()
    store = world.root / "store"
    source = {path: path.read_bytes() for path in world.run("m1").iterdir()}
    removal = removal_of(world.store, M1)
    assert removal.directory == str(world.run("m1"))
    assert sum("/artifacts/" in path for path in removal.files) == sum(stage.level == "run" for stage in GRAPH)
    assert str(store / "reports/aime/m1/report.html") in removal.files
    assert sum(removal.files.values()) == sum(Path(path).stat().st_size for path in removal.files)
    update = forget(world.instance, world.settings, M1)
    assert update.errors == []
    assert {str(due.cell) for due in update.made} == {"aime", "aime/m2"}
    assert sorted(world.instance.get_dynamic_partitions("model_runs")) == ["m2", "m3"]
    page = json.loads((store / "reports/aime/comparison.json").read_text())
    assert [run["run"] for run in page["runs"]] == ["m2", "m3"]
    assert not [path for path in store.rglob("*") if path.stem == "m1" or path.name == "m1"]
    assert "m1" not in (store / "registry.json").read_text() + (store / "sources.json").read_text()
    assert {path: path.read_bytes() for path in world.run("m1").iterdir()} == source
    again = world.analyse()
    assert {str(due.cell) for due in again.update.made} == {"aime", "aime/m1", "aime/m2"}
    assert (store / "reports/aime/m1/report.html").is_file()


def test_the_last_run_takes_the_benchmark_with_it_and_a_name_used_elsewhere_stays(world: World) -> None:
    shutil.copytree(world.run("m1"), world.run("m1", "gpqa"))
    world.analyse()
    forget(world.instance, world.settings, Cell("gpqa", "m1"))
    store = world.root / "store"
    assert world.instance.get_dynamic_partitions("benchmarks") == ["aime"]
    assert sorted(world.instance.get_dynamic_partitions("model_runs")) == ["m1", "m2", "m3"]
    assert mentions(store, "gpqa") == [".locks/gpqa.lock"]
    assert (store / "reports/aime/m1/report.html").is_file()


def test_a_run_whose_directory_is_gone_is_gone_for_good(world: World) -> None:
    world.analyse()
    shutil.rmtree(world.run("m2"))
    world.analyse()
    assert removal_of(world.store, M2).directory is None
    forget(world.instance, world.settings, M2)
    again = world.analyse()
    assert (again.errors, again.update.made) == ([], [])
    assert [str(cell) for cell in again.live.known()] == ["aime/m1", "aime/m3"]


def test_what_was_stopped_anywhere_is_completed_by_the_next_forget_or_analysis(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop before the note, after it, amid the files, before the memos, and amid the pages."""
    store, aside = world.root / "store", world.root / "aside"
    shutil.copytree(world.run("m2"), aside)
    for number, (share, further) in enumerate(((0, 1), (0, 2), (0.5, 2), (1, 2), (1, 5))):
        shutil.copytree(aside, world.run("m2"), dirs_exist_ok=True)
        world.analyse()
        shutil.rmtree(world.run("m2"))
        world.analyse()
        files = len(removal_of(world.store, M2).files)
        with monkeypatch.context() as patch, pytest.raises(StoppedError):
            stop_after(patch, int(files * share) + further)
            forget(world.instance, world.settings, M2)
        assert unfinished(world.store) == [M2]
        assert removal_of(world.store, M2).cell == M2
        if number % 2:
            forget(world.instance, world.settings, M2)
        assert world.analyse().errors == []
        assert unfinished(world.store) == []
        assert not [path for path in store.rglob("*") if path.stem == "m2" or path.name == "m2"]
        page = json.loads((store / "reports/aime/comparison.json").read_text())
        assert [run["run"] for run in page["runs"]] == ["m1", "m3"]
        assert world.analyse().update.made == []


def test_only_a_run_of_the_store_can_be_named(world: World) -> None:
    """A name is looked up and never used as a path."""
    world.analyse()
    outside = world.root / "store/reports/aime/index.html"
    for cell in (Cell("aime", ".."), Cell("..", "aime"), Cell("aime", "m4")):
        with pytest.raises(UsageProblem, match="is not in the store"):
            removal_of(world.store, cell)
    assert outside.is_file()
    with pytest.raises(UsageProblem, match="did you mean aime/m1"):
        removal_of(world.store, Cell("aime", "m1x"))
