"""``blade worklist``: which tasks an analyst should read next, and what to read of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade_pipeline.cli.options import folder_options, json_option
from blade_pipeline.cli.output import console, note, on_one_line, print_json, visible
from blade_pipeline.cli.stored import artifact_of, open_store
from blade_pipeline.storage import Cell, Store

if TYPE_CHECKING:
    from blade_pipeline.gym.excerpts import Excerpt, Place

_ASSETS = ("aligned_samples", "outcome_buckets", "failure_modes", "root_causes", "trajectory_contrasts")


@click.command(name="worklist")
@click.argument("benchmark")
@click.argument("run")
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, help="At most so many tasks.")
@folder_options("store")
@json_option
def command(benchmark: str, run: str, limit: int, store: str, as_json: bool) -> None:
    """List the tasks of RUN that an analyst should read next, those first that tell most.

    Sometimes-pass tasks come first, then never-pass tasks without an explanation, the largest failure modes in turn.
    Each comes with why, the rollouts to read, their file, line and byte offset, and excerpts read from the run's files
    now: bounded, and without what looks like a secret, an address or a home folder. Tasks that an analyst has labelled
    are left out.
    """
    from blade_pipeline.method.worklist import worklist
    from blade_pipeline.reporting.text import published

    opened, cell = open_store(store), Cell(benchmark, run)
    aligned, buckets, modes, causes, contrasts = (artifact_of(opened, name, cell) for name in _ASSETS)
    documents = [dict(artifact.document or {}) for artifact in (modes, causes, contrasts)]
    found = worklist(aligned.table, buckets.table, modes.table, *documents, limit=limit)
    directory = _directory(opened, cell)
    _read(found["tasks"], directory, _digests(opened, cell))
    found = published(found)
    if as_json:
        names = {"schema_version": 1, "benchmark": benchmark, "run": run, "directory": directory}
        print_json(names | found)
    else:
        _print(cell, directory, found)


def _directory(store: Store, cell: Cell) -> str | None:
    """Where the run's files lay when they were last seen."""
    from blade_pipeline.storage import Registry

    entry = Registry.load(store).entries.get(cell)
    return entry.directory if entry else None


def _digests(store: Store, cell: Cell) -> dict[tuple[str, int], str]:
    """Digest of each row's bytes, by file and line."""
    table: Any = artifact_of(store, "raw_rollouts", cell).table
    rows = table.select(["file", "line", "payload_digest"]).to_pydict()
    return dict(zip(zip(rows["file"], rows["line"], strict=True), rows["payload_digest"], strict=True))


def _read(tasks: list[dict[str, Any]], directory: str | None, digests: dict[tuple[str, int], str]) -> None:
    """Adds the excerpts of every rollout, or why there are none, and the question of every task."""
    from blade_pipeline.gym.excerpts import ChangedError, Place, read_row, rollout_excerpts, task_excerpt

    for task in tasks:
        task["question"] = None
        for rollout in task["rollouts"]:
            digest = digests.get((rollout["file"], rollout["line"])) or ""
            place = Place(rollout["file"], rollout["offset"], rollout["length"], digest)
            rollout |= {"excerpts": [], "problem": _unread(directory, place)}
            if rollout["problem"]:
                continue
            try:
                row = read_row(Path(str(directory)), place)
            except ChangedError as error:
                rollout["problem"] = visible(str(error))
                continue
            rollout["excerpts"] = [_shown(found) for found in rollout_excerpts(row, rollout["step"])]
            if task["question"] is None and (question := task_excerpt(row)):
                task["question"] = _shown(question)


def _unread(directory: str | None, place: "Place") -> str | None:
    from blade_pipeline.gym.files import role_of

    if role_of(place.file) == "reward_profiling":
        return f"{place.file} is a reward profile; it holds no trajectory to read."
    return None if directory else "The store does not know where the run's files lie; run blade analyze and ask again."


def _shown(excerpt: "Excerpt") -> dict[str, Any]:
    text = excerpt.text.replace("\r\n", "\n").expandtabs(4)
    return {"what": on_one_line(excerpt.what), "text": visible(text), "characters": excerpt.characters}


def _print(cell: Cell, directory: str | None, found: dict[str, Any]) -> None:
    screen = console()
    if not found["tasks"]:
        screen.print(f"{cell}: there is nothing to read.")
    for task in found["tasks"]:
        _print_task(task)
    left = {name.replace("_", " "): count for name, count in found["left_out"].items() if count}
    rest = f"; left out: {', '.join(f'{count} {name}' for name, count in left.items())}" if left else ""
    note(f"{len(found['tasks'])} of {found['total']} tasks to read{rest}; files are relative to {directory}")


def _print_task(task: dict[str, Any]) -> None:
    screen = console()
    name = f"{task['task']} ({task['dataset_id']})" if task["dataset_id"] not in (None, task["task"]) else task["task"]
    screen.print(on_one_line(f"{task['position']}. task {name}, {task['agent']}: {task['tier']}"))
    screen.print(f"   {on_one_line(task['why'])}")
    if task["first_difference"]:
        screen.print(f"   {on_one_line(task['first_difference'])}")
    if task["question"]:
        _print_excerpt(task["question"])
    for rollout in task["rollouts"]:
        score = "no score" if rollout["score"] is None else f"score {rollout['score']:g}"
        place = f"{rollout['file']} line {rollout['line']}, byte {rollout['offset']}, {rollout['length']} bytes"
        shown = ", ".join(part for part in (score, rollout["reason"], rollout["mode"]) if part)
        screen.print(on_one_line(f"   {rollout['role']}: rollout {rollout['rollout']} ({shown})  {place}"))
        if rollout["problem"]:
            screen.print(f"     {rollout['problem']}")
        for excerpt in rollout["excerpts"]:
            _print_excerpt(excerpt)
    screen.print()


def _print_excerpt(excerpt: dict[str, Any]) -> None:
    """A short text stands beside its name, a longer one below it."""
    lines = [line for line in excerpt["text"].split("\n") if line.strip()]
    if len(lines) <= 1 and "field " in excerpt["what"]:
        console().print(f"     {excerpt['what']}: {lines[0] if lines else ''}")
        return
    size = f", {excerpt['characters']} characters" if excerpt["characters"] > len(excerpt["text"]) else ""
    console().print(f"     {excerpt['what']}{size}")
    for line in lines or ["(no text)"]:
        console().print(f"       | {line}", soft_wrap=True)
