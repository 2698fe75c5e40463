"""The sentences beside the verdict: the score, how far it carries, and what to turn to first."""

from collections.abc import Iterator

from blade_pipeline.method.failure_rules import FALLBACKS
from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.recommendations import leading
from blade_pipeline.reporting.blocks import Text, code, quoted, say
from blade_pipeline.reporting.inputs import Json, ReportInputs
from blade_pipeline.reporting.metrics import OUTCOMES
from blade_pipeline.reporting.numbers import count, decimal, distance, percent, plural, share
from blade_pipeline.reporting.view.cause_names import CAUSES
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.graded import graded_lever, graded_score, is_graded

WIDE = 0.4
"""Width of the interval for new tasks from which a score ranks nothing."""
REASONS = {
    "invalid_absent": "their rows hold no reward",
    "invalid_null": "their reward is null",
    "invalid_nan": "their reward is no number",
    "invalid_inf": "their reward is infinite",
    "invalid_type": "their reward is of another type",
    "too_large": "their reward is too large to average",
    "conflict": "their rows contradict each other",
}
"""Why rollouts have no score, in words."""
LARGE = 0.1
"""Share of the failed rollouts from which a mode is what to look at first, where nothing has a cause."""
_NAMELESS = {rule.code for rule in FALLBACKS}


def headline(evidence: Evidence) -> Text:
    """What a manager needs when only one paragraph is read; every percentage with what it is a share of."""
    if not evidence.measured:
        return say(" ".join(_nothing_measured(evidence)))
    parts = [_score(evidence), *_open_ends(evidence), *_precision(evidence), *_lever(evidence)]
    return say(*(piece for number, part in enumerate(parts) for piece in (*say(" " if number else ""), *part)))


def below_minimum(coverage: Json) -> bool:
    """Whether the measured share is known and under the profile's ``min_coverage``."""
    smallest, found = coverage.get("min_coverage"), coverage["measured_share"]
    return smallest is not None and found is not None and found < smallest


def _nothing_measured(evidence: Evidence) -> Iterator[str]:
    yield "Nothing could be scored. This is a debugging case, not a result."
    outcomes = [(name, evidence.accounting[name]) for name in OUTCOMES if evidence.accounting[name]]
    if not outcomes:
        yield "No rollout was found."
        return
    total = sum(amount for _, amount in outcomes)
    listed = ", ".join(f"{count(amount)} {name}" for name, amount in outcomes)
    found = [str(row["reason"] or "no reason on record") for row in evidence.inputs.coverage["unscored_reasons"]]
    reasons = [REASONS.get(reason, reason) for reason in found]
    why = f" ({', '.join(reasons)})" if reasons else ""
    yield f"Of {plural(total, 'rollout')}: {listed}{why}."


def _score(evidence: Evidence) -> Text:
    scores = evidence.inputs.scores
    if is_graded(evidence.inputs):
        return graded_score(scores)
    did = "pass"
    if scores.get("score_is_binary") is False:
        mean = decimal(scores["mean_reward"])
        did = f"reach a score of {decimal(scores['pass_threshold'], 6)}, the mean score is {mean}"
    passed = f"{count(scores['passed_rollouts'])} of {plural(scores['num_rollouts'], 'rollout')} {did}"
    macro, micro = percent(scores["pass_at_1"]), percent(scores["pass_at_1_micro"])
    if macro != micro:
        tasks = plural(scores["num_tasks"], "task")
        return say(f"pass@1 is {macro}, the mean over {tasks}; {micro} over rollouts: {passed}.")
    once = "; each task ran once" if evidence.repeats == 1 and scores["num_tasks"] > 1 else ""
    return say(f"pass@1 is {macro} ({passed}{once}).")


def _open_ends(evidence: Evidence) -> Iterator[Text]:
    scores, coverage = evidence.inputs.scores, evidence.inputs.coverage
    if below_minimum(coverage):
        yield say(
            f"Too little was measured to count: the profile asks for at least {percent(coverage['min_coverage'])}."
        )
    if not evidence.expected_known:
        yield say("How many rollouts were expected is unknown.")
        return
    expected = evidence.accounting["expected"]
    left = expected - evidence.measured
    if left:
        yield say(f"{share(left, expected, 'expected rollouts')} carry no score{_bounds_words(scores)}.")


def _bounds_words(scores: Json) -> str:
    graded = scores.get("headline_metric") == MEAN_REWARD
    bounds = scores["bounds"].get(MEAN_REWARD if graded else "pass_at_1")
    if not bounds or bounds["low"] is None or bounds["high"] is None:
        return ""
    name, form = ("the mean score", decimal) if graded else ("pass@1", percent)
    return f"; depending on those, {name} lies between {form(bounds['low'])} and {form(bounds['high'])}"


def _precision(evidence: Evidence) -> Iterator[Text]:
    """What so few tasks cannot carry."""
    scores = evidence.inputs.scores
    if scores["num_tasks"] == 1:
        yield say("One task says nothing about others.")
        return
    graded = is_graded(evidence.inputs)
    interval = scores["intervals"].get(MEAN_REWARD if graded else "pass_at_1") or {}
    low, high, form = interval.get("low"), interval.get("high"), decimal if graded else percent
    if low is not None and high is not None and high - low >= WIDE:
        tasks = plural(scores["num_tasks"], "task")
        yield say(
            f"Taken alone, {tasks} say little about others of the kind, which could give {form(low)} to {form(high)}."
        )


def _lever(evidence: Evidence) -> Iterator[Text]:
    """Where most is to be gained by what was seen; then what was lost without a cause that any record names."""
    inputs = evidence.inputs
    failed = inputs.scores["failed_rollouts"]
    if is_graded(inputs):
        yield from graded_lever(evidence)
        return
    cause, without = lever(inputs), inputs.causes["without_cause"]
    if not failed:
        yield say("No measured rollout failed.")
    if cause is not None:
        elsewhere = without["lost"] > _amount(cause)
        yield _most_to_gain(cause, elsewhere)
        if without["tasks"]:
            yield say(f"{'More was lost elsewhere: no' if elsewhere else 'No'} {_no_record(without)}.")
        return
    if not failed:
        return
    mode = next((mode for mode in inputs.modes["modes"] if mode["code"] not in _NAMELESS), None)
    if mode is not None and mode["count"] >= LARGE * failed:
        yield say("Look first at ", code(mode["code"]), f": {share(mode['count'], failed, 'failed rollouts')} show it.")
    yield say(f"No cause stands out: no {_no_record(without)}{_parts(without, evidence)}.")


def _no_record(without: Json) -> str:
    tasks = f"{count(without['tasks'])} of {plural(without['denominator'], 'task')}"
    lost = distance(without["lost"] / without["denominator"])
    return f"record names a main cause for {tasks}, which lost {lost} of pass@1"


def _parts(without: Json, evidence: Evidence) -> str:
    """What of the loss lies in tasks that pass at times, where both kinds are there."""
    never = without["tasks"] - without["passing_tasks"]
    if evidence.repeats == 1 or not never or not without["passing_tasks"]:
        return ""
    passing, rest = (
        distance(lost / without["denominator"])
        for lost in (without["passing_lost"], without["lost"] - without["passing_lost"])
    )
    return (
        f": {passing} on {count(without['passing_tasks'])} that pass in some repeat, "
        f"{rest} on {count(never)} that pass in no measured one"
    )


def lever(inputs: ReportInputs) -> Json | None:
    """The recommendation with most to recover by what was seen; none where every cause rests on a want of others."""
    return leading(inputs.causes["recommendations"])


def _amount(row: Json) -> float:
    """Task scores that a recommendation could recover if the rollouts in which its cause was seen passed."""
    return float(row["repair"]["numerator"])


def larger_unlabelled(inputs: ReportInputs) -> Json | None:
    """The tasks without a root cause, where at least as much was lost on them as any cause could recover."""
    found = next((row for row in inputs.causes["recommendations"] if row["label"] == "unlabelled"), None)
    first = lever(inputs)
    return found if found is not None and (first is None or found["numerator"] >= _amount(first)) else None


def _most_to_gain(cause: Json, elsewhere: bool) -> Text:
    if not cause.get("by_analyst"):
        who = "a rule proposes"
    else:
        who = "a rule proposes or an analyst found" if cause.get("by_rule") else "an analyst found"
    name = f"{CAUSES.get(cause['label'], 'another')} ({cause['label']})"
    repair, whole = cause["repair"], plural(cause["denominator"], "task")
    where = f"{plural(repair['rollouts'], 'lost rollout')} on {count(repair['tasks'])} of {whole}"
    gain = f"at most {distance(_amount(cause) / cause['denominator'])} of pass@1"
    seen = " where a cause is seen" if elsewhere else ""
    return say(f"Most to gain{seen}: ", quoted(name), f", which {who} for {where}, {gain}.")
