"""Which runs are written, and what is planted in which: the part of the process that is not left to chance."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from blade_pipeline.example.benchmark import Benchmark
from blade_pipeline.example.draws import Draws

NAMED_MODELS = (("lumen-8b", 0.0), ("lumen-30b", 1.6), ("marl-8b", 0.05))
"""The first models and their skill, a shift on the logit scale; further ones are called ``tarn-<number>``."""

HOT_TEMPERATURE = 1.0
HOT_SHIFT = -0.8
"""Temperature of the run that is not comparable, and what it costs on the logit scale."""

FIRST_START = int(datetime(2026, 10, 19, 20, 0, tzinfo=UTC).timestamp())
_DAY = 86_400
_HOUR = 3_600
_EXTRA_SKILL = 1.5


@dataclass(frozen=True)
class Size:
    """Arguments of one call: tasks per benchmark, repeats per task, models, and the seed."""

    tasks: int
    repeats: int
    models: int
    seed: int


@dataclass(frozen=True)
class Model:
    """A made-up model: its name and its skill on the logit scale."""

    name: str
    skill: float


@dataclass(frozen=True)
class Run:
    """One run: benchmark, name, model, start (seconds since 1970), sampling and what is planted in it.

    ``shift`` is what this run's sampling adds to the model's skill; ``damaged`` runs lose rollouts.
    """

    benchmark: Benchmark
    name: str
    model: Model
    started: int
    temperature: float
    shift: float
    damaged: bool

    @property
    def directory(self) -> str:
        """Folder of the rollouts, relative to the example's root."""
        if self.benchmark.layout == "submit":
            return f"{self.name}/{self.benchmark.name}/artifacts"
        return f"{self.benchmark.name}/{self.name}"


def plan_models(size: Size) -> list[Model]:
    """The models in the order in which they ran."""
    named = [Model(name, skill) for name, skill in NAMED_MODELS]
    extra = [
        Model(f"tarn-{n}", round((Draws(size.seed, "skill", n).uniform() * 2 - 1) * _EXTRA_SKILL, 2))
        for n in range(1, size.models - len(named) + 1)
    ]
    return (named + extra)[: size.models]


def plan_runs(size: Size, benchmarks: tuple[Benchmark, ...]) -> list[Run]:
    """One run per benchmark and model, a day apart, with the planted difference and the planted damage."""
    return [
        _run(size, benchmark, model, position, n * _HOUR)
        for n, benchmark in enumerate(benchmarks)
        for position, model in enumerate(plan_models(size))
    ]


def success_probability(base: float, run: Run) -> float:
    """Chance that a rollout succeeds: the task's base chance, moved by skill and sampling on the logit scale.

    Rounded to six digits, so that no platform's logarithm can show.
    """
    logit = math.log(base / (1 - base)) + run.model.skill + run.shift
    return round(1 / (1 + math.exp(-logit)), 6)


def _run(size: Size, benchmark: Benchmark, model: Model, position: int, offset: int) -> Run:
    started = FIRST_START + position * _DAY + offset
    hot = benchmark.plants == "temperature" and size.models > 1 and position == min(2, size.models - 1)
    return Run(
        benchmark=benchmark,
        name=_job_id(model, started) if benchmark.layout == "submit" else model.name,
        model=model,
        started=started,
        temperature=HOT_TEMPERATURE if hot else benchmark.temperature,
        shift=HOT_SHIFT if hot else 0.0,
        damaged=benchmark.plants == "damage" and position == min(1, size.models - 1),
    )


def _job_id(model: Model, started: int) -> str:
    stamp = datetime.fromtimestamp(started, UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"gym-job-{stamp}-{Draws('job', model.name).hexadecimal(6)}"
