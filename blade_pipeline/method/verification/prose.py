"""What sentences claim: named metrics, shares, counts of tasks and rollouts, lines, intervals."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.figures import Figure, figures_of
from blade_pipeline.method.verification.markdown import Said
from blade_pipeline.method.verification.ratios import N, Ratio, arithmetic, noun_of, ratios
from blade_pipeline.method.verification.subjects import LABELS, Subjects

_LINK = r"(?:\s|:|=|≈|~|\bis\b|\bwas\b|\bof\b|\bat\b|\bscores?\b|\brate\b|\breach(?:es|ed)\b|\bstands\b|\babout\b)*"
_SCORE_AFTER = re.compile(rf"pass(?P<sign>[@^])(?P<k>\d+|k)(?: \((?P<kind>macro|micro)\))?{_LINK}(?P<x>{N})", re.I)
_SCORE_BEFORE = re.compile(rf"(?P<x>{N}) ?% pass(?P<sign>[@^])(?P<k>\d+|k)\b", re.I)
_NAMED = re.compile(rf"\b(?P<name>consistency|coverage|retry value|mean reward){_LINK}(?P<x>{N})", re.I)
_OVER_ROLLOUTS = re.compile(rf"(?P<x>{N}) ?% over rollouts")
_CHANCES = re.compile(
    rf"passes with a chance of (?P<one>{N})%(?:, at least one of (?P<k>\d+) with (?P<any>{N})%)?"
    rf"(?:,? and all (?P<all_k>\d+) with (?P<all>{N})%)?"
)
_LINES = re.compile(rf"(?P<x>{N}) (?P<name>lines?|rows?|blank|malformed|duplicate lines?)(?=[,:;. ]|$)")
_BUCKETS = re.compile(
    rf"(?<!up to )(?<![\w.])(?P<x>{N}) (?:tasks? )?(?P<name>always|sometimes|never)[- ]pass(?:es|ing)?(?! rollout)\b",
    re.I,
)
_OPEN_BUCKETS = re.compile(rf"(?P<x>{N}) (?P<name>indeterminate|missing|masked)\b")
_RANGE = re.compile(rf"(?P<low>{N}) ?% (?:to|and|-|–) (?P<high>{N}) ?%")
_ON_TASKS = re.compile(rf"^[^.;:⟦]{{0,40}}?\bon (?P<t>{N}) tasks?\b")
_LABEL = re.compile(rf"\b(?P<label>{'|'.join(LABELS)})\b\)?[,:]?\s*$")
_OVER_TASKS = re.compile(rf"(?:^Of|\bmean over) (?P<x>{N}) (?P<measured>measured )?tasks\b")
_ACROSS = re.compile(rf"\bAcross (?P<rollouts>{N}) rollouts on (?P<tasks>{N}) tasks\b", re.I)
_ACROSS_OF: dict[str, tuple[str, ...]] = {
    "rollouts": ("rollouts", "measured", "completed"),
    "tasks": ("tasks", "measured_tasks"),
}
_BUCKET_NAMES = {"always": "always_pass", "sometimes": "sometimes_pass", "never": "always_fail"}
_ENDS = ("", ",", ".", ")", ":", ";", "(")
_OUTSIDE = re.compile(r"\b(?:comparison|cross-model|compared|published|reference|against|versus|previous)\b", re.I)


class Sentence(NamedTuple):
    """A statement with its figures by place, and whether it speaks of this run."""

    said: Said
    figures: Mapping[int, Figure]
    firm: bool

    @property
    def text(self) -> str:
        """The words, with ``⟦n⟧`` for code spans."""
        return self.said.text


def sentence_of(said: Said, path: tuple[str, ...]) -> Sentence:
    """A statement; it is firm where its figures can only be this run's own."""
    firm = not (is_of_others(said, path) or is_native(path))
    return Sentence(said, {figure.start: figure for figure in figures_of(said.text)}, firm)


def is_of_others(said: Said, path: tuple[str, ...]) -> bool:
    """Whether a statement is about other runs or published scores: figures and words in it may be theirs."""
    return any(_OUTSIDE.search(title) for title in path) or said.text.lower().startswith("comparison")


def is_native(path: tuple[str, ...]) -> bool:
    """Whether headings lead to the numbers of NeMo Gym's own, which are one agent's and count tasks by index."""
    return any(title.startswith(("Agent ", "Where NeMo Gym's own numbers")) for title in path)


def prose_claims(sentence: Sentence, subjects: Subjects) -> list[Claim]:
    """The claims of a sentence, the most specific first."""
    found: list[Claim] = []
    for rule in _RULES:
        found.extend(rule(sentence, subjects))
    return found if sentence.firm else [Claim(made.figure, made.options, firm=False) for made in found]


def _scores(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    for pattern in (_SCORE_AFTER, _SCORE_BEFORE):
        for found in pattern.finditer(sentence.text):
            figure = sentence.figures.get(found.start("x"))
            if figure is None or figure.unit == "points":
                continue
            kind = found["kind"].lower() if pattern is _SCORE_AFTER and found["kind"] else None
            at = subjects.pass_at(figure, found["k"].lower(), kind)
            yield from claim(figure, at if found["sign"] == "@" else subjects.pass_hat(figure, found["k"].lower()))
    for found in _OVER_ROLLOUTS.finditer(sentence.text):
        figure = sentence.figures.get(found.start("x"))
        if figure is not None:
            yield from claim(figure, subjects.pass_at(figure, "1", "micro"))
    for found in _NAMED.finditer(sentence.text):
        figure = sentence.figures.get(found.start("x"))
        if figure is not None:
            yield from claim(figure, subjects.metric(figure, found["name"].lower()))


def _chances(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    for found in _CHANCES.finditer(sentence.text):
        one = sentence.figures.get(found.start("one"))
        if one is not None:
            yield from claim(one, subjects.pass_at(one, "1"))
        for name, k, rule in (("any", "k", subjects.pass_at), ("all", "all_k", subjects.pass_hat)):
            figure = sentence.figures.get(found.start(name)) if found[name] else None
            if figure is not None:
                yield from claim(figure, rule(figure, found[k]))


def _ratio_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    for ratio in ratios(sentence.text, sentence.figures):
        yield from arithmetic(ratio)
        yield from _of_mode(ratio, sentence, subjects)
        yield from _of_phase(ratio, sentence, subjects)
        yield from _of_label(ratio, sentence, subjects)
        yield from _of_noun(ratio, subjects)


def _of_mode(ratio: Ratio, sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    noun, _ = noun_of(ratio)
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


def _of_phase(ratio: Ratio, sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
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
    head = re.sub(r" (?:pass|passed|passes|completed)$", "", noun)
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
        yield from claim(ratio.whole, [option for name in wholes for option in exactly(counts[name], _words(name))])
    if passes and head in ("measured rollouts", "rollouts"):
        yield from claim(ratio.part, exactly(counts["passed"], "passed rollouts"))
    if noun.endswith("completed") and head == "expected rollouts":
        yield from claim(ratio.part, exactly(counts["completed"], "completed rollouts"))


def _bucket_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    truths = subjects.truths
    for found in _BUCKETS.finditer(sentence.text):
        figure, name = sentence.figures.get(found.start("x")), _BUCKET_NAMES[found["name"].lower()]
        if figure is not None:
            right = {truths.bucket_counts[name], truths.observed_counts[name]}
            yield from claim(figure, [option for value in sorted(right) for option in exactly(value, f"{name} tasks")])
    if re.match(r"Of \d+ tasks", sentence.text):
        for found in _OPEN_BUCKETS.finditer(sentence.text):
            figure = sentence.figures.get(found.start("x"))
            if figure is not None:
                yield from claim(figure, exactly(truths.bucket_counts[found["name"]], f"{found['name']} tasks"))


def _size_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    counts = subjects.truths.counts
    for found in _OVER_TASKS.finditer(sentence.text):
        names: tuple[str, ...] = ("measured_tasks",) if found["measured"] else ("measured_tasks", "tasks")
        figure = sentence.figures.get(found.start("x"))
        if figure is not None:
            yield from claim(figure, [option for name in names for option in exactly(counts[name], _words(name))])
    for found in _ACROSS.finditer(sentence.text):
        for group, names in _ACROSS_OF.items():
            figure = sentence.figures.get(found.start(group))
            if figure is not None:
                options = [option for name in names for option in exactly(counts[name], _words(name))]
                yield from claim(figure, options)


def _line_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    if not re.search(r"\blines?: ", sentence.text):
        return
    for found in _LINES.finditer(sentence.text):
        figure, name = sentence.figures.get(found.start("x")), found["name"].removesuffix("s")
        key = {"line": "lines", "row": "rows", "duplicate line": "duplicates"}.get(name, name)
        if figure is not None:
            yield from claim(figure, exactly(subjects.truths.counts[key], _words(key)))


def _interval_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    if "interval" not in sentence.text or not subjects.scores:
        return
    yield from range_claims(sentence.text, sentence.figures, subjects, None)


def range_claims(text: str, figures: Mapping[int, Figure], subjects: Subjects, metric: str | None) -> Iterator[Claim]:
    """Both ends of every range of percentages, against the interval or bounds that one of them fits."""
    for found in _RANGE.finditer(text):
        low, high = figures.get(found.start("low")), figures.get(found.start("high"))
        known = subjects.intervals(metric)
        if low is None or high is None or not known:
            continue
        near = [entry for entry in known if low.agrees(entry[0]) and high.agrees(entry[1])]
        best = near or sorted(known, key=lambda entry: abs(entry[0] - low.value) + abs(entry[1] - high.value))[:1]
        yield from claim(low, exactly(best[0][0], best[0][2]))
        yield from claim(high, exactly(best[0][1], best[0][2]))


def _named_before(sentence: Sentence, end: int, known: Callable[[str], bool]) -> str | None:
    """The last known name in code before a place."""
    numbers = re.findall(r"⟦(\d+)⟧", sentence.text[:end])
    names = (sentence.said.spans[int(number)] for number in reversed(numbers))
    return next((name for name in names if known(name)), None)


def _words(name: str) -> str:
    return {"not_passed": "failed rollouts", "rollouts": "expected rollouts"}.get(name, name.replace("_", " "))


_RULES: tuple[Callable[[Sentence, Subjects], Iterator[Claim]], ...] = (
    _scores,
    _chances,
    _ratio_claims,
    _bucket_claims,
    _size_claims,
    _line_claims,
    _interval_claims,
)
