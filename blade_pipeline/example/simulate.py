"""Lets a run happen: who succeeds, how the others fail, what is lost, and when each row is written."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from blade_pipeline.example.benchmark import Answer, Benchmark, Json, Task
from blade_pipeline.example.damage import Failure, Fate, Key, failure_row, lost_row, plan_damage
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.plan import Run, Size, success_probability
from blade_pipeline.example.rows import rollout_row

CLOSEST_TO_CERTAIN = 0.001
"""Base chances stay this far from 0 and 1."""

_WORKERS = 8
_RETRY_AFTER = 3_600.0
_SECONDS = (6, 25)
_SECONDS_PER_TURN = 4


@dataclass(frozen=True)
class Truth:
    """What really happened to one rollout; ``reward`` and ``mode`` are null unless it was measured."""

    task: int
    repeat: int
    outcome: str
    reward: float | None
    mode: str | None
    failure_class: str | None
    attempts: int
    recovered: bool


@dataclass
class Result:
    """A finished run: its rows and sidecar rows in the order of their writing, and the truth per rollout."""

    run: Run
    tasks: list[Task]
    probabilities: list[float]
    rows: list[Json] = field(default_factory=list)
    failures: list[Json] = field(default_factory=list)
    truth: list[Truth] = field(default_factory=list)


@dataclass(frozen=True)
class _Rollout:
    """One rollout with its answer, as it is before anything is lost."""

    key: Key
    task: Task
    mode: str | None
    answer: Answer
    finished: float


def write_tasks(size: Size, benchmark: Benchmark) -> list[Task]:
    """The benchmark's tasks, the same for every run."""
    tasks = []
    for index in range(size.tasks):
        draws = Draws(size.seed, benchmark.name, "task", index)
        base = draws.beta(*benchmark.difficulty)
        kept = min(max(base, CLOSEST_TO_CERTAIN), 1 - CLOSEST_TO_CERTAIN)
        tasks.append(benchmark.write_task(draws, index, round(kept, 6)))
    return tasks


def simulate(size: Size, run: Run, tasks: list[Task]) -> Result:
    """One run over all tasks and repeats."""
    result = Result(run, tasks, [success_probability(task.base, run) for task in tasks])
    fates = plan_damage(size, run)
    rows: list[tuple[float, Key, Json]] = []
    failures: list[tuple[float, Key, Json]] = []
    for rollout in _rollouts(size, result):
        fate = fates.get(rollout.key, Fate())
        failed = 0
        if fate.failure is not None:
            failed = 1 if fate.recovered else fate.failure.attempts
            failures += _failed_attempts(run, rollout, fate.failure, failed)
        if fate.outcome in ("measured", "masked"):
            at = rollout.finished + failed * _RETRY_AFTER
            rows.append((at, rollout.key, _row(size, run, rollout, fate, failed, at)))
        result.truth.append(_truth(rollout, fate, failed))
    result.rows = [row for _, _, row in sorted(rows, key=lambda item: item[:2])]
    result.failures = [row for _, _, row in sorted(failures, key=lambda item: item[:2])]
    return result


def _rollouts(size: Size, result: Result) -> Iterator[_Rollout]:
    """All rollouts in the order of their dispatch, by workers that take the next one as soon as they are free."""
    run = result.run
    write_answer = run.benchmark.write_answer
    assert write_answer is not None, "a benchmark of stories is not simulated"
    free = [float(run.started)] * _WORKERS
    for task, probability in zip(result.tasks, result.probabilities, strict=True):
        for repeat in range(size.repeats):
            draws = Draws(size.seed, run.benchmark.name, run.model.name, task.index, repeat)
            passed = draws.uniform() < probability
            mode = None if passed else draws.weighted(run.benchmark.modes[task.category])
            answer = write_answer(draws, task, mode)
            finished = heapq.heappop(free) + draws.between(*_SECONDS) + _SECONDS_PER_TURN * answer.turns
            heapq.heappush(free, finished)
            yield _Rollout((task.index, repeat), task, mode, answer, finished)


def _failed_attempts(run: Run, rollout: _Rollout, failure: Failure, number: int) -> list[tuple[float, Key, Json]]:
    return [
        (rollout.finished + attempt * _RETRY_AFTER, rollout.key, failure_row(run, rollout.key, failure, attempt))
        for attempt in range(number)
    ]


def _row(size: Size, run: Run, rollout: _Rollout, fate: Fate, failed: int, at: float) -> Json:
    response_id = f"resp-{Draws(size.seed, run.name, *rollout.key).hexadecimal(12)}"
    reward = 1.0 if rollout.mode is None else 0.0
    row = rollout_row(run, rollout.task, rollout.answer, reward=reward, response_id=response_id, at=at)
    if fate.outcome == "masked":
        row = lost_row(run.benchmark, row)
    task, repeat = rollout.key
    return row | {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        **({"_ng_attempt_index": failed} if failed else {}),
        "agent_ref": run.benchmark.agent,
        "_ng_environment_server": run.benchmark.name,
    }


def _truth(rollout: _Rollout, fate: Fate, failed: int) -> Truth:
    measured = fate.outcome == "measured"
    task, repeat = rollout.key
    return Truth(
        task=task,
        repeat=repeat,
        outcome=fate.outcome,
        reward=(1.0 if rollout.mode is None else 0.0) if measured else None,
        mode=rollout.mode if measured else None,
        failure_class=fate.failure.failure_class if fate.failure else None,
        attempts=failed,
        recovered=fate.recovered,
    )
