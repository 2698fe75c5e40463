"""What each failure mode costs a run that goes by its mean score."""

from blade_pipeline.reporting.blocks import Block, Cell, Paragraph, Text, cells, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, plural, share
from blade_pipeline.reporting.view.evidence import Evidence

Named = list[tuple[str | Text, Json]]


def graded_room(found: Json) -> Text:
    """What lies between the mean score and each task's best rollout, where no mode could be left out."""
    room = decimal(found["oracle"]["mean_reward_gain"])
    words = "No mode names a symptom that could be left out."
    where = f"{room} of the mean score lie between it and each task's best rollout (oracle minus baseline)"
    return say(f"{words} {where}; no mode explains them yet.")


def graded_how(evidence: Evidence, found: Json) -> str:
    """How the rows are made."""
    scores, ends = evidence.inputs.scores, found["scale"]
    words = (
        f"The mean score over {plural(found['tasks'], 'task')} if each counted only its rollouts without a mode. No "
        "task is dropped: one with nothing else keeps its score, since this run does not show what it would be "
        "without it. "
        "The gain at the best score is a bound: what the mean score would gain if every rollout that is left out had "
        f"the best score, {decimal(ends['best'])}. pass@1 stands beside it, with a pass mark of "
        f"{decimal(scores['pass_threshold'], 6)}."
    )
    if found["without_score"]:
        lost = share(found["without_score"], found["rollouts"], "planned rollouts")
        words += (
            f" {lost} have no score and count with the worst score, {decimal(ends['worst'])}, here, so the baseline is "
            f"{decimal(found['baseline']['mean_reward'])}; over what was measured the mean score is "
            f"{decimal(scores['mean_reward'])}."
        )
    return words


def graded_table(caption: str, rows: Named, tasks: int) -> Block:
    """A row per thing left out, with the mean score of what is left."""
    numeric = (
        "Mean score | Gain | Tasks moved | Tasks with nothing else | Gain at the best score | pass@1 | "
        "Mean with it, same tasks | Mean without it, same tasks"
    )
    return table(caption, f"Left out | {numeric}", [_line(name, row, tasks) for name, row in rows], numeric=numeric)


def graded_sum(found: Json) -> Block:
    """How much of the way to each task's best rollout the modes account for."""
    room, explained = (found[row]["mean_reward_gain"] for row in ("oracle", "all_modes"))
    what = "The modes and the rollouts without a score account" if found["without_score"] else "The modes account"
    return Paragraph(
        say(
            f"Between the baseline and each task's best rollout lie {decimal(room)} of the mean score. {what} for "
            f"{decimal(explained)} of it; {decimal(found['mean_reward_unexplained'])} (oracle minus all modes) no mode "
            "explains yet."
        )
    )


def graded_order(item: tuple[str, Json]) -> tuple[float, float, str]:
    """Modes by what would be gained if their rollouts had the best score, then by what leaving them out gains."""
    name, row = item
    return -row["mean_reward_if_best"], -row["mean_reward_gain"], name


def _line(name: str | Text, row: Json, tasks: int) -> tuple[Cell, ...]:
    within = row.get("mean_reward_within_tasks") or {}
    best = row["mean_reward_if_best"]
    return cells(
        name,
        decimal(row["mean_reward"]),
        _signed(row["mean_reward_gain"]),
        count(row["mean_reward_moved_tasks"]),
        count(row["stuck_tasks"]),
        "" if best is None else _signed(best),
        f"{percent(row['pass_at_1'])} ({decimal(row['task_scores'], 2)} of {count(tasks)})",
        *(_side(within, side) for side in ("with", "without")),
    )


def _side(within: Json, side: str) -> str:
    if not within.get("tasks"):
        return ""
    return f"{decimal(within[f'{side}_mean'])} ({plural(within[side], 'rollout')} on {plural(within['tasks'], 'task')})"


def _signed(value: float) -> str:
    text = decimal(value)
    return text if text == "0" or value < 0 else f"+{text}"
