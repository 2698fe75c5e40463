"""What the first page says of a run that goes by its mean score: passing would call nearly all of it failed."""

from collections.abc import Iterator

from blade_pipeline.method.failure_rules import PARTIAL
from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.slice_tests import scores_apart
from blade_pipeline.reporting.blocks import Text, code, link, quoted, say
from blade_pipeline.reporting.inputs import Json, ReportInputs
from blade_pipeline.reporting.numbers import count, decimal, percent, plural, share
from blade_pipeline.reporting.view.cause_names import CAUSES
from blade_pipeline.reporting.view.evidence import Evidence


def is_graded(inputs: ReportInputs) -> bool:
    """Whether the run goes by its mean score."""
    return is_by_mean(inputs.scores)


def is_by_mean(scores: Json) -> bool:
    """Whether scores go by their mean."""
    return bool(scores.get("headline_metric") == MEAN_REWARD)


def graded_score(scores: Json) -> Text:
    """The mean score, and how few rollouts reach the pass mark."""
    tasks, rollouts = plural(scores["num_tasks"], "task"), plural(scores["num_rollouts"], "rollout")
    reach = f"{count(scores['passed_rollouts'])} of {rollouts} reach a score of {decimal(scores['pass_threshold'], 6)}"
    return say(
        f"The mean score is {decimal(scores['mean_reward'])}, over {tasks}. Scores are graded and mostly earned below "
        f"the pass mark: {reach}, so that pass@1 ({percent(scores['pass_at_1'])}) says little."
    )


def graded_lever(evidence: Evidence) -> Iterator[Text]:
    """The cause whose rollouts cost most, as far as one is seen."""
    gains = evidence.inputs.causes.get("mean_score_gains") or []
    if gains and gains[0]["gain"] > 0:
        yield say("Most to gain: ", *gain_words(gains[0]))
    else:
        yield say("No rollout shows what lowers its score: compare slices, and read the lowest scores.")


def gain_words(row: Json) -> Text:
    """The rollouts that show a cause, and what they could add to the mean score."""
    name = f"{CAUSES[row['label']]} ({row['label']})"
    where = f"{plural(row['rollouts'], 'rollout')} on {count(row['tasks'])} of {plural(row['of'], 'task')}"
    return say(quoted(name), f", seen in {where}, at most {decimal(row['gain'])} of the mean score.")


def graded_failure(evidence: Evidence) -> Text:
    """The most frequent mode that names a symptom; a score below the pass mark alone is no failure."""
    modes, failed = evidence.inputs.modes["modes"], evidence.inputs.modes["total_failed"]
    named = [mode for mode in modes if mode["code"] != PARTIAL.code and mode["count"]]
    if not named:
        below = share(failed, failed, "rollouts below the pass mark")
        return say(f"none named: {below} earned part of the score and show no symptom.")
    top = max(named, key=lambda mode: int(mode["count"]))
    cite = evidence.cite("failure mode", naming=top["code"])
    part = share(top["count"], failed, "rollouts below the pass mark")
    return say(code(top["code"]), f": {part}, on {plural(top['tasks'], 'task')}.", cite)


def graded_next(evidence: Evidence) -> Text:
    """What to do first: about the cause that costs most, else where to read."""
    gains = evidence.inputs.causes.get("mean_score_gains") or []
    see = say(" See ", link("Recommendations", "#recommendations"))
    if gains and gains[0]["gain"] > 0:
        plan = {row["label"]: row for row in evidence.inputs.causes["recommendations"]}
        action = plan.get(gains[0]["label"], {}).get("action")
        told = say(quoted(action), " ") if action else ()
        return say(told, code(gains[0]["reason"]), " is seen most: ", *gain_words(gains[0]), see)
    apart = scores_apart(evidence.inputs.scores.get("slices") or [])
    lower = [row for row in apart if row["against_rest"]["score"] < row["against_rest"]["rest"]]
    if lower:
        where = say(code(lower[0]["field"]), " = ", code(lower[0]["value"]))
        return say("read the lowest scores of ", where, ", which scores below the rest.")
    beside = " beside the highest of the same task" if evidence.repeats > 1 else ""
    return say(f"read the rollouts with the lowest scores{beside}; no record says what lowers them.")
