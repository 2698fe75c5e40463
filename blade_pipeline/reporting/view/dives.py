"""Deep dives: the same task passing and failing, and the tasks that never pass."""

from collections.abc import Iterator

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
    listed,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, plural
from blade_pipeline.reporting.view.evidence import Evidence, place, same_task
from blade_pipeline.reporting.view.tasks import tasks_in

DEEP = 5
"""Tasks that get a deep dive of their own; the others are listed in the task table."""
SHOWN_ROLLOUTS = 8


def sometimes_pass(evidence: Evidence) -> Iterator[Block]:
    """Passing against failing rollouts of the same task."""
    tasks = tasks_in(evidence, "sometimes_pass")
    if not tasks:
        yield _none_sometimes(evidence)
        return
    contrasts = evidence.inputs.contrasts["contrasts"]
    ordered = _contrasted_first(tasks, contrasts)[:DEEP]
    words = "has" if len(tasks) == 1 else "have"
    yield Paragraph(
        say(
            f"{plural(len(tasks), 'task')} {words} passing and failing repeats; {len(ordered)} shown here. ",
            "They show what decides between passing and failing, because the task stays the same.",
            evidence.cite("sometimes_pass"),
        )
    )
    if not evidence.has_steps:
        yield absent("where passing and failing rollouts part. The rows hold no trajectory.")
    yield from _stratified(evidence)
    rollouts = evidence.rollouts(task["task"] for task in ordered)
    for task in ordered:
        mine = [row for row in rollouts if same_task(row, task)]
        yield from _contrast(evidence, task, mine, [c for c in contrasts if _about(c, task)][:2])


def _none_sometimes(evidence: Evidence) -> Block:
    if evidence.repeats == 1:
        return absent("sometimes-pass behaviour. Each task ran once.")
    if not evidence.measured:
        return absent("sometimes-pass behaviour. No rollout was measured.")
    return Paragraph(say("No task has both passing and failing repeats."))


def _about(contrast: Json, task: Json) -> bool:
    return str(contrast["task"]) == str(task["task"]) and same_task({**contrast, "task": task["task"]}, task)


def _contrasted_first(tasks: list[Json], contrasts: list[Json]) -> list[Json]:
    """Tasks with a contrast first, then those nearest to one half, where the repeats tell most."""
    return sorted(
        tasks,
        key=lambda task: (
            not any(_about(contrast, task) for contrast in contrasts),
            abs(task["passed"] / task["measured"] - 0.5) if task["measured"] else 1,
        ),
    )


def _stratified(evidence: Evidence) -> Iterator[Block]:
    rows = [
        cells(quoted(row["feature"]), _signed(row["difference"]), count(row["tasks"]))
        for row in evidence.inputs.contrasts["stratified"]
    ]
    if rows:
        caption = "Passing minus failing rollouts, mean of the differences inside each task"
        yield table(caption, "Feature | Difference | Tasks", rows, numeric="Difference | Tasks")
    if evidence.inputs.contrasts.get("note"):
        yield Paragraph(quoted(evidence.inputs.contrasts["note"]), "quiet")


def _signed(value: float | None) -> str:
    text = decimal(value, 2)
    return f"+{text}" if value is not None and value > 0 and text != "0" else text


def _contrast(evidence: Evidence, task: Json, rollouts: list[Json], contrasts: list[Json]) -> Iterator[Block]:
    yield Heading(
        say("Task ", evidence.task_name(task), f": {task['passed']} of {task['measured']} measured repeats pass")
    )
    passing, failing = ([row for row in rollouts if row["passed"] is wanted] for wanted in (True, False))
    yield Bullets((say("Passing: ", _places(passing)), say("Failing: ", _places(failing))))
    for contrast in contrasts:
        yield Paragraph(quoted(contrast["first_difference"]))
        rows = [
            cells(quoted(item["name"]), _value(item["passing"]), _value(item["failing"]))
            for item in contrast["features"]
        ]
        if rows:
            yield table("The pair compared", "Feature | Passing rollout | Failing rollout", rows)


def _value(value: object) -> Text | str:
    return decimal(value, 2) if isinstance(value, int | float) and not isinstance(value, bool) else say(code(value))


def _places(rows: list[Json]) -> Text:
    shown = [piece for row in rows[:4] for piece in (*place(row), *say(", "))][:-1]
    rest = len(rows) - 4
    return say(*shown, f" and {rest} more") if rest > 0 else say(*shown)


def never_pass(evidence: Evidence) -> Iterator[Block]:
    """Representative tasks that never pass, their rollouts in order."""
    tasks = tasks_in(evidence, "always_fail")
    open_tasks = [task for task in tasks_in(evidence, "indeterminate") if not task["passed"] and task["measured"]]
    if not tasks and not open_tasks:
        words = say("No measured task is without a passing rollout.")
        yield Paragraph(words) if evidence.measured else absent("never-pass behaviour. No rollout was measured.")
        return
    yield Paragraph(_never_words(tasks, open_tasks))
    shown = (tasks + open_tasks)[:DEEP]
    rollouts = evidence.rollouts(task["task"] for task in shown)
    modes = _modes(evidence)
    for task in shown:
        yield from _never(evidence, task, [row for row in rollouts if same_task(row, task)], modes)


def _never_words(tasks: list[Json], open_tasks: list[Json]) -> Text:
    words = f"{plural(len(tasks), 'task')} never pass{'es' if len(tasks) == 1 else ''}."
    if open_tasks:
        words += f" {plural(len(open_tasks), 'further task')} passed in no measured repeat but lack a score for some."
    return say(words, " Rollouts are listed in the order of their repeats.")


def _modes(evidence: Evidence) -> dict[tuple[object, ...], Json]:
    rows = evidence.inputs.modes_table.to_pylist()
    return {(row["agent"], row["stage"], row["task"], row["repeat"]): row for row in rows}


def _never(
    evidence: Evidence, task: Json, rollouts: list[Json], modes: dict[tuple[object, ...], Json]
) -> Iterator[Block]:
    label = next((x for x in evidence.inputs.causes["labels"] if str(x["task"]) == str(task["task"])), None)
    cause = say(f", root cause {label['label']} by {label['by']}") if label else say(", no root cause yet")
    measured = f": 0 of {task['measured']} measured repeats pass"
    yield Heading(say("Task ", evidence.task_name(task), measured, cause))
    rows = [_rollout_row(row, modes.get((row["agent"], row["stage"], row["task"], row["repeat"]))) for row in rollouts]
    yield table(
        f"Rollouts of the task, {min(len(rows), SHOWN_ROLLOUTS)} of {len(rows)}",
        "Rollout | Outcome | Failure mode | Response | Tool calls | Output tokens",
        rows[:SHOWN_ROLLOUTS],
        numeric="Tool calls | Output tokens",
    )


def _rollout_row(row: Json, mode: Json | None) -> tuple[Cell, ...]:
    outcome = "failed the verifier" if row["outcome"] == "measured" else row["outcome"]
    reason = say(" (", code(row["reason"]), ")") if row["reason"] else ()
    response = listed([code(value) for value in (row["response_status"], row["incomplete_reason"]) if value])
    return cells(
        place(row), say(outcome, reason), say(code(mode["mode"])) if mode else say("none"), response or say("none"),
        _amount(row["tool_calls"]), _amount(row["output_tokens"]),
    )  # fmt: skip


def _amount(value: int | None) -> str:
    return "none" if value is None else count(value)
