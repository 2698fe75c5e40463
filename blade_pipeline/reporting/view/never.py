"""Never-Pass Deep Dives: representative tasks that never pass, their rollouts in order."""

from collections.abc import Iterator

from blade_pipeline.method.representatives import in_turn, main_mode
from blade_pipeline.method.root_causes import ONE_ANSWER
from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Cell,
    Heading,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    joined,
    listed,
    quoted,
    say,
    strong,
    table,
)
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, plural
from blade_pipeline.reporting.view.evidence import Evidence, place, same_task
from blade_pipeline.reporting.view.tasks import tasks_in
from blade_pipeline.reporting.view.trail import trail

DEEP = 5
"""Tasks that get a deep dive of their own; the others are listed in the task table."""
SINGLE = 12
"""Tasks shown when each ran once, one row per task."""
SHOWN_ROLLOUTS = 8
MOST_DOUBTED = 20
"""Tasks named because all their repeats give one answer."""
FURTHER = 2
"""Secondary failure modes named beside the primary one of a rollout."""

Modes = dict[tuple[object, ...], Json]
COLUMNS = "Rollout | Outcome | Failure mode | Response | Output tokens | Steps in order"
SILENT = {
    "Response": say("no status"),
    "Output tokens": say("unknown"),
    "Steps in order": say("no steps on record"),
}
"""What a cell holds that says nothing, by its column."""


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
    yield from _one_answer(evidence, tasks)
    yield from _how(evidence)
    groups = evidence.inputs.contrasts["never_pass"]["groups"]
    if evidence.repeats == 1:
        yield _one_table(evidence, shown[:SINGLE], modes)
        yield from _stand_for(groups)
        return
    rollouts = evidence.rollouts((task["task"] for task in shown[:DEEP]), "steps")
    for task in shown[:DEEP]:
        yield from _deep(evidence, task, [row for row in rollouts if same_task(row, task)], modes)
        yield from _stand_for([group for group in groups if group["task"] and same_task(group, task)])


def _one_answer(evidence: Evidence, tasks: list[Json]) -> Iterator[Block]:
    """The tasks whose expected answer is in doubt."""
    doubted = [task for task in tasks if (evidence.label_of(task) or {}).get("rule") == ONE_ANSWER]
    if doubted:
        shown = joined([evidence.task_name(task) for task in doubted[:MOST_DOUBTED]])
        why = "every repeat of these tasks gives one and the same other answer"
        yield Paragraph(say("Check first whether the expected answer is right of ", shown, f": {why}."))


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
    steps = " Steps are listed in the order in which they happened." if evidence.has_steps else ""
    return say(words, evidence.cite("never pass"), steps)


def _modes(evidence: Evidence) -> Modes:
    rows = evidence.inputs.modes_table.select(["agent", "stage", "task", "repeat", "mode", "secondary"]).to_pylist()
    return {(row["agent"], row["stage"], row["task"], row["repeat"]): row for row in rows}


def _representative(tasks: list[Json], modes: Modes) -> list[Json]:
    """One task of each main failure mode in turn, the most frequent mode first."""
    by_task: dict[tuple[object, ...], list[str | None]] = {}
    for (agent, stage, task, _), row in modes.items():
        by_task.setdefault((agent, stage, task), []).append(row["mode"])
    main = [main_mode(by_task.get((task["agent"], task["stage"], task["task"]), [])) for task in tasks]
    return [tasks[place] for place in in_turn(main)]


def _one_table(evidence: Evidence, tasks: list[Json], modes: Modes) -> Block:
    rollouts = evidence.rollouts((task["task"] for task in tasks), "steps")
    rows = [
        (*cells(evidence.task_name(task)), *_row(row, modes), *cells(_cause(evidence, task)))
        for task in tasks
        for row in rollouts
        if same_task(row, task)
    ]
    return _told(f"{plural(len(rows), 'rollout')}", f"Task | {COLUMNS} | Root cause", rows)


def _told(caption: str, columns: str, rows: list[tuple[Cell, ...]]) -> Block:
    """A table without the columns that say nothing in any row."""
    names = columns.split(" | ")
    kept = [
        place
        for place, name in enumerate(names)
        if name not in SILENT or any(row[place].text != SILENT[name] for row in rows)
    ]
    shown = [tuple(row[place] for place in kept) for row in rows]
    return table(caption, [names[place] for place in kept], shown, numeric="Output tokens")


def _deep(evidence: Evidence, task: Json, rollouts: list[Json], modes: Modes) -> Iterator[Block]:
    measured = f": 0 of {task['measured']} measured repeats pass, root cause "
    yield Heading(say("Task ", evidence.task_name(task), measured, _cause(evidence, task)))
    rows = [_row(row, modes) for row in rollouts[:SHOWN_ROLLOUTS]]
    yield _told(f"{len(rows)} of {plural(len(rollouts), 'rollout')}", COLUMNS, rows)


def _how(evidence: Evidence) -> Iterator[Block]:
    """How the rollouts that are told step by step were chosen."""
    document = evidence.inputs.contrasts["never_pass"]
    if document["groups"]:
        what = "failure mode" if evidence.repeats == 1 else "task"
        caps = f"its first {count(document['compared'])} rollouts and {count(document['compared_steps'])} steps of each"
        words = (
            f"Told step by step, of each {what}, from at most {caps}: the typical rollout, whose steps are most like"
        )
        yield Paragraph(say(f"{words} those of the others, the shortest and the longest."), "quiet")


def _stand_for(groups: list[Json]) -> Iterator[Block]:
    """The medoid, the shortest and the longest rollout of each group, with what happened in them."""
    for group in groups:
        if group["task"] is None:
            mode = say("Failure mode ", code(group["mode"])) if group["mode"] else say("No failure mode")
            yield Paragraph(say(mode, f", {plural(group['rollouts'], 'rollout')} with steps on record:"))
        yield Bullets(
            tuple(_events(shown, group, group["shown"][:place]) for place, shown in enumerate(group["shown"]))
        )


def _events(shown: Json, group: Json, told: list[Json]) -> Text:
    """What happened in one rollout, or in which rollout of those ``told`` the same happened."""
    where = place(shown | {"rollout_id": shown["rollout"]})
    same = next((other for other in told if other["events"] == shown["events"]), None)
    events = quoted("; ".join(shown["events"]) or "no step acts", 2000) if same is None else _as(same)
    return say(_roles(shown, group), where, f", {plural(shown['steps'], 'step')}: ", events, ".")


def _as(same: Json) -> Text:
    return say("the same as in ", code(same["rollout"]))


def _roles(shown: Json, group: Json) -> Text:
    """What a rollout stands for; nothing where it is the only one."""
    if group["compared"] == 1:
        return ()
    alike = f" (likeness {decimal(group['likeness'], 2)} of 1)" if group["compared"] > 2 else ""
    roles = [say(strong(role), alike if role == "typical" else "") for role in shown["roles"]]
    return say(tuple(piece for role in roles for piece in (*say(", "), *role))[1:], ": ")


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
        _shown(mode) if mode else say("none"),
        response or say("no status"),
        "unknown" if row["output_tokens"] is None else count(row["output_tokens"]),
        trail(row["steps"]) if row["file"] is not None else say("no row"),
    )


def _shown(mode: Json) -> Text:
    """The primary mode of a rollout, and the most severe of its further ones."""
    further = [name for name in (mode["secondary"] or "").split(",") if name]
    rest = f" and {len(further) - FURTHER} more" if len(further) > FURTHER else ""
    named = joined([say(code(name)) for name in further[:FURTHER]])
    return say(code(mode["mode"]), ", also " if further else "", named, rest)
