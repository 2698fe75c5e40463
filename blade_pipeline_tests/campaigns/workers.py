"""``kill -9`` of a worker process, or of the command above it, while it analyses 40 small runs; and what came of it."""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from blade_pipeline_tests.campaigns.rounds import Round, half_written, kept, not_mended, own_settings, tabled
from blade_pipeline_tests.perf.bulk import write_runs
from blade_pipeline_tests.perf.measuring import BLADE

RUNS = 40
PLACES = ("one worker", "every worker", "the command")
GRACE_SECONDS = 10.0


class Company:
    """Runs below ``root``, and what undisturbed work publishes of them in how many seconds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_runs(root / "runs", RUNS)
        started = time.monotonic()
        assert self.begun(root / "calm").wait() == 0
        self.seconds, self.right = time.monotonic() - started, kept(root / "calm")

    def begun(self, store: Path) -> subprocess.Popen[bytes]:
        """``blade analyze`` at work on a store, in a session of its own."""
        return subprocess.Popen(
            [sys.executable, *BLADE, "analyze", str(self.root / "runs"), "--store", str(store)],
            cwd=self.root,
            env=own_settings() | {"BLADE_QUIET_SECONDS": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def killed(self, store: Path, place: str, seconds: float, draw: random.Random) -> Round:
        """One kill so many seconds after the start, the end of that analysis, and the next one."""
        process = self.begun(store)
        time.sleep(seconds)
        workers = [pid for pid in members(process.pid) if "spawn_main" in command(pid)]
        hit = {"one worker": draw.sample(workers, min(1, len(workers))), "every worker": workers}
        for pid in hit.get(place, [process.pid]):
            os.kill(pid, signal.SIGKILL)
        code = process.wait()
        wrong = [] if code == (-9 if place == "the command" else 0) else [f"ended with {code}"]
        wrong += [f"process {pid} is left" for pid in left(process.pid)]
        wrong += list(half_written(store, self.right))
        if place != "the command" and kept(store).keys() != self.right.keys():
            wrong += ["not everything was made"]
        following = self.begun(store)
        wrong += [] if following.wait() == 0 else [f"the next one ended with {following.returncode}"]
        wrong += [f"process {pid} of the next one is left" for pid in left(following.pid)]
        there = place if workers or place == "the command" else "before the workers"
        return Round(there, [*wrong, *not_mended(store, self.right)])


def members(session: int) -> list[int]:
    """The processes of a session that are not ended."""
    found = list[int]()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, *fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == session and state != "Z":
            found.append(int(place.name))
    return found


def command(pid: int) -> str:
    """The command line of a process; nothing when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def left(session: int) -> list[int]:
    """Processes of a session that do not end within the time that ending may take."""
    until = time.monotonic() + GRACE_SECONDS
    while (there := members(session)) and time.monotonic() < until:
        time.sleep(0.2)
    return there


def campaign(rounds: int, seed: int) -> Iterator[Round]:
    """``rounds`` kills at random moments of the measured time of the work, of each place in turn."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        company = Company(Path(folder))
        for number in range(rounds):
            seconds = draw.uniform(0, company.seconds)
            yield company.killed(Path(folder, f"store{number}"), PLACES[number % len(PLACES)], seconds, draw)


def main() -> None:
    """Prints what :func:`tabled` prints; ends with 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    sys.exit(not tabled(campaign(chosen.rounds, chosen.seed), ["before the workers", *PLACES]))


if __name__ == "__main__":
    main()
