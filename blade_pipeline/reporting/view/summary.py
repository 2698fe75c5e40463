"""Executive Summary: what a manager can act on."""

from collections.abc import Callable

from blade_pipeline.method.facts_of_failures import ABSENCE
from blade_pipeline.method.findings_of_repeats import OUTAGE, OUTAGE_IN_TIME
from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.reporting.blocks import (
    Block,
    Box,
    Bullets,
    Heading,
    Paragraph,
    Piece,
    Text,
    Tone,
    code,
    link,
    quoted,
    say,
)
from blade_pipeline.reporting.inputs import Json, ReportInputs
from blade_pipeline.reporting.metrics import dominant_mode
from blade_pipeline.reporting.numbers import count, decimal, level, percent, plural, share
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.against import comparison_sentence, moved_sentences
from blade_pipeline.reporting.view.evidence import Evidence, cited
from blade_pipeline.reporting.view.graded import graded_failure, graded_next, is_graded
from blade_pipeline.reporting.view.headline import below_minimum, headline, larger_unlabelled, lever
from blade_pipeline.reporting.view.slice_words import slice_sentence

VERDICTS: dict[str, tuple[str, Tone]] = {
    "no_detectable_change": ("No detectable change", "quiet"),
    "equivalent": ("Equivalent to the baseline", "good"),
    "not_comparable": ("Not comparable", "warn"),
    "failure_accounting": ("Failure accounting decides", "warn"),
    "insufficient_evidence": ("Insufficient evidence", "warn"),
    "no_baseline": ("Nothing to compare with yet", "quiet"),
}
FINDINGS = 6
"""Findings that the summary names; the others, and what never happened, stand with the facts at the end."""
OF_PASSING = ("never pass", "root cause", "scores", "score", "buckets", "undecided")
"""Kinds of facts that count passes: they lead nowhere where a run goes by its mean score."""
_AGAIN = "Run again what the outage took. "
_READ = "Read and label the {} without a cause."
QUESTIONS = {
    "new_tasks": "other tasks of the same kind",
    "these_tasks": "these same tasks, run again",
}


def verdict(inputs: ReportInputs) -> str:
    """The verdict of a run: of its first pair; ``insufficient_evidence`` when nothing was measured, or too little."""
    if not inputs.scores["num_rollouts"] or below_minimum(inputs.coverage):
        return "insufficient_evidence"
    pairs = inputs.comparison["pairs"]
    return str(pairs[0]["verdict"]) if pairs else "no_baseline"


def verdict_words(name: str, pair: Json | None = None) -> tuple[str, Tone]:
    """A verdict in plain words and how loudly to show it; a change is told with its direction."""
    if name in VERDICTS:
        return VERDICTS[name]
    value = ((pair or {}).get("difference") or {}).get("value")
    if value is None:
        return name.replace("_", " ").capitalize(), "warn"
    return ("Higher than the baseline", "good") if value > 0 else ("Lower than the baseline", "warn")


def executive_summary(evidence: Evidence) -> list[Block]:
    """The verdict box, then the findings that are hardest to guess."""
    name = verdict(evidence.inputs)
    pair = next(iter(evidence.inputs.comparison["pairs"]), None)
    words, tone = verdict_words(name, pair)
    if pair is not None and name == pair["verdict"]:
        words = f"Against {clean(pair['run_a'])}: {words[0].lower()}{words[1:]}"
    disturbed = _disturbed_sentence(evidence)
    entries = (
        ("Score", score_sentence(evidence)),
        *([("By slice", apart)] if (apart := slice_sentence(evidence)) else ()),
        *([("Caution", disturbed)] if disturbed else ()),
        ("Coverage", _coverage_sentence(evidence)),
        ("Largest drop-off", _drop_sentence(evidence)),
        ("Dominant failure", _failure_sentence(evidence)),
        ("Do next", _next_sentence(evidence)),
        ("Comparison", comparison_sentence(evidence)),
        *([("What moved", moved)] if (moved := moved_sentences(evidence)) else ()),
    )
    return [Box(words, headline(evidence), tone, entries), *_findings(evidence, entries)]


def score_sentence(evidence: Evidence) -> Text:
    """pass@1 with what it is a share of, and its intervals with the question each answers."""
    scores = evidence.inputs.scores
    if not evidence.measured:
        return say("unknown: no rollout has a valid score.")
    if is_graded(evidence.inputs):
        return _graded_sentence(evidence)
    macro, tasks = percent(scores["pass_at_1"]), plural(scores["num_tasks"], "measured task")
    passed = f"{count(scores['passed_rollouts'])} of {plural(scores['num_rollouts'], 'measured rollout')} pass"
    if macro == percent(scores["pass_at_1_micro"]):
        text = f"pass@1 {macro}: {passed}, over {tasks}."
    else:
        micro = percent(scores["pass_at_1_micro"])
        text = f"pass@1 {macro}, the mean over {tasks}; {micro} over rollouts ({passed})."
    return say(text, *(f" {sentence}" for sentence in _interval_sentences(scores)), evidence.cite("score", "scores"))


def _graded_sentence(evidence: Evidence) -> Text:
    scores = evidence.inputs.scores
    mean = f"mean score {decimal(scores['mean_reward'])} over {plural(scores['num_tasks'], 'measured task')}."
    intervals = (f" {sentence}" for sentence in _interval_sentences(scores, MEAN_REWARD, decimal))
    rollouts = plural(scores["num_rollouts"], "measured rollout")
    mark = decimal(scores["pass_threshold"], 6)
    passed = f" pass@1 {percent(scores['pass_at_1'])}: {count(scores['passed_rollouts'])} of {rollouts} reach {mark}."
    return say(mean, *intervals, passed, evidence.cite("mean score", "best of k"))


def _interval_sentences(
    scores: Json, metric: str = "pass_at_1", form: Callable[[float | None], str] = percent
) -> list[str]:
    found = ((question, interval_for(scores, metric, question)) for question in QUESTIONS)
    return [
        f"On {QUESTIONS[question]}: {form(interval['low'])} to {form(interval['high'])} "
        f"({level(interval['level'])} interval)."
        for question, interval in found
        if interval is not None
    ]


def interval_for(scores: Json, metric: str, question: str) -> Json | None:
    """The interval of a metric that answers a question; null when none has both ends."""
    names = sorted(name for name in scores["intervals"] if name == metric or name.startswith(f"{metric}_{question}"))
    for name in names:
        interval: Json = scores["intervals"][name]
        if interval["question"] == question and interval["low"] is not None and interval["high"] is not None:
            return interval
    return None


def _coverage_sentence(evidence: Evidence) -> Text:
    counts = evidence.accounting
    if not evidence.expected_known:
        return say(
            "unknown: no materialized inputs say which rollouts were expected. "
            f"{plural(evidence.measured, 'rollout')} with a valid score found."
        )
    completed = counts["measured"] + counts["masked"] + counts["unscored"]
    return say(
        f"{share(completed, counts['expected'], 'expected rollouts completed')}; "
        f"{share(counts['measured'], counts['expected'], 'have a valid score')}.",
        evidence.cite("accounting"),
    )


def _drop_sentence(evidence: Evidence) -> Text:
    drop = evidence.inputs.funnel["largest_drop"]
    if not drop and is_graded(evidence.inputs):
        return say("none: every rollout has a score, and how high it is the mean score says.")
    if not drop:
        return say("none: no rollout is lost between two phases.")
    lost = share(drop["lost"], drop["entered"], "rollouts that entered it")
    return say("at ", code(drop["phase"]), f": {lost} go no further.", evidence.cite("funnel"))


def _failure_sentence(evidence: Evidence) -> Text:
    mode, failed = dominant_mode(evidence.inputs.modes), evidence.inputs.modes["total_failed"]
    if mode is not None and is_graded(evidence.inputs):
        return graded_failure(evidence)
    if mode is None:
        return say("none: no measured rollout failed." if evidence.measured else "unknown: nothing was measured.")
    return say(
        code(mode["code"]),
        f": {share(mode['count'], failed, 'failed rollouts')}, on {plural(mode['tasks'], 'task')}.",
        evidence.cite("failure mode", naming=mode["code"]),
    )


def _next_sentence(evidence: Evidence) -> Text:
    if not evidence.measured:
        return say(
            "find out why no rollout could be scored; see ", link("Aggregate Results", "#aggregate-results"), "."
        )
    plan = evidence.inputs.causes["recommendations"]
    if is_graded(evidence.inputs):
        return graded_next(evidence)
    if plan:
        first, unread = lever(evidence.inputs) or plan[0], larger_unlabelled(evidence.inputs)
        tasks = say(" (", quoted(first["label"]), f", {_of_tasks(first)}.)")
        cited_cause = evidence.cite("root cause", naming=first["label"])
        see = say(" See ", link("Recommendations", "#recommendations"))
        reading = "" if unread is None or unread is first else f"{_READ.format(plural(unread['tasks'], 'task'))} "
        before = f"{_AGAIN if _has_outage(evidence) else ''}{reading}"
        return say(f"{before}Beside that: " if before else "", _what(first), tasks, cited_cause, see)
    failed = evidence.inputs.scores["failed_rollouts"]
    if failed:
        return say("read the failed rollouts and label them; ", link("Never-Pass Deep Dives", "#never-pass-deep-dives"))
    return say("nothing to mend: no measured rollout failed. Harder or further tasks would tell more.")


def _what(step: Json) -> Text:
    """What to do about the most frequent reason where that is known, else what the label asks for."""
    if not step.get("next"):
        return quoted(step["action"])
    first = step["reasons"][0]
    label = "without a label" if step["label"] == "unlabelled" else f"labelled {clean(step['label'])}"
    whose = f"of the tasks {label}" if step["tasks"] else f"that carry {clean(step['label'])}"
    lost = f" in {first['count']} of {first['total']} lost rollouts {whose}: "
    return say(code(first["reason"]), lost, quoted(step["next"]))


def _of_tasks(step: Json) -> str:
    """The tasks of a step; where its label is that of no task, the lost rollouts that carry it."""
    if step["tasks"]:
        return f"{count(step['tasks'])} of {plural(step['denominator'], 'task')}"
    return f"{plural(step['repair']['rollouts'], 'lost rollout')} of tasks with another label"


def _disturbed_sentence(evidence: Evidence) -> Text | None:
    """The finding that moves the score most, in full, and the names of the others; None where there is none."""
    found = evidence.inputs.coverage["findings"]
    if not found:
        return None
    others = ", ".join(dict.fromkeys(entry["kind"] for entry in found[1:] if entry["kind"] != found[0]["kind"]))
    also = f" Also: {others}." if others else ""
    return say(quoted(found[0]["sentence"]), also, " See ", link("Aggregate Results", "#aggregate-results"))


def _has_outage(evidence: Evidence) -> bool:
    return any(entry["kind"] in (OUTAGE, OUTAGE_IN_TIME) for entry in evidence.inputs.coverage["findings"])


def _findings(evidence: Evidence, entries: tuple[tuple[str, Text], ...]) -> list[Block]:
    """Facts that are hard to guess and that the box does not already tell."""
    told = {piece.text for _, text in entries for piece in text if piece.kind == "fact"}
    found = [fact for fact in evidence.facts if fact["difficulty"] != "low" and fact["id"] not in told]
    if is_graded(evidence.inputs):
        found = [fact for fact in found if fact["evidence"]["kind"] not in OF_PASSING]
    shown = [fact for fact in found if fact["evidence"]["kind"] != ABSENCE][:FINDINGS]
    if not shown:
        return [Paragraph(say("No further finding that is hard to guess could be proved from the rows."), "quiet")]
    items = tuple(say(quoted(fact["fact"]), " ", *cited([fact["id"]])) for fact in shown)
    return [Heading(say("Key findings")), Bullets(items)]


def model_of(row: Json) -> Piece | str:
    """The model of a leaderboard's row, or how many its rows name."""
    if row.get("model") is not None:
        return code(row["model"])
    return plural(row["models"], "model") if row.get("models") else "unknown"
