"""A judge that runs into its quota near the end of one repeat: ``ask_archive``, questions answered by searching."""

import json
from collections.abc import Callable

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark, text_call_items, tool
from blade_pipeline.example.stories.story import Rollout, Setting, Statement, Story, drawn, keys, share

TAIL = (20, 55)
"""Least and greatest percentage of the repeat's tasks, the last ones, that are judged after the quota is used up."""
HIT = 0.92
"""Chance of a rollout of the tail that the judge does not answer; right and wrong answers are hit alike."""
BUSY = 0.08
"""Chance of a search that the archive itself answers with 429 once; it is repeated, and nothing is lost."""

_FATES = {"scored": 0.65, "failed": 0.25, "masked": 0.1}
_CATEGORIES = ("Harbours", "Railways", "Botany", "Printing")
_KINDS = ("Single Answer", "Set Answer")
_NAMES = ("Aldous Ferrin", "Maren Colt", "Ilse Rook", "Tobin Wray", "Petra Holm", "Jory Vance", "Nella Strand")
_MESSAGES = (
    "RateLimitError: Error code: 429 - requests per minute exceeded for judge-120b, retry after {seconds} s",
    "judge call failed after 4 attempts in {seconds} s: 429 insufficient_quota",
    "upstream judge answered 529 (overloaded) {seconds} times in a row",
)
_RIGHT = "The candidate names what the reference names. The rating is: [[2]]"
_WRONG = "The reference names somebody else. The rating is: [[0]]"


def _in_field(text: str) -> Json:
    return {"judge_rating": None, "judge_text": None, "judge_error": text}


def _in_text(text: str) -> Json:
    return {"judge_rating": None, "judge_text": text}


def _by_code(_: str) -> Json:
    return {"judge_rating": None, "judge_text": "", "invalid_judge_response": True, "failure_reason": "judge_failed"}


_SHOWN: tuple[Callable[[str], Json], ...] = (_in_field, _in_text, _by_code)


def _write_task(draws: Draws, index: int, base: float) -> Task:
    category, kind = _CATEGORIES[index % len(_CATEGORIES)], draws.choice(_KINDS)
    names = draws.shuffled(_NAMES)
    wanted = 1 if kind == _KINDS[0] else 2
    year = draws.between(1840, 1930)
    question = f"Who kept the {category.lower()} register of box {draws.between(100, 999)} in {year}?"
    fields: Json = {"example_id": str(index), "problem_category": category, "answer_type": kind}
    fields |= {"dated": draws.uniform() < 0.4, "expected_answer": ", ".join(names[:wanted])}
    wrong = ", ".join(names[2 : 2 + wanted])
    return Task(index, base, category, question, fields, {"year": year, "wrong": wrong})


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    answer = task.fields["expected_answer"] if passed else task.facts["wrong"]
    calls = _calls(draws, task, answer)
    output = [item for number, call in enumerate(calls, start=1) for item in text_call_items(number, *call)]
    output.append(message(f"The register was kept by **{answer}**.\n\nFinal answer: {answer}", 99))
    verifier = _verdict(task, answer, passed=passed)
    return Rollout(task, repeat, passed, output, verifier, thinking=draws.between(100, 700))


def _calls(draws: Draws, task: Task, answer: str) -> list[tuple[str, Json, str]]:
    calls: list[tuple[str, Json, str]] = []
    for page in range(draws.between(1, 3)):
        query: Json = {"query": f"{task.category} register {task.facts['year']}", "page": page}
        if draws.uniform() < BUSY:
            calls.append(("mcp__archive__search", query, "HTTP 429 Too Many Requests, try again in 2 s"))
        calls.append(("mcp__archive__search", query, _hits(draws, task)))
    for _ in range(draws.between(1, 3)):
        name = f"doc-{draws.between(1000, 9999)}"
        calls.append(("mcp__archive__fetch", {"id": name}, f"# {name}\nKept by {answer}, {task.facts['year']}."))
    return calls


def _hits(draws: Draws, task: Task) -> str:
    found = [{"id": f"doc-{draws.between(1000, 9999)}", "title": f"{task.category}, box {n}"} for n in range(3)]
    return json.dumps({"results": found, "total": draws.between(3, 80)})


def _verdict(task: Task, answer: str, *, passed: bool) -> Json:
    """Fields as a rated benchmark leaves them: the judge rates from 0 to 2, and 2 passes."""
    judged = {"judge_rating": 2 if passed else 0, "judge_text": _RIGHT if passed else _WRONG}
    return {**task.fields, "extracted_answer": answer, **judged, "mask_sample": False}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    repeat = draws.choice(sorted({rollout.repeat for rollout in rollouts}))
    words, shown = draws.choice(_MESSAGES), draws.choice(_SHOWN)
    mine = [rollout for rollout in rollouts if rollout.repeat == repeat]
    tail = mine[len(mine) - round(share(draws, *TAIL) * len(mine)) :]
    hit = drawn(draws, tail, HIT)
    for rollout in hit:
        text = words.format(seconds=draws.between(3, 58))
        _leave_unjudged(rollout, draws.weighted(_FATES), text, shown)
    return [Statement("outage", {"repeat": repeat}, keys(hit))]


def _leave_unjudged(rollout: Rollout, fate: str, text: str, shown: Callable[[str], Json]) -> None:
    rollout.passed = False
    if fate == "failed":
        rollout.failure = _failure(text)
        return
    rollout.verifier |= shown(text)
    if fate == "masked":
        rollout.verifier |= {"mask_sample": True, "failure_kind": "judge_unavailable"}


def _failure(text: str) -> Json:
    place = {"failure_class": "judge_failed", "stage": "verification", "terminal": False, "attempts": 3}
    return {**place, "type": "JudgeCallError", "http_status": 429, "message": text}


_TOOLS = (
    tool("mcp__archive__search", "Searches the archive.", query="string", page="integer"),
    tool("mcp__archive__fetch", "Shows a document.", id="string"),
)
_SYSTEM = "Answer from the archive. End with 'Final answer:'."
STORY = Story(
    "judge-quota",
    "the judge's quota is used up near the end of one repeat",
    _plant,
    Setting(
        story_benchmark("ask_archive", _CATEGORIES, _SYSTEM, _write_task, tools=_TOOLS, judge="judge-120b"), _healthy
    ),
)
