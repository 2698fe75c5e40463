"""A model that politely gives no answer in one language: ``polyglot_quiz``, multiple choice, no tools."""

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark
from blade_pipeline.example.stories.story import (
    Rollout,
    Setting,
    Statement,
    Story,
    drawn,
    keys,
    passing,
    share,
    values,
)

INSIDE = (50, 85)
"""Least and greatest percentage of the passing rollouts of the language that decline."""
OUTSIDE = 0.02
"""Share of the passing rollouts in other languages that decline."""

_LETTERS = "ABCDE"
_SUBJECTS = ("history", "biology", "law", "economics")
_ASKED = {
    "de": "Welche Zahl steht in der Liste {subject} an Stelle {place}?",
    "es": "¿Qué número está en la lista {subject} en el lugar {place}?",
    "fr": "Quel nombre est dans la liste {subject} à la place {place} ?",
    "sw": "Ni namba gani iko kwenye orodha ya {subject} mahali pa {place}?",
    "tr": "{subject} listesinde {place}. sırada hangi sayı var?",
}
_SAID = {
    "de": "Die Liste nennt diese Zahl an der Stelle.",
    "es": "La lista da este número en ese lugar.",
    "fr": "La liste donne ce nombre à cette place.",
    "sw": "Orodha inaonyesha namba hii mahali hapo.",
    "tr": "Liste bu sırada bu sayıyı veriyor.",
}
_DECLINED = {
    "de": ("Leider kann ich diese Frage nicht beantworten.", "Es tut mir leid, dazu möchte ich nichts sagen."),
    "es": ("Lo siento, no puedo responder a esta pregunta.", "Lamentablemente no puedo ayudar con esto."),
    "fr": ("Je suis désolé, je ne peux pas répondre à cette question.", "Je ne peux malheureusement pas vous aider."),
    "sw": ("Samahani, siwezi kujibu swali hili.", "Kwa bahati mbaya siwezi kusaidia na hili."),
    "tr": ("Üzgünüm, bu soruya cevap veremiyorum.", "Ne yazık ki bu konuda yardımcı olamam."),
}


def _write_task(draws: Draws, index: int, base: float) -> Task:
    language, subject = list(_ASKED)[index % len(_ASKED)], draws.choice(_SUBJECTS)
    options = [str(number) for number in draws.shuffled(range(100, 200))[: len(_LETTERS)]]
    right = draws.choice(_LETTERS)
    lines = [f"{letter}. {option}" for letter, option in zip(_LETTERS, options, strict=True)]
    asked = _ASKED[language].format(subject=subject, place=draws.between(2, 30))
    fields: Json = {"question_id": f"pq{index:03d}", "language": language, "subject": subject}
    fields |= {"answer": right, "answer_index": _LETTERS.index(right)}
    return Task(index, base, language, "\n".join([asked, *lines]), fields, {"right": right})


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    right = task.facts["right"]
    said = right if passed else draws.choice(_LETTERS.replace(right, ""))
    text = f"{_SAID[task.category]} \\boxed{{{said}}}"
    thinking = draws.between(100, 900)
    return Rollout(task, repeat, passed, [message(text, 1)], _verdict(task, said, passed=passed), thinking=thinking)


def _verdict(task: Task, said: str | None, *, passed: bool) -> Json:
    return {**task.fields, "pred": said, "is_correct": passed}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    language = draws.choice(values(rollouts, "language"))
    right = passing(rollouts)
    inside = drawn(draws, (r for r in right if r.task.category == language), share(draws, *INSIDE))
    outside = drawn(draws, (r for r in right if r.task.category != language), OUTSIDE)
    for rollout in (*inside, *outside):
        rollout.passed = False
        rollout.output = [message(draws.choice(_DECLINED[rollout.task.category]), 1)]
        rollout.verifier |= _verdict(rollout.task, None, passed=False)
    where = {"field": "language", "value": language}
    return [Statement("mode", {}, keys([*inside, *outside])), Statement("concentration", where, keys(inside))]


_SYSTEM = "Choose one option and put its letter into \\boxed{}."
STORY = Story(
    "declined-in-language",
    "the model politely gives no answer in one language",
    _plant,
    Setting(story_benchmark("polyglot_quiz", list(_ASKED), _SYSTEM, _write_task), _healthy),
)
