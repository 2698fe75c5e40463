"""Runs of Dagster whose work is done by Celery's workers, one of which is killed in the middle of it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import dagster as dg
import pytest
import yaml

from blade_pipeline.assets.world import see
from blade_pipeline.automation import executor
from blade_pipeline.automation.home import shipped_config
from blade_pipeline.automation.registering import register
from blade_pipeline.environment import CELERY
from blade_pipeline.models import UsageProblem
from blade_pipeline.storage import Store
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.processes import started, wait_until
from blade_pipeline_tests.services.alone import STORAGE, Alone, by_partition, recorded_in, versions_in

pytestmark = pytest.mark.services

BENCHMARKS = ("aime", "gpqa")
HELD = "blade_pipeline_tests.services.held"


class Site:
    """One store and one set of records, Celery's settings, and whoever works on them."""

    def __init__(self, folder: Path, alone: Alone, redis: str, postgres: str) -> None:
        self.folder = folder
        self.settings = alone.with_store(str(folder / "store"))
        (folder / "home").mkdir()
        (folder / "home/dagster.yaml").write_text(shipped_config() + STORAGE)
        self.celery = folder / "celery.yaml"
        source = {
            "task_acks_late": True,
            "task_reject_on_worker_lost": True,
            "broker_transport_options": {
                "visibility_timeout": 10,
                "unacked_restore_interval": 1,
                "unacked_restore_throttle": 1,
            },
        }
        config = {"broker": f"{redis}/0", "backend": f"{redis}/1", "config_source": source}
        self.celery.write_text(yaml.safe_dump({"execution": {"config": config}}))
        names = ("runs", "store", "profiles", "references", "labels")
        self.environment = {
            **os.environ,
            **{f"BLADE_{name.upper()}": getattr(self.settings, name) for name in names},
            "BLADE_QUIET_SECONDS": "0",
            "BLADE_CELERY": str(self.celery),
            "BLADE_POSTGRES": postgres,
            "DAGSTER_HOME": str(folder / "home"),
            "HELD": str(folder),
            "PYTHONPATH": str(PROJECT),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }

    def worker(self, name: str, stack: ExitStack) -> "subprocess.Popen[bytes]":
        """A worker with one process, in a process group of its own."""
        command = ["dagster-celery", "worker", "start", "-A", "dagster_celery.app", "-y", str(self.celery), "-n", name]
        process = self._start([*command, "--", "--concurrency=1"], name, stack)
        stack.callback(lambda: process.poll() is None and os.killpg(process.pid, signal.SIGKILL))
        return process

    def run(self, benchmark: str, stack: ExitStack) -> "subprocess.Popen[bytes]":
        """A run of the job ``reanalysis`` for a benchmark, as Dagster's launcher starts one."""
        tags = f'{{"dagster/partition": "{benchmark}"}}'
        job = ["dagster", "job", "execute", "-m", HELD, "-j", "reanalysis", "--tags", tags]
        return self._start(job, f"run-{benchmark}", stack)

    def _start(self, command: list[str], name: str, stack: ExitStack) -> "subprocess.Popen[bytes]":
        log = stack.enter_context((self.folder / f"{name}.log").open("wb"))
        options = {"env": self.environment, "cwd": self.folder, "stderr": log, "stdout": log, "start_new_session": True}
        return stack.enter_context(started(command, **options))

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def begun_by(self, benchmark: str, workers: Iterable[str]) -> list[str]:
        """The workers that began the step of a benchmark's run."""
        run_id = re.search(r"reanalysis - ([0-9a-f-]{36})", self.said(f"run-{benchmark}"))
        assert run_id is not None
        lines = {name: self.said(name).splitlines() for name in workers}
        return [name for name in lines if any(run_id[1] in line and "STEP_START" in line for line in lines[name])]

    def holder(self) -> int | None:
        """The process group that is held in the middle of a benchmark."""
        return next((os.getpgid(int(path.name.split("-")[-1])) for path in self.folder.glob("held-by-*")), None)

    def instance(self) -> dg.DagsterInstance:
        """The records, opened in the test's own process."""
        return dg.DagsterInstance.from_config(str(self.folder / "home"))

    def made(self, benchmark: str) -> int:
        """How many artifacts of a benchmark are there."""
        return sum(cell.benchmark == benchmark for _, cell in Store(self.settings.store).artifacts())


@pytest.fixture
def site(
    tmp_path: Path, alone: Alone, redis_url: str, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    found = Site(tmp_path, alone, redis_url, postgres_url)
    monkeypatch.setenv("BLADE_POSTGRES", postgres_url)
    with found.instance() as instance:
        register(instance, see(found.settings))
    yield found


def test_what_a_killed_worker_had_begun_is_completed_by_the_other(site: Site, alone: Alone) -> None:
    expected = versions_in(alone.settings.store)
    with ExitStack() as stack:
        workers = {name: site.worker(name, stack) for name in ("one", "two")}
        for name, worker in workers.items():
            wait_until(lambda name=name: "ready." in site.said(name), worker)
        runs = {benchmark: site.run(benchmark, stack) for benchmark in BENCHMARKS}
        wait_until(lambda: site.holder() is not None, runs["aime"])
        [killed] = [name for name, worker in workers.items() if worker.pid == site.holder()]
        assert killed in site.begun_by("aime", workers)
        os.killpg(workers[killed].pid, signal.SIGKILL)
        workers[killed].wait()
        assert site.made("aime") == 4
        (site.folder / "go-on").touch()
        for benchmark, run in runs.items():
            wait_until(lambda run=run: run.poll() is not None)
            assert run.returncode == 0, site.said(f"run-{benchmark}")[-4000:]
        assert site.begun_by("aime", workers) == ["one", "two"]
    assert versions_in(site.settings.store) == expected
    with site.instance() as instance:
        assert recorded_in(instance) == by_partition(expected)


def test_settings_that_cannot_be_used_are_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CELERY.name, str(tmp_path / "celery.yaml"))
    with pytest.raises(UsageProblem, match=r"BLADE_CELERY names .*celery\.yaml, which holds no settings"):
        executor.executor()
    monkeypatch.setitem(sys.modules, "dagster_celery", None)
    with pytest.raises(UsageProblem, match=r"BLADE_CELERY is set, which needs dagster-celery; install blade-pipeline"):
        executor.executor()
