"""Turns the rollouts of a story into the rows and sidecar rows of a run."""

from collections.abc import Iterator

from blade_pipeline.example.benchmark import Answer, Json, Task
from blade_pipeline.example.damage import Failure, failure_row
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.plan import Run, Size
from blade_pipeline.example.rows import rollout_row
from blade_pipeline.example.simulate import Result
from blade_pipeline.example.stories.story import Rollout

_SECONDS = 9


def story_result(size: Size, run: Run, tasks: list[Task], rollouts: list[Rollout]) -> Result:
    """A finished run; rows stand in the order of the dataset."""
    result = Result(run, tasks, [task.base for task in tasks])
    for position, rollout in enumerate(rollouts):
        if rollout.failure is not None:
            result.failures += _failures(run, rollout, rollout.failure)
        elif not rollout.missing:
            result.rows.append(_row(size, run, rollout, run.started + position * _SECONDS))
    return result


def _failures(run: Run, rollout: Rollout, told: Json) -> Iterator[Json]:
    failure = Failure(**told)
    return (failure_row(run, rollout.key, failure, attempt) for attempt in range(failure.attempts))


def _row(size: Size, run: Run, rollout: Rollout, at: float) -> Json:
    turns = 1 + sum(item["type"] == "function_call" for item in rollout.output)
    answer = Answer(rollout.output, rollout.verifier, turns, rollout.incomplete, rollout.thinking)
    response_id = f"resp-{Draws(size.seed, run.name, *rollout.key).hexadecimal(12)}"
    reward = 1.0 if rollout.passed else 0.0
    row = rollout_row(run, rollout.task, answer, reward=reward, response_id=response_id, at=at)
    return row | {
        "response": row["response"] | rollout.response,
        "_ng_task_index": rollout.task.index,
        "_ng_rollout_index": rollout.repeat,
        "agent_ref": run.benchmark.agent,
        "_ng_environment_server": run.benchmark.name,
    }
