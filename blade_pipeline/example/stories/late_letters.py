"""A parser that knows too few letters: ``lab_choices``, multiple choice with four or eight options, no tools."""

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark
from blade_pipeline.example.stories.story import Rollout, Setting, Statement, Story, keys

LAST_KNOWN = "DEF"
"""The last letter that the parser knows is one of these; right answers behind it are rejected."""
UNDECIDED = 0.04
"""Share of the rollouts that name no option, whatever the task."""

_LETTERS = "ABCDEFGH"
_EARLY = "ABCD"
_UNITS = {"optics": "nm", "thermal": "K", "acoustics": "Hz", "fluids": "kPa", "statics": "N"}
_SOURCES = ("workbook", "oral exam", "lab sheet")
_WORKING = (
    "The reading has to be corrected for the zero offset first.",
    "With the given constants the ratio comes out slightly above two.",
    "The second run was made at another setting, so only the first counts.",
)
_ASIDES = (
    "Option {letter} forgets the offset.",
    "One might think of option {letter}, but it has the wrong magnitude.",
    "Option {letter} would need twice the length.",
)
_ENDINGS = ("Answer: {letter}", "**Answer: {letter}) {text}**", "So the answer is\n\nAnswer: {letter}. {text}")
_NO_OPTION = "None of the options agrees with my result, so I would ask for the sheet to be checked."


def _write_task(draws: Draws, index: int, base: float) -> Task:
    topic, pair = list(_UNITS)[index % len(_UNITS)], index // 2
    letters = _LETTERS if index % 2 else _EARLY
    right = letters[pair * 3 % len(letters)]
    numbers = draws.shuffled(range(110, 990))[: len(letters)]
    options = {letter: f"{number} {_UNITS[topic]}" for letter, number in zip(letters, numbers, strict=True)}
    listed = "\n".join(f"{letter}) {text}" for letter, text in options.items())
    question = f"Sheet {draws.between(10, 99)} of the {topic} bench: which value did the gauge show?\n{listed}"
    fields: Json = {"uuid": f"lab:{topic}:{index}", "topic": topic, "source": draws.choice(_SOURCES)}
    fields |= {"num_options": len(letters), "options": [{letter: text} for letter, text in options.items()]}
    fields |= {"expected_answer": options[right], "metadata": {"revision": "v0.3", "sheet": draws.between(1, 400)}}
    return Task(index, base, topic, question, fields, {"right": right, "options": options})


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    right, options = task.facts["right"], task.facts["options"]
    said = right if passed else draws.choice(_EARLY.replace(right, ""))
    aside = draws.choice(_EARLY.replace(said, ""))
    working, thought = draws.choice(_WORKING), draws.choice(_ASIDES).format(letter=aside)
    text = f"{working} {thought}\n\n{draws.choice(_ENDINGS).format(letter=said, text=options[said])}"
    undecided = draws.uniform() < UNDECIDED
    if undecided:
        text = f"{working}\n\n{_NO_OPTION}"
    verifier = _verdict(task, None if undecided else said)
    thinking = draws.between(150, 1200)
    return Rollout(task, repeat, passed and not undecided, [message(text, 1)], verifier, thinking=thinking)


def _verdict(task: Task, parsed: str | None) -> Json:
    """Fields as a parser of letters leaves them: the letter, the option behind it, and what went wrong."""
    extracted = None if parsed is None else task.facts["options"][parsed]
    correct = extracted == task.fields["expected_answer"]
    mode = "correct" if correct else "no_answer" if parsed is None else "wrong_option"
    found = {"parsed_option": parsed, "extracted_answer": extracted}
    return {**task.fields, **found, "no_answer": parsed is None, "error_mode": mode}


def _first_letter(rollout: Rollout) -> str:
    """The first option that the text mentions, which is one that the answer is not."""
    text: str = rollout.output[0]["content"][0]["text"]
    return text.lower().split("option ", 1)[1][0].upper()


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    last = draws.choice(LAST_KNOWN)
    falls_back = draws.uniform() < 0.5
    undecided = [rollout for rollout in rollouts if rollout.verifier["no_answer"]]
    rejected = [rollout for rollout in rollouts if rollout.passed and rollout.task.facts["right"] > last]
    for rollout in rejected:
        rollout.passed = False
        rollout.verifier |= _verdict(rollout.task, _first_letter(rollout) if falls_back else None)
    where = {"field": "num_options", "value": len(_LETTERS)}
    planted = [
        Statement("verifier_conflict", where, keys(rejected)),
        Statement("mode", {}, keys(rejected)),
        Statement("concentration", where, keys(rejected)),
    ]
    return [*planted, Statement("mode", {}, keys(undecided))] if undecided else planted


_SYSTEM = "Choose one option. The last line reads 'Answer:' and its letter."
STORY = Story(
    "late-letters",
    "the parser of a multiple choice does not know the later letters",
    _plant,
    Setting(story_benchmark("lab_choices", list(_UNITS), _SYSTEM, _write_task), _healthy),
)
