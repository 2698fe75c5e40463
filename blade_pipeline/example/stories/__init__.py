"""Runs with one planted story each, and the truth of what was planted."""

from pathlib import Path

from blade_pipeline.example.draws import Draws
from blade_pipeline.example.files import TRUTH, refuse_existing, write_json, write_run
from blade_pipeline.example.plan import FIRST_START, NAMED_MODELS, Model, Run, Size
from blade_pipeline.example.simulate import write_tasks
from blade_pipeline.example.stories import (
    argument_refused,
    category_mode,
    consent_page,
    declined_in_language,
    edited_tests,
    full_disk,
    healthy,
    judge_quota,
    judged_by_length,
    late_letters,
    left_unconfirmed,
    outage,
    package_timeout,
    skipped_tool,
    strict_verifier,
    thrashing,
    truncation,
)
from blade_pipeline.example.stories.records_desk import SETTING
from blade_pipeline.example.stories.rows import story_result
from blade_pipeline.example.stories.story import Story

_KNOWN = (healthy, category_mode, skipped_tool, outage, strict_verifier, truncation, thrashing)
_UNSEEN = (judged_by_length, argument_refused, declined_in_language, package_timeout, edited_tests)
_LATER = (late_letters, full_disk, consent_page, judge_quota, left_unconfirmed)
STORIES: dict[str, Story] = {module.STORY.name: module.STORY for module in (*_KNOWN, *_UNSEEN, *_LATER)}
UNSEEN: tuple[str, ...] = tuple(module.STORY.name for module in _UNSEEN)
"""Stories that were written by somebody who had not seen the rules of the analysis."""
LATER: tuple[str, ...] = tuple(module.STORY.name for module in _LATER)
"""Further stories of that kind, written later by somebody who had not seen the rules either."""
TASKS, REPEATS = 60, 4
_FEWEST = 10


def write_story(out: Path, story: Story, *, tasks: int = TASKS, repeats: int = REPEATS, seed: int = 7) -> Path:
    """Write one run with a planted story below ``out``, and ``out/truth.json`` with what was planted.

    Args:
        out: folder for the run; made when it is missing.
        story: what to plant.
        tasks: tasks of the run, at least 10, so that every category has two.
        repeats: rollouts per task, at least 2.
        seed: names the random stream; equal arguments give equal bytes.

    Returns:
        The folder that holds ``rollouts.jsonl``.

    Raises:
        ValueError: a number is too small.
        FileExistsError: something is there already that would be written over.
    """
    if tasks < _FEWEST or repeats < 2:
        raise ValueError(f"A story needs at least {_FEWEST} tasks and 2 repeats; it was given {tasks} and {repeats}.")
    size = Size(tasks=tasks, repeats=repeats, models=1, seed=seed)
    model = Model(*NAMED_MODELS[0])
    benchmark, healthy_rollout = story.setting or SETTING
    run = Run(benchmark, model.name, model, FIRST_START, benchmark.temperature, 0.0, damaged=False)
    refuse_existing(out, [run])
    content = write_tasks(size, benchmark)
    rollouts = [
        healthy_rollout(Draws(seed, benchmark.name, model.name, task.index, repeat), task, repeat)
        for task in content
        for repeat in range(repeats)
    ]
    truth = story.plant(Draws(seed, "story", story.name), rollouts)
    folder = write_run(out, size, story_result(size, run, content, rollouts))
    document = {
        "schema_version": 1,
        "story": story.name,
        "parameters": {"tasks": tasks, "repeats": repeats, "seed": seed},
        "directory": run.directory,
        "truth": [statement.as_dict() for statement in truth],
    }
    write_json(out / TRUTH, document)
    return folder
