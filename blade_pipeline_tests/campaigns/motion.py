"""Run directories that are written, torn, cut, renamed and replaced while the sensor ticks, on a made-up clock."""

import argparse
import hashlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.partitions import cell_of
from blade_pipeline.assets.stage import Graph
from blade_pipeline.automation import settling
from blade_pipeline.storage import Artifact, Cell
from blade_pipeline_tests.automation.small_graph import with_compute
from blade_pipeline_tests.automation.world import World, row, write_lines

START, QUIET, TICK = 1_790_000_000.0, 10.0, 3.0
LONG = 12 * QUIET
RUNS = ("m1", "m2", "m3")
TASKS = 6


def content_of(path: Path) -> str:
    """Digest of a rollout file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(inputs: Inputs) -> Artifact:
    """What the cheap stage keeps of a run: its rollouts' digest, and a reward that the stages after it read."""
    return Artifact(document={"digest": content_of(inputs.run_directory.rollouts[0]), "rewards": [1.0]})


GRAPH: Graph = with_compute("rows", digest)


class Clock:
    """The time that the sensor is told."""

    now = START

    def __call__(self) -> float:
        return self.now


class Story:
    """A world whose directories move, and what the sensor's runs made of them."""

    def __init__(self, world: World, seed: int, clock: Clock) -> None:
        self.world, self.clock = world, clock
        self.draw = random.Random(seed)
        self.written: dict[str, float] = {}
        self.analysed: dict[str, str] = {}
        self.analyses, self.moves, self.wrong = 0, Counter[str](), list[str]()
        self._last = 0

    def goes_on(self, moves: int) -> None:
        """So many moves with ticks between them, and a long silence at the end."""
        for _ in range(moves):
            [move], run = self.draw.choices([*MOVES], [*MOVES.values()]), self.draw.choice(RUNS)
            if move(self, self.world.run(run)):
                self.moves[move.__name__] += 1
            self.passes(self.draw.choice([1.0, TICK, QUIET / 2, QUIET, 3 * QUIET, LONG]))
        self.passes(LONG)
        for run in RUNS:
            path = self.rollouts(self.world.run(run))
            if path.exists() and self.analysed.get(run) != content_of(path):
                self.wrong.append(f"{run} was never analysed as it ended")

    def passes(self, seconds: float) -> None:
        """Time passes, and the sensor ticks; what it asks for is run at once."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now += TICK
            found = self.world.tick()
            for request in (found.run_requests or ()) if isinstance(found, dg.SensorResult) else ():
                self.world.reanalyse(str(request.partition_key))
            for run, times in self._read().items():
                kept = self.world.store.read("rows", Cell("aime", run)).artifact.document or {}
                self.judge(run, str(kept["digest"]), times)

    def _read(self) -> Counter[str]:
        """How often each run was read since the last call."""
        wanted = dg.AssetRecordsFilter(asset_key=dg.AssetKey("rows"), after_storage_id=self._last)
        records = self.world.instance.fetch_materializations(wanted, limit=1000).records
        self._last = max([self._last, *(record.storage_id for record in records)])
        return Counter(str(cell_of(str(record.partition_key)).run) for record in records)

    def judge(self, run: str, kept: str, times: int) -> None:
        """Holds what was kept of a run against when it was written, and against what was kept before."""
        self.analyses += times
        quiet = self.clock.now - self.written[run]
        if times > 1 or self.analysed.get(run) == kept:
            self.wrong.append(f"{run} was analysed again as it was")
        if quiet < QUIET:
            self.wrong.append(f"{run} was analysed {quiet:.0f} s after a write")
        self.analysed[run] = kept

    def rollouts(self, folder: Path) -> Path:
        return folder / "rollouts.jsonl"

    def touched(self, folder: Path) -> bool:
        """Every file of a folder as old as the clock says."""
        for path in folder.iterdir():
            os.utime(path, (self.clock.now, self.clock.now))
        self.written[folder.name] = self.clock.now
        return True


def begin(story: Story, folder: Path) -> bool:
    """A new run, also under the name of one that is there."""
    shutil.rmtree(folder, ignore_errors=True)
    expected = [{"_ng_task_index": task, "agent_ref": {"name": "solver"}} for task in range(TASKS)]
    write_lines(folder / "rollouts_materialized_inputs.jsonl", expected)
    write_lines(story.rollouts(folder), [row(0, 0, 1.0, story.draw.randrange(10**6), "m")])
    return story.touched(folder)


def append(story: Story, folder: Path) -> bool:
    """One row more, now and then torn; a torn one is ended first."""
    path = story.rollouts(folder)
    if not path.exists():
        return False
    content = path.read_bytes()
    content += b"" if content.endswith(b"\n") else b"\n"
    line = json.dumps(row(content.count(b"\n"), 0, 1.0, 0, "m")).encode()
    path.write_bytes(content + (line[: len(line) // 2] if story.draw.random() < 0.3 else line + b"\n"))
    return story.touched(folder)


def truncate(story: Story, folder: Path) -> bool:
    """The first row alone, as a resumed writer leaves it."""
    path = story.rollouts(folder)
    if not path.exists():
        return False
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    return story.touched(folder)


def rewrite_inputs(story: Story, folder: Path) -> bool:
    """More tasks are planned than before."""
    if not folder.exists():
        return False
    line = {"_ng_task_index": TASKS + story.draw.randrange(3), "agent_ref": {"name": "solver"}}
    write_lines(folder / "rollouts_materialized_inputs.jsonl", [line], "a")
    return story.touched(folder)


def rename(story: Story, folder: Path) -> bool:
    """The folder under a name that is free."""
    free = [story.world.run(run) for run in RUNS if not story.world.run(run).exists()]
    if not folder.exists() or not free:
        return False
    folder.rename(free[0])
    story.written[free[0].name] = story.written[folder.name]
    return True


def vanish(story: Story, folder: Path) -> bool:
    """The folder is gone."""
    there = folder.exists()
    shutil.rmtree(folder, ignore_errors=True)
    return there


MOVES = {begin: 3, append: 8, truncate: 2, rewrite_inputs: 2, rename: 2, vanish: 1}
"""How often each move is drawn."""


def story(seed: int, moves: int) -> Story:
    """One story from an empty world."""
    clock = Clock()
    watch = SimpleNamespace(time=clock, monotonic=time.monotonic)
    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patched,
        dg.DagsterInstance.ephemeral() as instance,
    ):
        world = World(Path(folder), instance, patched)
        world.runs.mkdir()
        world.use(GRAPH)
        patched.setenv("BLADE_QUIET_SECONDS", str(QUIET))
        patched.setattr(settling, "time", watch)
        told = Story(world, seed, clock)
        told.goes_on(moves)
        return told


def campaign(stories: int, moves: int, seed: int) -> Iterator[Story]:
    """So many stories of so many moves each."""
    draw = random.Random(seed)
    for _ in range(stories):
        yield story(draw.randrange(2**32), moves)


def main() -> None:
    """Prints what was tried and what was wrong; ends with 1 when anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", type=int, default=100)
    parser.add_argument("--moves", type=int, default=40, help="moves of each story")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    moves, analyses, hours, wrong = Counter[str](), 0, 0.0, 0
    for number, told in enumerate(campaign(chosen.stories, chosen.moves, chosen.seed), 1):
        moves += told.moves
        analyses += told.analyses
        hours += (told.clock.now - START) / 3600
        wrong += len(told.wrong)
        print(f"{number}: {told.analyses} analyses {'; '.join(told.wrong)}", flush=True)
    print(f"seed {chosen.seed}, {hours:.1f} hours, {analyses} analyses, {wrong} wrong, moves {dict(moves)}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
