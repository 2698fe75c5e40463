"""``kill -9`` at random moments of ``blade analyze``: which stage each hit, and what the next run made of it."""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.example import write_example
from blade_pipeline.storage.atomic import leftovers

STARTING, ENDING = "before the first stage", "after the last stage"
PLACES = [STARTING, *(stage.name for stage in GRAPH)]
TOLD = """
import sys
from contextlib import contextmanager
from blade_pipeline.cli import analyze, main

@contextmanager
def told():
    yield lambda done, total, what: print(what.split()[0] if done < total else "", file=sys.stderr, flush=True)

analyze.progress_shown = told
main()
"""
"""The command with one line on standard error for each cell that it begins."""


@dataclass(frozen=True)
class Round:
    """Where a kill fell, and everything that was wrong afterwards."""

    place: str
    wrong: list[str]


class Campaign:
    """Runs below ``root`` and what an undisturbed analysis publishes of them, with its duration in seconds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_example(root / "runs", tasks=3, repeats=2, models=2)
        started = time.monotonic()
        calm = self.start(root / "calm")
        said = calm.communicate()[1]
        assert calm.returncode == 0, said
        self.seconds = time.monotonic() - started
        self.right = kept(root / "calm")

    def start(self, store: Path) -> "subprocess.Popen[str]":
        """``blade analyze`` into a store, with its own folder for everything else."""
        store.parent.mkdir(exist_ok=True)
        command = [sys.executable, "-c", TOLD, "analyze", str(self.root / "runs"), "--store", str(store)]
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("BLADE_", "DAGSTER_"))}
        return subprocess.Popen(
            command, cwd=self.root, env=variables, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def killed_after(self, store: Path, seconds: float) -> Round:
        """One kill so many seconds after the start, and the analysis after it."""
        child = self.start(store)
        time.sleep(seconds)
        return self._killed(store, child, [])

    def killed_in(self, store: Path, place: str, seconds: float) -> Round:
        """One kill so many seconds after the first cell of a stage began."""
        child, told = self.start(store), list[str]()
        assert child.stderr is not None
        for line in child.stderr:
            told.append(line)
            if line.strip() == place:
                break
        time.sleep(seconds)
        return self._killed(store, child, told)

    def _killed(self, store: Path, child: "subprocess.Popen[str]", told: list[str]) -> Round:
        child.send_signal(signal.SIGKILL)
        told += child.communicate()[1].splitlines()
        stages = [line.strip() for line in told if line.strip() in PLACES or not line.strip()]
        place = (stages[-1] or ENDING) if stages else STARTING
        wrong = list(self._half_written(store))
        again = self.start(store)
        said = again.communicate()[1]
        if again.returncode != 0:
            wrong.append(f"the next analysis ended with {again.returncode}: {said.splitlines()[-1:]}")
        found = kept(store)
        names = sorted(found.keys() | self.right.keys())
        wrong += [f"{name} differs" for name in names if found.get(name) != self.right.get(name)]
        wrong += [f"temporary {path.name} is left" for path in leftovers(store)] if store.exists() else []
        return Round(place, wrong)

    def _half_written(self, store: Path) -> Iterator[str]:
        """Files under a final name that are not what the undisturbed analysis wrote."""
        for name, content in kept(store).items():
            if self.right.get(name) != content:
                yield f"{name} was readable half written"


def kept(store: Path) -> dict[str, bytes]:
    """Artifacts and published pages below a store, without files of writers at work."""
    paths = [path for folder in ("artifacts", "reports") for path in (store / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(store)): path.read_bytes() for path in paths if not path.name.startswith(".")}


def campaign(rounds: int, least: int, seed: int) -> Iterator[Round]:
    """``rounds`` kills at random moments, then kills aimed at every stage that was hit fewer than ``least`` times."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        of = Campaign(Path(folder))
        moments = [draw.uniform(0, of.seconds) for _ in range(rounds)]
        hit = Counter[str]()
        for one in pool.map(lambda n: of.killed_after(Path(folder, f"r{n}", "store"), moments[n]), range(rounds)):
            hit[one.place] += 1
            yield one
        aimed = [place for place in PLACES[1:] for _ in range(least - hit[place])]
        delays = [draw.uniform(0, 0.02) for _ in aimed]
        places = range(len(aimed))
        yield from pool.map(lambda n: of.killed_in(Path(folder, f"a{n}", "store"), aimed[n], delays[n]), places)


def main() -> None:
    """Prints each kill as it is done, then a table of places, kills and bad ends; ends with 1 when there was any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="kills at random moments")
    parser.add_argument("--least", type=int, default=5, help="kills that every stage gets at least")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    hit, bad = Counter[str](), Counter[str]()
    for number, one in enumerate(campaign(chosen.rounds, chosen.least, chosen.seed), 1):
        hit[one.place] += 1
        bad[one.place] += bool(one.wrong)
        print(f"{number}: {one.place} {'; '.join(one.wrong)}", flush=True)
    for place in (*PLACES, ENDING):
        print(f"| {place} | {hit[place]} | {bad[place]} |")
    sys.exit(bool(bad.total()))


if __name__ == "__main__":
    main()
