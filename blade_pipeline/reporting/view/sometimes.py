"""Sometimes-Pass Deep Dives: the same task passing and failing."""

from collections import defaultdict
from collections.abc import Iterator

from blade_pipeline.method.stratified import FALSE_SHARE
from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Heading,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, plural, probability
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.evidence import Evidence, names, place, same_task
from blade_pipeline.reporting.view.tasks import tasks_in
from blade_pipeline.reporting.view.trail import trail

DEEP = 5
"""Tasks that get a deep dive of their own; the others are listed in the task table."""
SHOWN_ROLLOUTS = 8
STRATIFIED = 12
CALLS = "calls of "
SHOWN_PATTERNS = 6


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
            f"{plural(len(tasks), 'task')} {words} passing and failing repeats{_some(tasks, ordered)}. ",
            "They show what decides between passing and failing",
            *_as_far_as(evidence, [task["task"] for task in tasks]),
            ".",
            evidence.cite("within-task difference", "verifier"),
        )
    )
    if not evidence.has_steps:
        yield absent("where passing and failing rollouts part. The rows hold no trajectory.")
    yield from _stratified(evidence)
    rollouts = evidence.rollouts((task["task"] for task in ordered), "steps")
    for task in ordered:
        mine = [row for row in rollouts if same_task(row, task)]
        yield from _contrast(evidence, task, mine, [c for c in contrasts if _about(c, task)][:2])


def _as_far_as(evidence: Evidence, tasks: list[str]) -> Text:
    """Whether the requests of a task are the same in all repeats: an environment may deal another hand in each."""
    asked: dict[str, set[str]] = defaultdict(set)
    for row in evidence.rollouts(tasks, "prompt_digest"):
        if row["prompt_digest"] is not None:
            asked[row["task"]].add(row["prompt_digest"])
    unlike = [task for task in tasks if len(asked[task]) > 1]
    if not unlike:
        return say(", because the task stays the same")
    return say(" or what the repeats were asked: the requests differ between the repeats of ", names(unlike))


def _some(tasks: list[Json], shown: list[Json]) -> str:
    return f"; {len(shown)} shown here" if len(shown) < len(tasks) else ""


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
    document = evidence.inputs.contrasts
    features = document["stratified"][:STRATIFIED]
    letters = [letter for letter in ("p", "q") if any(row[letter] is not None for row in features)]
    rows = [
        cells(
            _feature(row["feature"]),
            *(decimal(row.get(key), 2) for key in ("passing", "failing")),
            _signed(row["difference"]),
            *("none" if row[letter] is None else probability(row[letter], letter) for letter in letters),
            count(row["tasks"]),
        )
        for row in features
    ]
    if rows:
        columns = " | ".join(["Feature", "Passing", "Failing", "Difference", *letters, "Tasks"])
        caption = "Passing against failing rollouts, differences taken inside each task"
        yield table(caption, columns, rows, numeric="Passing | Failing | Difference | Tasks")
    yield from _corrected(document["stratified"])
    if document.get("note"):
        yield Paragraph(quoted(document["note"]), "quiet")
    if patterns := document.get("patterns"):
        words = "What failing rollouts do or leave out more often than passing ones of the same tasks:"
        yield Paragraph(say(words, evidence.cite("pattern")))
        yield Bullets(tuple(quoted(row["sentence"]) for row in patterns[:SHOWN_PATTERNS]))
    elif tested := document.get("patterns_tested"):
        words = (
            "Of what failing rollouts could do or leave out more often (tools called, left out or stopped at, calls "
            f"repeated after an error, checks after the last change, stop reasons) {count(tested)} could be tested, "
            "and none stands out."
        )
        yield Paragraph(say(words), "quiet")
    same = [
        say(
            "task ", code(entry["task"]), ": ", code(entry["passing"]), " passes and ", code(entry["failing"]), " fails"
        )
        for entry in document.get("same_output") or []
    ]
    if same:
        yield Paragraph(say("The same output was scored differently, which points at the verifier:"), "warn")
        yield Bullets(tuple(same[:SHOWN_ROLLOUTS]))


def _corrected(features: list[Json]) -> Iterator[Block]:
    """What q is, and how many features differ by it; nothing where none could be tested."""
    corrected = [row["q"] for row in features if row["q"] is not None]
    if corrected:
        clear = sum(q <= FALSE_SHARE for q in corrected)
        words = (
            "p looks at one feature alone; q corrects it for all that were tested (Benjamini-Hochberg). A difference "
            f"is beyond chance where q is at most {decimal(FALSE_SHARE)}: here that of "
            f"{count(clear) if clear else 'none'} of {plural(len(corrected), 'tested feature')}."
        )
        yield Paragraph(say(words), "quiet")


def _feature(name: str) -> Text:
    """What was counted; the tool of ``calls of TOOL`` is a name."""
    tool = name.removeprefix(CALLS)
    return say(name) if tool == name else say(CALLS, code(tool))


def _signed(value: float | None) -> str:
    text = decimal(value, 2)
    return f"+{text}" if value is not None and value > 0 and text != "0" else text


def _contrast(evidence: Evidence, task: Json, rollouts: list[Json], contrasts: list[Json]) -> Iterator[Block]:
    yield Heading(
        say("Task ", evidence.task_name(task), f": {task['passed']} of {task['measured']} measured repeats pass")
    )
    passing, failing = ([row for row in rollouts if row["passed"] is wanted] for wanted in (True, False))
    yield Bullets((say("Passing: ", _places(passing)), say("Failing: ", _places(failing))))
    pairs = [(_named(passing, x["passing"]), _named(failing, x["failing"]), x) for x in contrasts]
    if not pairs and evidence.has_steps:
        pairs = [(passing[0], failing[0], {"features": []})] if passing and failing else []
    for passes, fails, contrast in pairs:
        yield from _pair(passes, fails, contrast)


def _named(rows: list[Json], side: Json) -> Json:
    """The row of a contrast's rollout; only its name where the row is not at hand."""
    nameless = {"rollout_id": side["rollout"], "steps": None}
    return next((row for row in rows if row["rollout_id"] == side["rollout"]), nameless)


def _pair(passes: Json, fails: Json, contrast: Json) -> Iterator[Block]:
    """Where one passing and one failing rollout part, their steps, and the features in which they differ."""
    if contrast.get("first_difference"):
        yield Paragraph(quoted(contrast["first_difference"]))
    features = contrast["features"]
    rows = [cells("steps in order", trail(passes["steps"]), trail(fails["steps"]))]
    rows += [
        cells(quoted(x["name"]), _value(x["passing"]), _value(x["failing"]))
        for x in features
        if x["passing"] != x["failing"]
    ]
    same = [str(x["name"]) for x in features if x["passing"] == x["failing"] and x["passing"] is not None]
    titles = [clean(row["rollout_id"], 60) for row in (passes, fails)]
    yield table("The pair side by side", ("Feature", f"{titles[0]} passes", f"{titles[1]} fails"), rows)
    if same:
        yield Paragraph(say("The same in both: ", quoted(", ".join(same)), "."), "quiet")


def _value(value: object) -> Text | str:
    if value is None:
        return "none"
    return decimal(value, 2) if isinstance(value, int | float) and not isinstance(value, bool) else say(code(value))


def _places(rows: list[Json]) -> Text:
    shown = [piece for row in rows[:4] for piece in (*place(row), *say(", "))][:-1]
    rest = len(rows) - 4
    return say(*shown, f" and {rest} more") if rest > 0 else say(*shown)
