"""What the first page and the heads of sections count: measured rollouts, tasks by outcome, levels of intervals."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.subjects import Subjects

_PASS = re.compile(
    rf"(?:^Score: pass@1|\bpass@1 is) (?:(?!without).){{0,90}}?\b{N} of (?P<whole>{N}) (?:measured )?rollouts? pass\b"
)
_VALID = re.compile(rf"\b(?P<part>{N}) of (?P<whole>{N}) have a valid score\b")
_FOUND = re.compile(rf"\b(?P<measured>{N}) rollouts? with a valid score found\b")
_OUTSIDE = re.compile(rf"\band (?P<unexpected>{N}) rollouts? that the inputs do not name\b")
_TAKEN = re.compile(
    rf"\bTaken alone, (?P<tasks>{N}) tasks? (?:say|says) little about others of the kind, which could give "
    rf"(?P<low>{N})%? to (?P<high>{N})"
)
_ONCE = re.compile(rf"(?:^|[ ,])(?P<x>{N}) (?:tasks? )?(?P<did>passed|failed) (?:its|their) only rollout\b")
_LEVEL = re.compile(rf"\((?P<level>{N})% interval\)")
_ALL_TASKS = re.compile(rf"^(?P<tasks>{N}) tasks?:$")
_NEVER = re.compile(rf"^(?P<never>{N}) tasks? never pass(?:es)?\.(?: (?P<open>{N}) further tasks? passed in no)?")
_ROLLOUTS = re.compile(rf"^{N} of (?P<rollouts>{N}) rollouts?:$")
_MEASURED = re.compile(rf"\b(?:over|mean over) (?P<measured_tasks>{N}) measured tasks?\b")
_BOUNDS = re.compile(
    rf"carry no score; depending on those, (?P<metric>pass@1|the mean score) lies between (?P<low>{N})%? and "
    rf"(?P<high>{N})"
)
_OF_SCORES = re.compile(rf"\bof (?P<tasks>{N}) task scores\b")


def first_page_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """The counts of measured rollouts and of tasks, as the rows give them, and the levels of intervals."""
    counts, buckets = subjects.truths.counts, subjects.truths.bucket_counts
    right: dict[str, float | None] = {
        "whole": counts["measured"],
        "measured": counts["measured"],
        "unexpected": counts["unexpected"],
        "tasks": counts["tasks"],
        "measured_tasks": counts["measured_tasks"],
        "never": buckets["always_fail"],
        "open": subjects.truths.open_tasks,
    }
    for pattern in (_PASS, _FOUND, _OUTSIDE, _ALL_TASKS, _NEVER, _OF_SCORES, _MEASURED):
        for found in pattern.finditer(sentence.text):
            own = {name: right[name] for name in pattern.groupindex}
            yield from named(found, sentence.figures, own, "of the run")
    for found in _VALID.finditer(sentence.text):
        shares = {"part": counts["measured"], "whole": counts["rollouts"]}
        yield from named(found, sentence.figures, shares, "rollouts with a score")
    for found in _ONCE.finditer(sentence.text):
        bucket = "always_pass" if found["did"] == "passed" else "always_fail"
        yield from named(found, sentence.figures, {"x": buckets[bucket]}, f"tasks that {found['did']}")
    yield from _intervals(sentence, subjects)
    yield from _bounds(sentence, subjects)


def _bounds(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """Between which ends the score lies, whatever the rollouts without one would score."""
    for found in _BOUNDS.finditer(sentence.text):
        metric = "pass_at_1" if found["metric"] == "pass@1" else "mean_reward"
        bounds = (subjects.scores.get("bounds") or {}).get(metric) or {}
        yield from _ends(found, sentence, bounds, f"bound of {found['metric']}")


def rollouts_of_task(sentence: Sentence, title: str, subjects: Subjects) -> Iterator[Claim]:
    """How many rollouts the task has whose heading stands above."""
    found = _ROLLOUTS.match(sentence.text)
    task = re.match(r"Task (?P<id>.+?): 0 of ", title)
    known = subjects.truths.tasks.get(task["id"], []) if found and task else []
    if found and len(known) == 1:
        yield from named(found, sentence.figures, {"rollouts": known[0].rollouts}, "of the task")


def _intervals(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    known: Mapping[str, Any] = subjects.scores.get("intervals") or {}
    metric = "mean_reward" if subjects.repeats.graded else "pass_at_1"
    interval = known.get(metric) or {}
    if not interval:
        return
    for found in _LEVEL.finditer(sentence.text):
        yield from named(found, sentence.figures, {"level": 100 * interval["level"]}, "level of the interval")
    for found in _TAKEN.finditer(sentence.text):
        yield from named(found, sentence.figures, {"tasks": subjects.truths.counts["measured_tasks"]}, "measured tasks")
        yield from _ends(found, sentence, interval, "end of the interval for new tasks")


def _ends(found: re.Match[str], sentence: Sentence, right: Mapping[str, Any], what: str) -> Iterator[Claim]:
    """The low and the high end that a sentence states, as shares or in percent."""
    for end in ("low", "high"):
        figure, value = sentence.figures.get(found.start(end)), right.get(end)
        if figure is not None and value is not None:
            scale = 100 if figure.unit == "%" else 1
            yield from claim(figure, exactly(scale * value, f"{end} {what}"))
