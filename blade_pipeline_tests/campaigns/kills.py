"""``kill -9`` at random moments of ``blade analyze`` or of a Dagster run: which stage each hit, and what came of it."""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.example import write_example
from blade_pipeline_tests.campaigns.rounds import Round, half_written, kept, not_mended, tabled

STARTING, ENDING = "before the first stage", "after the last stage"
PLACES = [STARTING, *(stage.name for stage in GRAPH)]
SUBJECTS = ("analyze", "run")
End = tuple[str, float]
"""A stage, and how many seconds after its first cell began the process that is at it is killed."""


class Campaign:
    """Runs below ``root`` and what undisturbed work publishes of them.

    The processes are forks of one that has imported everything, so that moments fall into the work.
    """

    def __init__(self, root: Path, subject: str = "analyze") -> None:
        self.root, self.subject = root, subject
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(["blade_pipeline.automation.jobs", "blade_pipeline.cli.analyze"])
        write_example(root / "runs", tasks=3, repeats=2, models=2)
        assert self.ended(root / "calm") == 0
        self.right = kept(root / "calm")

    def seconds(self) -> float:
        """How long undisturbed work takes at best, imports left out: other work would put kills behind its end."""
        return min(self._timed(self.root / f"timed{number}") for number in range(3))

    def _timed(self, store: Path) -> float:
        started = time.monotonic()
        assert self.ended(store) == 0
        return time.monotonic() - started

    def start(self, store: Path, end: End | None = None) -> tuple[BaseProcess, Connection]:
        """A process at work on a store, and what tells the stage of each cell that it begins."""
        reader, writer = self._context.Pipe(duplex=False)
        process = self._context.Process(target=work, args=(self.subject, self.root / "runs", store, writer, end))
        process.start()
        writer.close()
        return process, reader

    def ended(self, store: Path) -> int | None:
        """Exit code of undisturbed work on a store."""
        process, told = self.start(store)
        list(heard(told))
        process.join()
        return process.exitcode

    def killed_after(self, store: Path, seconds: float) -> Round:
        """One kill so many seconds after the start, and the work after it."""
        process, told = self.start(store)
        process.join(seconds)
        process.kill()
        return self._mended(store, process, told)

    def killed_in(self, store: Path, place: str, seconds: float) -> Round:
        """One kill so many seconds after the first cell of a stage began, however late this process is told of it."""
        return self._mended(store, *self.start(store, (place, seconds)))

    def _mended(self, store: Path, process: BaseProcess, told: Connection) -> Round:
        last = list(heard(told))
        process.join()
        wrong = list(half_written(store, self.right))
        code = self.ended(store)
        wrong += [] if code == 0 else [f"the next one ended with {code}"]
        return Round(last[-1] if last else STARTING, [*wrong, *not_mended(store, self.right)])


def heard(told: Connection) -> Iterator[str]:
    """What a process tells until it ends."""
    while True:
        try:
            yield told.recv()
        except EOFError:
            return


def work(subject: str, runs: Path, store: Path, told: Connection, end: End | None) -> None:
    """The command, or the nightly job as one Dagster run, with a word for each cell that is begun; perhaps its end."""
    from blade_pipeline.automation import workers
    from blade_pipeline.cli import main

    perform, ends = workers.perform, list[threading.Timer]()

    def told_of(stage: Any, *given: Any) -> Any:
        told.send(stage.name)
        if end is not None and stage.name == end[0] and not ends:
            ends.append(threading.Timer(end[1], os.kill, (os.getpid(), signal.SIGKILL)))
            ends[0].start()
        return perform(stage, *given)

    os.environ["BLADE_QUIET_SECONDS"] = "0"
    os.chdir(runs.parent)
    workers.perform = told_of
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    if subject == "run":
        nightly_job(Settings(str(runs), str(store), "profiles", "references", "labels"))
    else:
        sys.argv = ["blade", "analyze", str(runs), "--store", str(store)]
        main()
    told.send(ENDING)


def nightly_job(settings: Settings) -> None:
    """The nightly job as one run of Dagster in this process."""
    from blade_pipeline.automation.home import open_instance
    from blade_pipeline.automation.jobs import reanalyze_everything

    with open_instance(settings.store) as instance:
        reanalyze_everything.execute_in_process(instance=instance, resources={"workspace": Workspace(**vars(settings))})


def campaign(subject: str, rounds: int, least: int, seed: int) -> Iterator[Round]:
    """``rounds`` kills at random moments, then kills aimed at every stage that was hit fewer than ``least`` times."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        of = Campaign(Path(folder), subject)
        hit, seconds = Counter[str](), of.seconds()
        for number in range(rounds):
            one = of.killed_after(Path(folder, f"random{number}"), draw.uniform(0, seconds))
            hit[one.place] += 1
            yield one
        aimed = [place for place in PLACES[1:] for _ in range(least - hit[place])]
        for number, place in enumerate(aimed):
            yield of.killed_in(Path(folder, f"aimed{number}"), place, draw.uniform(0, 0.02))


def main() -> None:
    """Prints what :func:`tabled` prints; ends with 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS, help="what is killed")
    parser.add_argument("--rounds", type=int, default=200, help="kills at random moments")
    parser.add_argument("--least", type=int, default=5, help="kills that every stage gets at least")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    well = tabled(campaign(chosen.subject, chosen.rounds, chosen.least, chosen.seed), [*PLACES, ENDING])
    sys.exit(not well)


if __name__ == "__main__":
    main()
