"""What each failure mode costs: every task counted by its least affected rollouts."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, Heading, Paragraph, Text, absent, cells, code, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import references
from blade_pipeline.reporting.numbers import count, decimal, distance, percent, plural, points, ratio, share
from blade_pipeline.reporting.view.evidence import Evidence, names
from blade_pipeline.reporting.view.graded import is_graded
from blade_pipeline.reporting.view.graded_ablation import (
    graded_how,
    graded_order,
    graded_room,
    graded_sum,
    graded_table,
)

SHOWN_MODES = 12


def ablation(evidence: Evidence) -> Iterator[Block]:
    """The within-task counterfactuals as a table, where some task passes in one repeat and is lost in another."""
    found = evidence.inputs.causes["ablation"]
    if found is None or not evidence.inputs.modes["total_failed"]:
        return
    yield Heading(say("What each mode costs, inside the same tasks"))
    graded = is_graded(evidence.inputs)
    moved = found["oracle"]["mean_reward_moved_tasks" if graded else "moved_tasks"]
    if moved == 0 and found["oracle"]["mean_reward"] == found["baseline"]["mean_reward"]:
        shows = "so no rollout shows what its task would be without a mode"
        yield absent(f"what each mode costs. {_why_not(evidence)}, {shows}.")
        return
    if not found["modes"] and not found["without_score"] and graded:
        yield Paragraph(graded_room(found))
        return
    if not found["modes"] and not found["without_score"]:
        room = f"{distance(found['oracle']['gain'])} lie between the mean and each task's best rollout"
        words = "No mode names a symptom that could be left out."
        yield Paragraph(say(f"{words} {room} (oracle minus baseline); no mode explains them yet."))
        return
    how = graded_how if graded else _how
    yield Paragraph(say(how(evidence, found), _no_row(evidence)))
    yield _table(evidence, found, graded)
    yield graded_sum(found) if graded else Paragraph(say(_sum(found)))


def _why_not(evidence: Evidence) -> str:
    if evidence.repeats == 1:
        return "Each task ran once"
    if is_graded(evidence.inputs):
        return "The repeats of each task score the same"
    return "No task passes in one repeat and is lost in another"


def _how(evidence: Evidence, found: Json) -> str:
    words = (
        f"pass@1 over {plural(found['tasks'], 'task')} if each counted only its rollouts without a mode. No task is "
        "dropped: one with nothing else keeps its score, since this run does not show what it would be without it. "
        "The gain if they passed is a bound: what scoring or running these rollouts again could give at most."
    )
    if found["without_score"]:
        lost = share(found["without_score"], found["rollouts"], "planned rollouts")
        words += (
            f" {lost} have no score and count as failed here, so the baseline is "
            f"{percent(found['baseline']['pass_at_1'])}; over what was measured pass@1 is "
            f"{percent(evidence.inputs.scores['pass_at_1'])}."
        )
    return words


def _no_row(evidence: Evidence) -> Text:
    """The modes that the table leaves out, since they only say that nothing was found."""
    without = [mode["code"] for mode in evidence.inputs.modes["modes"] if mode.get("symptom") is False]
    return say(" No row for ", names(without), ", where no symptom was found.") if without else ()


def _table(evidence: Evidence, found: Json, graded: bool) -> Block:
    modes = sorted(found["modes"].items(), key=graded_order if graded else _order)
    rows: list[tuple[str | Text, Json]] = [("nothing (baseline)", found["baseline"])]
    rows += [(say(code(name)), row) for name, row in modes[:SHOWN_MODES]]
    rows += [("rollouts without a score", found["no_score"])] if found["without_score"] else []
    rows += [("all modes", found["all_modes"]), ("all but the best rollout (oracle)", found["oracle"])]
    rest = len(modes) - SHOWN_MODES
    caption = "Ablation within tasks" + (f"; {plural(rest, 'mode')} of less effect left out" if rest > 0 else "")
    if graded:
        return graded_table(caption, rows, found["tasks"])
    partial = evidence.inputs.scores.get("score_is_binary") is False
    lines = [_line(name, row, found["tasks"], partial) for name, row in rows]
    lines += [_reference(row, found["baseline"], partial) for row in references(evidence.inputs)]
    means = " | Mean reward" if partial else ""
    columns = f"Left out | pass@1 | Gain{means} | Tasks moved | Tasks with nothing else | Gain if they passed"
    both = "Pass with it, same tasks | Pass without it, same tasks"
    return table(caption, f"{columns} | {both}", lines, numeric=f"{columns.partition('|')[2]} | {both}")


def _order(item: tuple[str, Json]) -> tuple[float, float, str]:
    """Modes by what would be gained if their rollouts passed, then by what leaving them out gains."""
    name, row = item
    return -row.get("if_passed", 0.0), -row["gain"], name


def _line(name: str | Text, row: Json, tasks: int, partial: bool) -> tuple[Cell, ...]:
    within = row.get("within_tasks")
    sides = (
        [ratio(within[f"{side}_passed"], within[side]) for side in ("with", "without")]
        if within and within["tasks"]
        else ["", ""]
    )
    return cells(
        name,
        f"{percent(row['pass_at_1'])} ({decimal(row['task_scores'], 2)} of {count(tasks)})",
        points(row["gain"]),
        *([decimal(row["mean_reward"])] if partial else []),
        count(row["moved_tasks"]),
        count(row["stuck_tasks"]),
        points(row["if_passed"]) if row.get("if_passed") is not None else "",
        *sides,
    )


def _reference(row: Json, baseline: Json, partial: bool) -> tuple[Cell, ...]:
    name = say("reference ", code(row["name"]))
    gap = points(row["score_fraction"] - baseline["pass_at_1"])
    return cells(name, percent(row["score_fraction"]), gap, *([""] if partial else []), "", "", "", "", "")


def _sum(found: Json) -> str:
    room, explained, rest = found["oracle"]["gain"], found["all_modes"]["gain"], found["unexplained"]
    what = "The modes and the rollouts without a score account" if found["without_score"] else "The modes account"
    return (
        f"Between the baseline and each task's best rollout lie {distance(room)}. {what} for "
        f"{distance(explained)} of them; {distance(rest)} (oracle minus all modes) no mode explains yet."
    )
