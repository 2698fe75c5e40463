"""A judge that rejects right answers when the response around them is long: ``open_answers``, short facts, no tools."""

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark
from blade_pipeline.example.stories.story import Rollout, Setting, Statement, Story, drawn, keys, passing, share

REJECTED = (55, 90)
"""Least and greatest percentage of the long responses with the right answer that the judge rejects."""
LONG = 0.4
"""Share of the responses that are long, whether they are right or wrong."""

_DOMAINS = ("lakes", "bridges", "painters", "treaties", "orchards")
_ERAS = ("early", "middle", "late")
_NAMES = ("Orrin", "Castel", "Veyra", "Mandel", "Tholm", "Sarrow", "Quill", "Ebbe", "Lunden", "Farro", "Hesk", "Ivern")
_MORE = (
    "The question can be read in more than one way, so the terms are set out first.",
    "Older lists give other figures, and they were measured with other means.",
    "Two of the candidates are often named together because they lie close to each other.",
    "A survey of the region settled the matter, and later lists follow it.",
    "It helps to put the candidates side by side before one of them is named.",
    "Some visitors remember it otherwise, which is easily explained by the light.",
    "None of the other candidates comes near it in any list that is still in use.",
)
_COMMENTS = (
    "The response runs to {words} words where the reference has 1; it cannot be confirmed as equivalent.",
    "Too much is claimed beside the reference ({words} words), so the answers are not the same.",
    "After {words} words it is not clear which statement is the answer.",
)


def _write_task(draws: Draws, index: int, base: float) -> Task:
    domain, era = _DOMAINS[index % len(_DOMAINS)], draws.choice(_ERAS)
    names = draws.shuffled(_NAMES)[:4]
    fields = {"problem_id": f"oa-{index:04d}", "domain": domain, "era": era, "expected_answer": names[0]}
    asked = ", ".join(sorted(names))
    question = f"Which of {asked} stands first in the {era} list of {domain}? End with 'Final answer:' and the name."
    return Task(index, base, domain, question, fields, {"names": names})


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    right, *others = task.facts["names"]
    said = right if passed else draws.choice(others)
    sentences = draws.between(9, 16) if draws.uniform() < LONG else draws.between(0, 2)
    text = " ".join([*(draws.choice(_MORE) for _ in range(sentences)), f"Final answer: {said}"])
    verifier = {**task.fields, "extracted_answer": said, "judge_evaluations": [_judged(passed)]}
    return Rollout(task, repeat, passed, [message(text, 1)], verifier, thinking=draws.between(40, 200))


def _judged(passed: bool, comment: str = "Compared the final answer with the reference.") -> Json:
    return {"verdict_label": "[[A=B]]" if passed else "[[A!=B]]", "comment": comment}


def _words(rollout: Rollout) -> int:
    return len(rollout.output[0]["content"][0]["text"].split())


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    comment = draws.choice(_COMMENTS)
    long = [rollout for rollout in passing(rollouts) if _words(rollout) > 80]
    rejected = drawn(draws, long, share(draws, *REJECTED))
    for rollout in rejected:
        rollout.passed = False
        rollout.verifier |= {"judge_evaluations": [_judged(False, comment.format(words=_words(rollout)))]}
    return [Statement("verifier_conflict", {}, keys(rejected)), Statement("mode", {}, keys(rejected))]


_SYSTEM = "Answer the question. The last line names the answer."
STORY = Story(
    "judged-by-length",
    "the judge rejects right answers in long responses",
    _plant,
    Setting(story_benchmark("open_answers", _DOMAINS, _SYSTEM, _write_task, judge="judge-70b"), _healthy),
)
