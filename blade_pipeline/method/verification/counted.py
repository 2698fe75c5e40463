"""What ``k of n`` counts in a sentence: by the mode, phase or label named before it, or the words after it."""

import re
from collections.abc import Callable, Iterator

from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.ratios import N, Ratio, arithmetic, noun_of, ratios
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.subjects import Subjects
from blade_pipeline.models import LABELS

_ON_TASKS = re.compile(rf"^[^.;:⟦]{{0,40}}?\bon (?P<t>{N}) tasks?\b")
_SCORED = re.compile(rf"^ (?:expected )?(?P<what>rollouts|tasks)(?: and {N} of {N} tasks)? have a score\b")
_LABEL = re.compile(rf"\b(?P<label>{'|'.join(LABELS)})\b\)?[,:]?\s*$")
_SECONDARY = re.compile(r"^⟦\d+⟧: .*, as a secondary mode in ")
_ENDS = ("", ",", ".", ")", ":", ";", "(")


def ratio_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """Both numbers and the percentage of every ``k of n``, by the name before it and the words after it."""
    for ratio in ratios(sentence.text, sentence.figures):
        yield from arithmetic(ratio)
        yield from (_of_secondary if _SECONDARY.match(sentence.text) else _of_mode)(ratio, sentence, subjects)
        yield from _of_phase(ratio, sentence, subjects)
        yield from _of_label(ratio, sentence, subjects)
        yield from _of_noun(ratio, subjects)
        yield from _of_score(ratio, subjects)


def _of_mode(ratio: Ratio, sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    noun, _ = noun_of(ratio)
    symptom = _named_before(sentence, ratio.start, subjects.is_symptom)
    if symptom is not None:
        yield from _of_symptom(ratio, noun, symptom, subjects)
        return
    mode = _named_before(sentence, ratio.start, subjects.is_mode)
    if mode is None:
        return
    if noun.startswith("passed rollouts"):
        for pair in subjects.mode_in_passed(mode):
            yield from claim(ratio.part, exactly(pair.part, f"passed rollouts with {mode}"))
    elif noun.startswith("failed rollouts") or noun == "failed":
        pair_of = subjects.mode_of_failed(mode)
        yield from claim(ratio.part, exactly(pair_of and pair_of.part, f"failed rollouts with primary mode {mode}"))
        tasks = _ON_TASKS.match(re.sub(r"^ failed(?: rollouts)?", "", ratio.after))
        offset = ratio.end + len(ratio.after) - len(re.sub(r"^ failed(?: rollouts)?", "", ratio.after))
        figure = sentence.figures.get(offset + tasks.start("t")) if tasks else None
        if figure is not None:
            yield from claim(figure, subjects.mode_tasks(mode))


def _of_secondary(ratio: Ratio, sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """How many failed rollouts show a mode beside a more severe one."""
    mode = _named_before(sentence, ratio.start, subjects.is_secondary)
    if mode is not None:
        pair, what = subjects.secondary_in(mode), f"failed rollouts with secondary mode {mode}"
        yield from claim(ratio.part, exactly(pair.part, what))
        yield from claim(ratio.whole, exactly(pair.whole, "failed rollouts"))


def _of_symptom(ratio: Ratio, noun: str, symptom: str, subjects: Subjects) -> Iterator[Claim]:
    """How many failed and passed rollouts show what is no reason to fail."""
    failed, passed = subjects.symptom(symptom)
    pair = passed if noun.startswith("passed") else failed if noun.startswith("failed") else None
    if pair is not None:
        yield from claim(ratio.part, exactly(pair.part, f"{noun.split()[0]} rollouts with {symptom}"))
        yield from claim(ratio.whole, exactly(pair.whole, f"{noun.split()[0]} rollouts"))


def _of_phase(ratio: Ratio, sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    if "Lost rollouts: " in sentence.text[: ratio.start]:
        return  # these are the reasons of a recommendation, and one may be called as a phase is
    phase = _named_before(sentence, ratio.start, lambda name: name in subjects.phases)
    lost = subjects.lost_at(phase) if phase is not None else None
    if lost is not None and re.search(r"\b(?:drop|lost|loses)", sentence.text, re.I):
        yield from claim(ratio.part, exactly(lost.part, f"rollouts lost at {phase}"))
        yield from claim(ratio.whole, exactly(lost.whole, f"rollouts that entered {phase}"))


def _of_label(ratio: Ratio, sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    label = _LABEL.search(sentence.text[: ratio.start])
    if label and noun_of(ratio)[0].startswith("tasks"):
        yield from claim(ratio.part, subjects.label_counts(label["label"]))


def _of_noun(ratio: Ratio, subjects: Subjects) -> Iterator[Claim]:
    """What n counts, where the words after it say so and limit it no further."""
    noun, rest = noun_of(ratio)
    counts, passes = subjects.truths.counts, noun.split()[-1:] in (["pass"], ["passed"], ["passes"])
    head = re.sub(r"\b(rollout|task)\b", r"\1s", re.sub(r" (?:pass|passed|passes|completed)$", "", noun))
    if rest not in _ENDS:
        return
    wholes = {
        "failed rollouts": ("not_passed", "failed"),
        "passed rollouts show it too": ("passed",),
        "passed rollouts": ("passed",),
        "measured rollouts": ("measured",),
        "expected rollouts": ("rollouts",),
        "measured tasks": ("measured_tasks",),
        "tasks": ("tasks", "measured_tasks"),
    }.get(head)
    if wholes is not None:
        yield from claim(ratio.whole, [option for name in wholes for option in exactly(counts[name], words_of(name))])
    if passes and head in ("measured rollouts", "rollouts"):
        yield from claim(ratio.part, exactly(counts["passed"], "passed rollouts"))
    if noun.endswith("completed") and head == "expected rollouts":
        yield from claim(ratio.part, exactly(counts["completed"], "completed rollouts"))


def _of_score(ratio: Ratio, subjects: Subjects) -> Iterator[Claim]:
    """Rollouts or tasks that have a score, also where the verb comes after both."""
    found = _SCORED.match(ratio.after)
    if found is None:
        return
    counts = subjects.truths.counts
    name, whole = ("measured_tasks", "tasks") if found["what"] == "tasks" else ("measured", "rollouts")
    yield from claim(ratio.part, exactly(counts[name], words_of(name)))
    yield from claim(ratio.whole, exactly(counts[whole], words_of(whole)))


def _named_before(sentence: Sentence, end: int, known: Callable[[str], bool]) -> str | None:
    """The last known name in code before a place."""
    numbers = re.findall(r"⟦(\d+)⟧", sentence.text[:end])
    names = (sentence.said.spans[int(number)] for number in reversed(numbers))
    return next((name for name in names if known(name)), None)


def words_of(name: str) -> str:
    """The name of a count as a reader knows it."""
    return {"not_passed": "failed rollouts", "rollouts": "expected rollouts"}.get(name, name.replace("_", " "))
