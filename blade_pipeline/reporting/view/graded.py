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

_EQUAL = 1e-9


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
    """The cause, or else the failure mode, whose rollouts cost most, as far as one is seen."""
    gain, mode = _costliest_cause(evidence), _costlier_mode(evidence)
    if mode is not None:
        yield _goes_with(*mode)
    if gain is not None:
        worse = _worse_slice(evidence)
        elsewhere = mode is not None or (worse is not None and _worth(worse) > gain["gain"])
        yield say("Most to gain where a cause is seen: " if elsewhere else "Most to gain: ", *gain_words(gain))
    elif mode is None:
        yield say("No rollout shows what lowers its score: compare slices, and read the lowest scores.")


def _costlier_mode(evidence: Evidence) -> tuple[str, Json] | None:
    """Code and ablation of the mode whose rollouts lack most; None where scores go with none or a cause costs more."""
    table = evidence.inputs.causes["ablation"] or {}
    rows = [(code, row) for code, row in (table.get("modes") or {}).items() if row.get("mean_reward_gain", 0) > 0]
    rows = [(code, row) for code, row in rows if row["mean_reward_within_tasks"].get("tasks")]
    most = max(rows, key=lambda named: (named[1]["mean_reward_if_best"], named[0]), default=None)
    gain = _costliest_cause(evidence)
    return most if most and (gain is None or most[1]["mean_reward_if_best"] > gain["gain"] + _EQUAL) else None


def _costliest_cause(evidence: Evidence) -> Json | None:
    gains: list[Json] = evidence.inputs.causes.get("mean_score_gains") or []
    return gains[0] if gains and gains[0]["gain"] > 0 else None


def _worse_slice(evidence: Evidence) -> Json | None:
    """The slice that scores worse than the rest most clearly."""
    ends = evidence.inputs.scores["mean_reward_scale"]
    better = 1 if ends["best"] >= ends["worst"] else -1
    apart = scores_apart(evidence.inputs.scores.get("slices") or [])
    return next(
        (row for row in apart if better * (row["against_rest"]["rest"] - row["against_rest"]["score"]) > 0), None
    )


def _worth(row: Json) -> float:
    """How much better the mean score would be if a slice scored as the rest does."""
    rest = row["against_rest"]
    share_of_tasks = row["num_tasks"] / (row["num_tasks"] + rest["rest_tasks"])
    return float(share_of_tasks * abs(rest["rest"] - rest["score"]))


def _goes_with(mode: str, row: Json) -> Text:
    within = row["mean_reward_within_tasks"]
    tasks, own, others = plural(within["tasks"], "task"), within["with_mean"], within["without_mean"]
    return say(
        "Lower scores go with ",
        code(mode),
        f": on {tasks} the rollouts that show it average {decimal(own)}, the others of the same tasks "
        f"{decimal(others)}.",
    )


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
    silent = sum(mode["count"] for mode in modes if mode["code"] == PARTIAL.code)
    rest = f" {share(silent, failed, 'rollouts below the pass mark')} earned part of the score and show no symptom."
    told = say(code(top["code"]), f": {part}, on {plural(top['tasks'], 'task')}.", cite)
    return say(told, rest) if silent > top["count"] else told


def graded_next(evidence: Evidence) -> Text:
    """What to do first: about the cause that costs most, else where to read."""
    gain, mode, worse = _costliest_cause(evidence), _costlier_mode(evidence), _worse_slice(evidence)
    see = say(" See ", link("Recommendations", "#recommendations"))
    if mode is not None:
        return say("read rollouts that show ", code(mode[0]), " beside the others of the same task.", see)
    if gain is not None and (worse is None or _worth(worse) <= gain["gain"]):
        plan = {row["label"]: row for row in evidence.inputs.causes["recommendations"]}
        action = plan.get(gain["label"], {}).get("action")
        told = say(quoted(action), " ") if action else ()
        return say(told, code(gain["reason"]), " is seen most: ", *gain_words(gain), see)
    if worse is not None:
        where = say(code(worse["field"]), " = ", code(worse["value"]))
        return say("read the worst scores of ", where, ", which scores worse than the rest.")
    beside = " beside the highest of the same task" if evidence.repeats > 1 else ""
    return say(f"read the rollouts with the lowest scores{beside}; no record says what lowers them.")
