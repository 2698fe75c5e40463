"""Worker processes give what one process gives, survive one another, and end with their parent."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline import processes
from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.perform import Made
from blade_pipeline.assets.world import see
from blade_pipeline.automation import update, workers
from blade_pipeline.automation.workers import Workers
from blade_pipeline.storage import Artifact, Cell
from blade_pipeline_tests.automation.small_graph import SMALL, mean, with_compute
from blade_pipeline_tests.automation.world import World, row, write_lines, write_run
from blade_pipeline_tests.processes import started, wait_until

pytestmark = pytest.mark.long

RUNS = 13
FEW = 3


def many_rows(world: World) -> list[Cell]:
    for number in range(RUNS):
        write_lines(world.run(f"m{number:02}") / "rollouts.jsonl", [row(0, 0, number / 10, 0, "m")])
    return [Cell("aime", f"m{number:02}") for number in range(RUNS)]


@contextmanager
def on_cores(monkeypatch: pytest.MonkeyPatch, cores: int) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(update, "Workers", lambda live, graph: Workers(live, graph, cores))
        yield


def published(world: World) -> dict[str, bytes]:
    root = Path(world.store.root)
    kept = [path for folder in ("artifacts", "reports") for path in (root / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes() for path in kept}


def test_two_cores_give_the_bytes_that_one_gives(
    empty: World, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_WORTHWHILE", FEW)
    for number in range(FEW):
        write_run(empty.run(f"m{number}"), age=number, model=f"model-{number}")
    with on_cores(monkeypatch, 2):
        in_parallel = empty.analyse()
    first = published(empty)
    assert not in_parallel.errors
    assert len([name for name in first if name.startswith("reports/aime/m") and name.endswith("report.md")]) == FEW
    with on_cores(monkeypatch, 1):
        assert not empty.analyse().update.made
        Path(empty.store.root).rename(tmp_path_factory.mktemp("first") / "store")
        assert len(empty.analyse().update.made) == len(in_parallel.update.made)
    assert published(empty) == first


def end_its_process(inputs: Inputs) -> Artifact:
    if inputs.cell.run == "m03":
        os.kill(os.getpid(), signal.SIGKILL)
    return mean(inputs)


def test_a_worker_that_is_killed_fails_its_run_and_no_other(empty: World, monkeypatch: pytest.MonkeyPatch) -> None:
    many_rows(empty)
    empty.use(with_compute("mean", end_its_process))
    with on_cores(monkeypatch, 2):
        analysis = empty.analyse()
    assert analysis.update.errors == [
        "mean of aime/m03 failed: the worker process was ended from outside, perhaps for want of memory."
    ]
    ranked = empty.store.read("ranking", Cell("aime")).artifact.document
    assert ranked == {f"m{number:02}": number / 10 for number in range(RUNS) if number != 3}


def test_workers_that_were_killed_between_two_stages_are_replaced(empty: World) -> None:
    cells = many_rows(empty)
    with Workers(see(empty.settings), SMALL, 2) as some:
        assert len(list(some.make(SMALL["rows"], cells))) == RUNS
        for worker in some._workers:
            assert worker._process is not None
            for process in worker._process._processes.values():
                process.kill()
                process.join()
        made = list(some.make(SMALL["rows"], cells))
    assert [outcome.cell for outcome in made if isinstance(outcome, Made)] == cells


def end_its_process_once(inputs: Inputs) -> Artifact:
    with suppress(FileExistsError):
        Path(os.environ["TRIED"]).touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    return Artifact(document={})


def test_one_process_takes_the_place_of_one_that_was_killed(
    empty: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many chunks the killed one still had."""
    monkeypatch.setenv("TRIED", str(tmp_path / "tried"))
    begun: list[ProcessPoolExecutor] = []

    def counted(*given: Any, **named: Any) -> ProcessPoolExecutor:
        begun.append(ProcessPoolExecutor(*given, **named))
        return begun[-1]

    monkeypatch.setattr(workers, "ProcessPoolExecutor", counted)
    cells = many_rows(empty)
    graph = with_compute("rows", end_its_process_once)
    with Workers(see(empty.settings), graph, 2) as some:
        made = list(some.make(graph["rows"], cells))
    assert [outcome.cell for outcome in made if isinstance(outcome, Made)] == cells
    assert len(begun) == 3


def tell_its_process(inputs: Inputs) -> Artifact:
    return Artifact(document={"process": os.getpid()})


def test_a_run_stays_with_the_worker_that_remembers_its_tables(empty: World) -> None:
    cells = many_rows(empty)
    live = see(empty.settings)
    graph = with_compute("rows", tell_its_process)

    def processes_of(some: Workers, asked: list[Cell]) -> dict[Cell, int]:
        assert len(list(some.make(graph["rows"], asked))) == len(asked)
        return {cell: empty.store.read("rows", cell).artifact.document["process"] for cell in asked}

    with Workers(live, graph, 2) as some:
        first = processes_of(some, cells)
        assert processes_of(some, cells[::-1][:12]) == {cell: first[cell] for cell in cells[1:]}
    assert sorted(list(first.values()).count(process) for process in set(first.values())) == [6, 7]


PARENT = """
import sys, time
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.world import see
from blade_pipeline.automation.workers import Workers
from blade_pipeline.storage import Cell
from blade_pipeline_tests.automation.small_graph import SMALL

live = see(Settings(*sys.argv[1:6]))
with Workers(live, SMALL, 2) as workers:
    made = list(workers.make(SMALL["rows"], [Cell("aime", f"m{number:02}") for number in range(13)]))
    print(*(number for worker in workers._workers for number in worker._process._processes), flush=True)
    time.sleep(600)
"""


def test_workers_end_with_a_parent_that_is_killed(empty: World) -> None:
    many_rows(empty)
    arguments = [str(value) for value in vars(empty.settings).values()]
    with started([sys.executable, "-c", PARENT, *arguments], stdout=subprocess.PIPE) as parent, parent.stdout as told:
        children = [int(number) for number in told.readline().split()]
        assert len(children) == 2
        assert all(alive(child) for child in children)
        parent.kill()
        wait_until(lambda: not any(alive(child) for child in children))


def alive(process: int) -> bool:
    """Whether a process runs; one that ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_few_cells_start_no_process(empty: World, monkeypatch: pytest.MonkeyPatch) -> None:
    many_rows(empty)
    monkeypatch.setattr(workers, "ProcessPoolExecutor", None)
    monkeypatch.setattr(workers, "_WORTHWHILE", RUNS + 1)
    empty.use(SMALL)
    with on_cores(monkeypatch, 2):
        assert not empty.analyse().errors


def test_a_process_that_may_start_no_others_works_alone() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(processes.cores) == 1
