"""Faults of the machine while a store is written: a full disk, a read-only or vanished store, locks, times, company."""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path

from blade_pipeline.assets.settings import Settings
from blade_pipeline.example import write_example
from blade_pipeline.storage.atomic import leftovers
from blade_pipeline_tests.campaigns.kills import nightly_job
from blade_pipeline_tests.campaigns.rounds import Round, half_written, kept, not_mended, own_settings, tabled

DISKS_KB = (200, 900, 2000)
MONTH_SECONDS = 30 * 86400
ROOMY = "size=200m"


class Machine:
    """Runs below ``root``, and what undisturbed work publishes of them."""

    def __init__(self, root: Path) -> None:
        self.root, self.runs = root, root / "runs"
        write_example(self.runs, tasks=3, repeats=2, models=2)
        assert self.ended(root / "calm") == (0, "")
        self.right = kept(root / "calm")

    def begun(self, store: Path, *arguments: str) -> subprocess.Popen[str]:
        """``blade``, by default ``blade analyze``, at work on a store."""
        command = [sys.executable, "-c", "from blade_pipeline.cli import main; main()"]
        asked = arguments or ("analyze", str(self.runs), "--json")
        variables = own_settings() | {"BLADE_QUIET_SECONDS": "0"}
        return subprocess.Popen(
            [*command, *asked, "--store", str(store)],
            cwd=self.root,
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ended(self, store: Path, *arguments: str) -> tuple[int, str]:
        """Exit code of a command, and what it said on standard error."""
        process = self.begun(store, *arguments)
        said = process.communicate()[1]
        return process.returncode, said

    def wrong(self, store: Path, ended: tuple[int, str]) -> list[str]:
        """What is not as it must be after a command that could not do its work."""
        code, said = ended
        sentences = said.splitlines()
        found = [] if code == 1 else [f"ended with {code}"]
        found += [] if sentences and all(line.startswith("blade: ") for line in sentences) else [f"said {said!r}"]
        return found + [f"temporary {path.name} is left" for path in leftovers(store)]

    def mended(self, store: Path) -> list[str]:
        """What is wrong before and after the next analysis, which nothing disturbs."""
        half = list(half_written(store, self.right))
        code, said = self.ended(store)
        return half + ([] if code == 0 else [f"the next one said {said!r}"]) + [*not_mended(store, self.right)]


def full_disk(machine: Machine, store: Path) -> list[str]:
    """Disks on which the records, the first tables or the last reports have no room."""
    wrong = list[str]()
    for size in DISKS_KB:
        with _disk(store, f"size={size}k"):
            wrong += machine.wrong(store, machine.ended(store))
            _mount("-o", f"remount,{ROOMY}", str(store))
            wrong += [f"{size} kB: {sentence}" for sentence in machine.mended(store)]
    return wrong


def read_only(machine: Machine, store: Path) -> list[str]:
    """A store that was whole but for one artifact and may not be written; it can still be read."""
    with _disk(store, ROOMY):
        machine.ended(store)
        next(store.glob("artifacts/coverage/*/*")).unlink()
        _mount("-o", f"remount,ro,{ROOMY}", str(store))
        wrong = machine.wrong(store, machine.ended(store))
        read = machine.ended(store, "sql", "select 1 from aligned_samples")[0]
        wrong += [] if read == 0 else [f"sql ended with {read}"]
        _mount("-o", f"remount,rw,{ROOMY}", str(store))
        return wrong + machine.mended(store)


def removed(machine: Machine, store: Path) -> list[str]:
    """A store that somebody deletes when the first and when the last artifacts lie there."""
    wrong = list[str]()
    for asset in ("raw_rollouts", "workflow_funnel"):
        process = machine.begun(store)
        while process.poll() is None and not (store / "artifacts" / asset).exists():
            time.sleep(0.02)
        shutil.rmtree(store, ignore_errors=True)
        said = process.communicate()[1]
        wrong += [] if "Traceback" not in said else [f"said {said!r}"]
        wrong += [] if process.returncode in (0, 1) else [f"ended with {process.returncode}"]
        wrong += machine.mended(store)
    return wrong


def locked(machine: Machine, store: Path) -> list[str]:
    """Another program that holds Dagster's event log for as long as the analysis is ready to wait."""
    machine.ended(store)
    next(store.glob("artifacts/coverage/*/*")).unlink()
    with closing(sqlite3.connect(store / ".dagster/history/runs/index.db", isolation_level=None)) as held:
        held.execute("begin exclusive")
        wrong = machine.wrong(store, machine.ended(store))
    return wrong + machine.mended(store)


def clock_back(machine: Machine, store: Path) -> list[str]:
    """A clock that was set back by a month: everything that lies there was written in the future."""
    machine.ended(store)
    later = time.time() + MONTH_SECONDS
    for path in [*store.rglob("*"), *machine.runs.rglob("*")]:
        os.utime(path, (later, later))
    next(store.glob("artifacts/coverage/*/*")).unlink()
    return machine.mended(store)


def company(machine: Machine, store: Path) -> list[str]:
    """Two analyses and the nightly job as a run of Dagster, at once on one store."""
    settings = Settings(str(machine.runs), str(store), "profiles", "references", "labels")
    night = get_context("spawn").Process(target=nightly_job, args=(settings,))
    os.environ["BLADE_QUIET_SECONDS"] = "0"
    night.start()
    others = [machine.begun(store) for _ in range(2)]
    said = [process.communicate()[1] for process in others]
    night.join()
    codes = [night.exitcode, *(process.returncode for process in others)]
    wrong = [] if codes == [0, 0, 0] else [f"ended with {codes}: {said}"]
    return [*wrong, *not_mended(store, machine.right)]


FAULTS: tuple[Callable[[Machine, Path], list[str]], ...] = (full_disk, read_only, removed, locked, clock_back, company)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


@contextmanager
def _disk(place: Path, options: str) -> Iterator[None]:
    """A disk in memory at a place."""
    place.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", options, "tmpfs", str(place))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def campaign(rounds: int, chosen: Collection[str]) -> Iterator[Round]:
    """The chosen faults so many times; those that need a disk of their own only where the user may mount one."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        for number in range(rounds):
            for fault in FAULTS:
                if fault.__name__ not in chosen:
                    continue
                if fault in (full_disk, read_only) and os.geteuid() != 0:
                    print(f"{fault.__name__} is left out: only root may mount a disk", flush=True)
                    continue
                yield Round(fault.__name__, fault(machine, Path(folder, f"{fault.__name__}{number}")))


def main() -> None:
    """Prints what :func:`tabled` prints; ends with 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [fault.__name__ for fault in FAULTS]
    parser.add_argument("faults", nargs="*", default=names, choices=names, help="by default every one")
    parser.add_argument("--rounds", type=int, default=1)
    chosen = parser.parse_args()
    sys.exit(not tabled(campaign(chosen.rounds, chosen.faults), chosen.faults))


if __name__ == "__main__":
    main()
