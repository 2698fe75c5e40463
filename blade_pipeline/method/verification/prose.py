"""What sentences claim: named metrics, shares, counts of tasks and rollouts, lines, intervals."""

import re
from collections.abc import Callable, Iterator, Mapping

from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.counted import ratio_claims, words_of
from blade_pipeline.method.verification.counterfactuals import counterfactual_claims
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.first_page import first_page_claims
from blade_pipeline.method.verification.label_rows import label_counts
from blade_pipeline.method.verification.labelled import label_sentences
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.subjects import Subjects

_LINK = r"(?:\s|:|=|≈|~|\bis\b|\bwas\b|\bof\b|\bat\b|\bscores?\b|\brate\b|\breach(?:es|ed)\b|\bstands\b|\babout\b)*"
_SCORE_AFTER = re.compile(rf"pass(?P<sign>[@^])(?P<k>\d+|k)(?: \((?P<kind>macro|micro)\))?{_LINK}(?P<x>{N})", re.I)
_MEAN_OVER = re.compile(r" ?%?, the mean over")
_SCORE_BEFORE = re.compile(rf"(?P<x>{N}) ?% pass(?P<sign>[@^])(?P<k>\d+|k)\b", re.I)
_NAMES = "consistency|coverage|retry value|mean reward|(?<!in )mean score"
_NAMED = re.compile(rf"\b(?P<name>{_NAMES}){_LINK}(?P<x>{N})", re.I)
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
_MIXED = re.compile(rf"^(?P<x>{N}) tasks? (?:has|have) passing and failing repeats\b")
_OPEN_BUCKETS = re.compile(rf"(?P<x>{N}) (?P<name>indeterminate|missing|masked)\b")
_RANGE = re.compile(rf"(?P<low>{N}) ?% (?:to|and|-|–) (?P<high>{N}) ?%")
_MEAN_RANGE = re.compile(
    rf"(?:On (?:other tasks of the same kind|(?P<same>these same tasks, run again)): )?(?P<low>{N}) to (?P<high>{N}) "
    r"\((?:new tasks|(?P<these>these tasks)|\d+% interval)\)"
)
_OVER_TASKS = re.compile(rf"(?:^Of|\bmean over) (?P<x>{N}) (?P<measured>measured )?tasks\b")
_ACROSS = re.compile(rf"\bAcross (?P<rollouts>{N}) rollouts on (?P<tasks>{N}) tasks\b", re.I)
_ACROSS_OF: dict[str, tuple[str, ...]] = {
    "rollouts": ("rollouts", "measured", "completed"),
    "tasks": ("tasks", "measured_tasks"),
}
_MARK = re.compile(
    rf"(?:\brollouts? reach(?:es)?(?: a score of)?|passes when its score reaches|rollout passes at|"
    rf"\bpassing, at a score of|\bwith a pass mark of) (?P<mark>{N})"
)
_SPREAD = re.compile(
    rf"The mean scores? of (?P<tasks>{N}) measured tasks? go from (?P<low>{N}) to (?P<high>{N}), with a median of "
    rf"(?P<median>{N})"
)
_BUCKET_NAMES = {"always": "always_pass", "sometimes": "sometimes_pass", "never": "always_fail"}


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
            kind = _kind(found) if pattern is _SCORE_AFTER else None
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


def _kind(found: re.Match[str]) -> str | None:
    """Whether the words say that a pass@1 is the mean over tasks or the one over rollouts."""
    if found["kind"]:
        return str(found["kind"]).lower()
    return "macro" if _MEAN_OVER.match(found.string, found.end()) else None


def _chances(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    for found in _CHANCES.finditer(sentence.text):
        one = sentence.figures.get(found.start("one"))
        if one is not None:
            yield from claim(one, subjects.pass_at(one, "1"))
        for name, k, rule in (("any", "k", subjects.pass_at), ("all", "all_k", subjects.pass_hat)):
            figure = sentence.figures.get(found.start(name)) if found[name] else None
            if figure is not None:
                yield from claim(figure, rule(figure, found[k]))


def _bucket_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    truths = subjects.truths
    for found in _BUCKETS.finditer(sentence.text):
        figure, name = sentence.figures.get(found.start("x")), _BUCKET_NAMES[found["name"].lower()]
        if figure is not None:
            right = {truths.bucket_counts[name], truths.observed_counts[name]}
            yield from claim(figure, [option for value in sorted(right) for option in exactly(value, f"{name} tasks")])
    if mixed := _MIXED.match(sentence.text):
        figure = sentence.figures.get(mixed.start("x"))
        if figure is not None:
            yield from claim(figure, exactly(truths.observed_counts["sometimes_pass"], "tasks that pass and fail"))
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
            yield from claim(figure, [option for name in names for option in exactly(counts[name], words_of(name))])
    for found in _ACROSS.finditer(sentence.text):
        for group, names in _ACROSS_OF.items():
            figure = sentence.figures.get(found.start(group))
            if figure is not None:
                options = [option for name in names for option in exactly(counts[name], words_of(name))]
                yield from claim(figure, options)


def _spread(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """How the mean scores of tasks spread."""
    for found in _SPREAD.finditer(sentence.text) if subjects.truths.spread else ():
        right = dict(zip(("low", "median", "high"), subjects.truths.spread, strict=True))
        right["tasks"] = subjects.truths.counts["measured_tasks"]
        yield from named(found, sentence.figures, right, "mean scores of tasks")


def _pass_mark(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """The score from which a rollout passes."""
    mark = subjects.scores.get("pass_threshold")
    for found in _MARK.finditer(sentence.text):
        yield from named(found, sentence.figures, {"mark": mark}, "the pass mark")


def _line_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    if not re.search(r"\blines?: ", sentence.text):
        return
    for found in _LINES.finditer(sentence.text):
        figure, name = sentence.figures.get(found.start("x")), found["name"].removesuffix("s")
        key = {"line": "lines", "row": "rows", "duplicate line": "duplicates"}.get(name, name)
        if figure is not None:
            yield from claim(figure, exactly(subjects.truths.counts[key], words_of(key)))


def _interval_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    if "interval" not in sentence.text or not subjects.scores:
        return
    if sentence.text.startswith("Score: mean score"):
        yield from mean_ranges(sentence.text, sentence.figures, subjects)
    yield from range_claims(sentence.text, sentence.figures, subjects, None)


def mean_ranges(text: str, figures: Mapping[int, Figure], subjects: Subjects) -> Iterator[Claim]:
    """Both ends of the mean score's intervals, which are no percentages."""
    for found in _MEAN_RANGE.finditer(text):
        suffix = "_these_tasks" if found["these"] or found["same"] else ""
        interval = (subjects.scores.get("intervals") or {}).get(f"mean_reward{suffix}") or {}
        right = {end: interval.get(end) for end in ("low", "high")}
        yield from named(found, figures, right, "interval of the mean score")


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


_RULES: tuple[Callable[[Sentence, Subjects], Iterator[Claim]], ...] = (
    _scores,
    _chances,
    ratio_claims,
    _bucket_claims,
    _size_claims,
    _spread,
    _pass_mark,
    _line_claims,
    _interval_claims,
    counterfactual_claims,
    label_sentences,
    label_counts,
    first_page_claims,
    lambda sentence, subjects: subjects.inventory.of_sentence(sentence),
    lambda sentence, subjects: subjects.carried.claims(sentence) if subjects.carried else iter(()),
    lambda sentence, subjects: subjects.disturbed.claims(sentence),
    lambda sentence, subjects: subjects.lengths.of_sentence(sentence),
    lambda sentence, subjects: subjects.sliced.apart.of_sentence(sentence),
    lambda sentence, subjects: subjects.graded.of_sentence(sentence),
    lambda sentence, subjects: subjects.acts.of_sentence(sentence),
    lambda sentence, subjects: subjects.within_tasks.of_sentence(sentence),
    lambda sentence, subjects: subjects.funnels.sentence_claims(sentence),
)
