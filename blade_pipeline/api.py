"""Runs as Python objects: read, scored and compared in memory, without Dagster and without leaving files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa

from blade_pipeline.gym import (
    RunDirectory,
    discover,
    read_expected,
    read_failures,
    read_health,
    read_manifest,
    read_rollouts,
)
from blade_pipeline.method.align import align
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.comparison import Behaviour, Failures, Side, compare, moved_behaviour
from blade_pipeline.method.coverage import coverage
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.profiles import load_profile, profile_of
from blade_pipeline.method.scores import scores
from blade_pipeline.models import BladeError, Factor, Profile

Document = Mapping[str, Any]


@dataclass(frozen=True)
class PassAtK:
    """One value of pass@k or pass^k, a fraction over the eligible tasks; None when no task is eligible.

    ``low`` and ``high`` bound it over all tasks, whatever the others would have given; they are no confidence interval.
    """

    k: int
    value: float | None
    eligible_tasks: int
    total_tasks: int
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Interval:
    """Where pass@1 would lie on other tasks of the same kind, as fractions, with the probability ``level``.

    It has no ends where the tasks are too few to say.
    """

    estimate: float | None
    low: float | None
    high: float | None
    level: float | None
    tasks: int


@dataclass(frozen=True)
class Comparison:
    """Two runs held against each other; the difference is the second minus the first, as a fraction.

    ``low`` and ``high`` are the interval for new tasks of the same kind at ``level``. ``document`` is the whole pair
    object as ``comparability.json`` publishes it; ``modes`` and ``tools`` say in how many rollouts of
    either run each failure mode is the main one, and each tool is called.
    """

    verdict: str
    sentence: str
    difference: float | None
    low: float | None
    high: float | None
    level: float | None
    tasks: int
    document: Document
    modes: Document
    tools: Document


class Run:
    """One run directory. Everything is read and computed when it is first asked for, and kept."""

    def __init__(self, directory: RunDirectory, profile: Profile) -> None:
        self._directory = directory
        self.profile = profile

    def __repr__(self) -> str:
        return f"Run({self.benchmark}/{self.name})"

    @property
    def benchmark(self) -> str:
        """The benchmark's name."""
        return self._directory.benchmark

    @property
    def name(self) -> str:
        """The run's name."""
        return self._directory.run

    @property
    def path(self) -> Path:
        """The run directory."""
        return self._directory.path

    @cached_property
    def manifest(self) -> Document:
        """Model, sampling, judge, harness, commit, container and dataset, each with the file it was read from."""
        limits = self.profile.redaction_limits
        stated = {} if limits is None else {"redaction_limits": (limits, "profile redaction_limits")}
        return read_manifest(self._directory, self._rows, self._expected, stated)

    @cached_property
    def samples(self) -> pa.Table:
        """``ALIGNED_SAMPLES``: one row per expected or seen rollout, with exactly one outcome."""
        return align(self._expected, self._rows, self._failures, self._health, self.profile)

    @property
    def tasks(self) -> pa.Table:
        """``PASS_AT_K``: one row per task with its measured and passed rollouts."""
        return self._scored[0]

    @property
    def scores(self) -> Document:
        """The score document: pass@k, intervals, bounds, NeMo Gym's own numbers."""
        return self._scored[1]

    @cached_property
    def coverage(self) -> Document:
        """The document that ``coverage.json`` publishes: the accounting of every expected rollout and line."""
        tables = (self.samples, self._rows, self._failures, self._health)
        return coverage(*tables, dict(self.manifest), self._scored[1], self.profile)

    @cached_property
    def buckets(self) -> Mapping[str, int]:
        """How many tasks always, sometimes and never pass, are indeterminate, missing or masked."""
        counts: Mapping[str, int] = outcome_buckets(self.samples, self.profile)[1]["counts"]
        return counts

    def pass_at_k(self) -> dict[int, PassAtK]:
        """pass@k by k: the chance that at least one of k rollouts of a task passes, mean over tasks."""
        return _by_k(self.scores["pass_at"])

    def pass_hat_k(self) -> dict[int, PassAtK]:
        """pass^k by k: the chance that all of k rollouts of a task pass, mean over tasks."""
        return _by_k(self.scores["pass_hat"])

    def interval(self) -> Interval:
        """pass@1 with its interval for new tasks, as the report states it."""
        found = self.scores["intervals"].get("pass_at_1") or {}
        low, high, level = (found.get(name) for name in ("low", "high", "level"))
        return Interval(self.scores["pass_at_1"], low, high, level, self.scores["num_tasks"])

    def compare(
        self, other: "Run | str | Path", *, varying: Factor | None = None, margin: float | None = None
    ) -> Comparison:
        """Holds another run against this one: the ordered checks, then the paired statistics.

        Args:
            other: the later run, or its directory, which is then read with this run's profile.
            varying: the factor under study, unless the profile's.
            margin: smallest difference that matters, as a share of the score's range, unless the profile's.

        Raises:
            BladeError: the directory is no run, a file cannot be read, the margin is not above 0, or nobody knows the
                factor.
        """
        if varying is not None and varying not in get_args(Factor):
            raise BladeError(f"'{varying}' is no factor under study; name one of {', '.join(get_args(Factor))}.")
        second = other if isinstance(other, Run) else load(other, profile=self.profile)
        pair = compare(self._side, second._side, self.profile, varying=varying, margin=margin)
        gap, interval = pair["difference"], pair["difference"]["new_tasks"]
        bounds = (interval["low"], interval["high"], interval["level"])
        moved = moved_behaviour(self._behaviour, second._behaviour)
        tasks, modes, tools = gap["tasks"], moved["modes"], moved["tools"]
        return Comparison(pair["verdict"], pair["sentence"], gap["value"], *bounds, tasks, pair, modes, tools)

    @cached_property
    def _side(self) -> Side:
        return Side(self.name, self.manifest, self.coverage, self.scores, self.tasks, self.samples)

    @cached_property
    def _behaviour(self) -> Behaviour:
        failures = Failures(*failure_modes(self.samples, self.profile))
        return Behaviour.of(self._side, self.samples, failures)

    @cached_property
    def _scored(self) -> tuple[pa.Table, dict[str, Any]]:
        return scores(self.samples, self._rows, self.profile)

    @cached_property
    def _rows(self) -> pa.Table:
        return read_rollouts(self._directory)

    @cached_property
    def _expected(self) -> pa.Table:
        return read_expected(self._directory)

    @cached_property
    def _failures(self) -> pa.Table:
        return read_failures(self._directory)

    @cached_property
    def _health(self) -> pa.Table:
        return read_health(self._directory, self._rows["line_class"].to_pylist().count("row"))


def load(path: str | Path, *, profile: Profile | str | Path | None = None) -> Run:
    """The run in a directory, in any of the layouts that ``blade analyze`` knows.

    Args:
        path: the run directory, or a folder with a single run below it.
        profile: what the team declares of the benchmark, or the file ``<benchmark>.yaml`` that says it; without one
            the defaults apply.

    Raises:
        BladeError: there is no run, or there are several, or the profile is wrong.
    """
    found = discover(Path(path))
    if len(found.runs) != 1:
        there = ", ".join(str(run.path) for run in found.runs[:5]) or "; ".join(found.problems[:1]) or "nothing"
        raise BladeError(f"{path} holds {len(found.runs)} runs ({there}); name the directory of one.")
    return Run(found.runs[0], profile if isinstance(profile, Profile) else _profile_in(profile))


def _profile_in(file: str | Path | None) -> Profile:
    if file is None:
        return Profile()
    path = Path(file)
    if path.suffix != ".yaml" or not path.is_file():
        raise BladeError(f"{file} is no profile; name a file <benchmark>.yaml.")
    return profile_of(load_profile(path.parent, path.stem))


def _by_k(document: Document) -> dict[int, PassAtK]:
    names = ("value", "eligible_tasks", "total_tasks", "low", "high")
    return {int(k): PassAtK(int(k), *(entry[name] for name in names)) for k, entry in document.items()}
