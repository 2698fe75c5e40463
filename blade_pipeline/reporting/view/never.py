"""Never-Pass Deep Dives: representative tasks that never pass, their rollouts in order."""

from collections import Counter
from collections.abc import Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Cell,
    Heading,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    listed,
    say,
    table,
)
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, plural
from blade_pipeline.reporting.view.evidence import Evidence, place, same_task
from blade_pipeline.reporting.view.tasks import tasks_in
from blade_pipeline.reporting.view.trail import trail

DEEP = 5
"""Tasks that get a deep dive of their own; the others are listed in the task table."""
SINGLE = 12
"""Tasks shown when each ran once, one row per task."""
SHOWN_ROLLOUTS = 8

Modes = dict[tuple[object, ...], Json]
COLUMNS = "Rollout | Outcome | Failure mode | Response | Output tokens | Steps in order"


def never_pass(evidence: Evidence) -> Iterator[Block]:
    """Tasks without a passing rollout: those of each failure mode first, then the rest in dataset order."""
    tasks = tasks_in(evidence, "always_fail")
    open_tasks = [task for task in tasks_in(evidence, "indeterminate") if not task["passed"] and task["measured"]]
    if not tasks and not open_tasks:
        words = say("No measured task is without a passing rollout.")
        yield Paragraph(words) if evidence.measured else absent("never-pass behaviour. No rollout was measured.")
        return
    modes = _modes(evidence)
    shown = _representative(tasks, modes) + _representative(open_tasks, modes)
    yield Paragraph(_words(evidence, tasks, open_tasks))
    if evidence.repeats == 1:
        yield _one_table(evidence, shown[:SINGLE], modes)
        return
    rollouts = evidence.rollouts((task["task"] for task in shown[:DEEP]), "steps")
    for task in shown[:DEEP]:
        yield from _deep(evidence, task, [row for row in rollouts if same_task(row, task)], modes)


def _words(evidence: Evidence, tasks: list[Json], open_tasks: list[Json]) -> Text:
    many = len(tasks) != 1
    if evidence.repeats == 1:
        did = f"failed {'their' if many else 'its'} only rollout; whether another would pass is unknown"
    else:
        did = f"never pass{'' if many else 'es'}"
    words = f"{plural(len(tasks), 'task')} {did}."
    if open_tasks:
        lacks = "lacks" if len(open_tasks) == 1 else "lack"
        words += (
            f" {plural(len(open_tasks), 'further task')} passed in no measured repeat but {lacks} a score for some."
        )
    return say(words, evidence.cite("never pass"), " Steps are listed in the order in which they happened.")


def _modes(evidence: Evidence) -> Modes:
    rows = evidence.inputs.modes_table.select(["agent", "stage", "task", "repeat", "mode"]).to_pylist()
    return {(row["agent"], row["stage"], row["task"], row["repeat"]): row for row in rows}


def _representative(tasks: list[Json], modes: Modes) -> list[Json]:
    """One task of each main failure mode in turn, the most frequent mode first."""
    by_task: dict[tuple[object, ...], Counter[str]] = {}
    for (agent, stage, task, _), row in modes.items():
        by_task.setdefault((agent, stage, task), Counter())[row["mode"]] += 1
    groups: dict[str, list[Json]] = {}
    for task in tasks:
        found = by_task.get((task["agent"], task["stage"], task["task"]), Counter())
        main = min(found, key=lambda mode: (-found[mode], mode), default="")
        groups.setdefault(main, []).append(task)
    queues = sorted(groups.values(), key=len, reverse=True)
    return [queue[turn] for turn in range(len(tasks)) for queue in queues if turn < len(queue)]


def _one_table(evidence: Evidence, tasks: list[Json], modes: Modes) -> Block:
    rollouts = evidence.rollouts((task["task"] for task in tasks), "steps")
    rows = [
        (*cells(evidence.task_name(task)), *_row(row, modes), *cells(_cause(evidence, task)))
        for task in tasks
        for row in rollouts
        if same_task(row, task)
    ]
    return table(f"{plural(len(rows), 'rollout')}", f"Task | {COLUMNS} | Root cause", rows, numeric="Output tokens")


def _deep(evidence: Evidence, task: Json, rollouts: list[Json], modes: Modes) -> Iterator[Block]:
    measured = f": 0 of {task['measured']} measured repeats pass, root cause "
    yield Heading(say("Task ", evidence.task_name(task), measured, _cause(evidence, task)))
    rows = [_row(row, modes) for row in rollouts[:SHOWN_ROLLOUTS]]
    yield table(f"{len(rows)} of {plural(len(rollouts), 'rollout')}", COLUMNS, rows, numeric="Output tokens")


def _cause(evidence: Evidence, task: Json) -> str:
    label = evidence.label_of(task)
    return f"{label['label']} ({label['by']})" if label else "not labelled"


def _row(row: Json, modes: Modes) -> tuple[Cell, ...]:
    mode = modes.get((row["agent"], row["stage"], row["task"], row["repeat"]))
    outcome = "failed the verifier" if row["outcome"] == "measured" else row["outcome"]
    reason = say(" (", code(row["reason"]), ")") if row["reason"] else ()
    response = listed([code(value) for value in (row["response_status"], row["incomplete_reason"]) if value])
    return cells(
        place(row),
        say(outcome, reason),
        say(code(mode["mode"])) if mode else say("none"),
        response or say("no status"),
        "unknown" if row["output_tokens"] is None else count(row["output_tokens"]),
        trail(row["steps"]) if row["file"] is not None else say("no row"),
    )
