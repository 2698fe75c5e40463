"""``kill -9`` of Dagster's daemon, of a run that it launched and of the webserver, at random moments."""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any

import dagster as dg
import requests

from blade_pipeline.automation.home import dagster_home, make_records, open_instance
from blade_pipeline.automation.sensor import UNFINISHED
from blade_pipeline.example import write_example
from blade_pipeline_tests.campaigns.rounds import Round, kept, not_mended, own_settings, tabled
from blade_pipeline_tests.processes import answers, free_port

SUBJECTS = ("daemon", "run", "webserver")
PATIENCE_SECONDS = 600.0
RUN_SECONDS = 5.0


class Site:
    """A store with its daemon and its webserver, each in a process group of its own."""

    def __init__(self, runs: Path, store: Path) -> None:
        self._store, self._home = store, dagster_home(str(store))
        make_records(self._home)
        folders = {"BLADE_RUNS": str(runs), "BLADE_STORE": str(store), "DAGSTER_HOME": str(self._home)}
        self._variables = own_settings() | folders | {"BLADE_QUIET_SECONDS": "1"}
        self._port = str(free_port())
        self._begun: list[subprocess.Popen[bytes]] = []
        self._last: dict[str, subprocess.Popen[bytes]] = {}

    def begin(self, server: str) -> None:
        """Starts the daemon, whose sensor sees the runs, or the webserver, for this machine alone."""
        programs = {
            "daemon": ["dagster._daemon", "run"],
            "webserver": ["dagster_webserver", "-h", "127.0.0.1", "-p", self._port],
        }
        command = [sys.executable, "-m", *programs[server], "-m", "blade_pipeline.definitions"]
        with Path(self._home, f"{server}.log").open("ab") as log:
            self._last[server] = subprocess.Popen(
                command, cwd=self._home, env=self._variables, stdout=log, stderr=log, start_new_session=True
            )
        self._begun.append(self._last[server])

    def kill(self, server: str) -> None:
        """Ends the daemon or the webserver, and none of the processes that it started."""
        self._last[server].kill()
        self._last[server].wait()

    def kill_a_run(self, seconds: float) -> None:
        """Ends the first run that the daemon launches, so many seconds after it began."""
        self.waits_for(lambda: bool(_runs_of(self._last["daemon"].pid)))
        time.sleep(seconds)
        for pid in _runs_of(self._last["daemon"].pid)[:1]:
            os.kill(pid, signal.SIGKILL)

    def daemon_megabytes(self) -> float:
        """Resident memory of the daemon itself."""
        status = Path(f"/proc/{self._last['daemon'].pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def answers(self) -> bool:
        """Whether the webserver takes connections."""
        return answers(int(self._port))

    def ask(self, query: str, **variables: object) -> dict[str, Any]:
        """What the webserver answers to a query of GraphQL."""
        address = f"http://127.0.0.1:{self._port}/graphql"
        document: dict[str, Any] = requests.post(
            address, json={"query": query, "variables": variables}, timeout=60
        ).json()
        assert "errors" not in document, document["errors"]
        return dict(document["data"])

    def idle(self) -> bool:
        """Whether no run is waiting or at work."""
        with open_instance(str(self._store)) as instance:
            return not instance.get_runs(dg.RunsFilter(statuses=UNFINISHED), limit=1)

    def waits_for(self, condition: Callable[[], bool], patience: float = PATIENCE_SECONDS) -> bool:
        """Whether a condition holds before patience, in seconds, ends."""
        end = time.monotonic() + patience
        while not (met := condition()) and time.monotonic() < end:
            time.sleep(1)
        return met

    def end(self) -> None:
        """Ends every process that was started, and those that they started."""
        for begun in self._begun:
            with suppress(ProcessLookupError):
                os.killpg(begun.pid, signal.SIGTERM)
        time.sleep(3)
        for begun in self._begun:
            with suppress(ProcessLookupError):
                os.killpg(begun.pid, signal.SIGKILL)
            begun.wait()


def below(pid: int) -> Iterator[int]:
    """The processes that a process started, and those that they started."""
    started = {pid}
    for one in sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()):
        with suppress(OSError):
            if int(Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()[1]) in started:
                started.add(one)
                yield one


def _runs_of(daemon: int) -> list[int]:
    """Processes of runs below the daemon, which its code server spawns."""
    found = list[int]()
    for pid in below(daemon):
        with suppress(OSError):
            found += [pid] if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes() else []
    return found


class Campaign:
    """Runs below ``root``, what ``blade analyze`` publishes of them, and how many seconds undisturbed servers take."""

    def __init__(self, root: Path) -> None:
        self.runs = root / "runs"
        write_example(self.runs, tasks=3, repeats=2, models=2)
        command = [sys.executable, "-c", "from blade_pipeline.cli import main; main()", "analyze", str(self.runs)]
        calm = [*command, "--store", str(root / "calm")]
        subprocess.run(calm, cwd=root, env=own_settings(), check=True, capture_output=True)
        self.right = kept(root / "calm")
        started = time.monotonic()
        undisturbed = self.round(root / "warm", None, 0)
        assert undisturbed.wrong == [], undisturbed.wrong
        self.seconds = time.monotonic() - started

    def round(self, store: Path, killed: str | None, seconds: float) -> Round:
        """Servers on an empty store, one kill so many seconds after they, or the run, began; and what came of it."""
        site = Site(self.runs, store)
        try:
            site.begin("daemon")
            site.begin("webserver")
            if killed == "run":
                site.kill_a_run(seconds)
            elif killed is not None:
                time.sleep(seconds)
                site.kill(killed)
                site.begin(killed)
            done = site.waits_for(lambda: kept(store).keys() == self.right.keys() and site.idle() and site.answers())
        finally:
            site.end()
        wrong = [] if done else [f"not done after {PATIENCE_SECONDS:.0f} seconds"]
        return Round(killed or "nothing", [*wrong, *not_mended(store, self.right)])


def campaign(rounds: int, seed: int) -> Iterator[Round]:
    """So many rounds of each subject, at moments drawn evenly from what undisturbed servers take."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        of = Campaign(Path(folder))
        for number in range(rounds):
            for subject in SUBJECTS:
                moment = draw.uniform(0, RUN_SECONDS if subject == "run" else of.seconds)
                yield of.round(Path(folder, f"{subject}{number}"), subject, moment)


def main() -> None:
    """Prints what :func:`tabled` prints; ends with 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="kills of each")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    sys.exit(not tabled(campaign(chosen.rounds, chosen.seed), SUBJECTS))


if __name__ == "__main__":
    main()
