"""The healthy run that stories start from: ``records_desk``, sums over invented records, found with tools.

A task passes in each repeat with its own chance q ~ Beta(3, 1), whatever its category and source. A rollout that
does not pass followed the same steps and got the sum wrong. Busy tools, further searches and notes that are read
happen to passing and failing rollouts alike.
"""

import json
from typing import Any

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark, text_call_items, tool
from blade_pipeline.example.stories.story import Rollout, Setting

CATEGORIES = ("rents", "fees", "wages", "loans", "grants")
SOURCES = ("ledgers", "letters", "registers")
BUSY, NOTES, SECOND_SEARCH = 0.12, 0.4, 0.35
"""Chances that a search is busy once, that notes are read, and that a second search is made."""

_NAMES = ("Abel", "Brona", "Ciro", "Delia", "Edda", "Fenno", "Gisa", "Holm", "Ines", "Jarl")
_MONTHS = ("January", "March", "April", "June", "August", "October", "November")
_THINKING = (80, 400)


def _write_task(draws: Draws, index: int, base: float) -> Task:
    category, source = CATEGORIES[index % len(CATEGORIES)], draws.choice(SOURCES)
    name, month = draws.choice(_NAMES), draws.choice(_MONTHS)
    amounts = [draws.between(210, 2900) for _ in range(draws.between(2, 4))]
    fields = {"instance_id": f"rd-{index:04d}", "category": category, "source": source}
    return Task(
        index=index,
        base=base,
        category=category,
        question=f"How many crowns do the {source} record as {category} of {name} in {month}?",
        fields=fields | {"expected_answer": str(sum(amounts))},
        facts={"name": name, "month": month, "amounts": amounts, "right": sum(amounts)},
    )


class _Desk:
    """Collects the output items of one rollout."""

    def __init__(self) -> None:
        self.items: list[Json] = []

    def call(self, tool: str, arguments: Json, result: Any) -> None:
        self.items += call_items(len(self.items) // 2 + 1, tool, arguments, result)


def call_items(number: int, name: str, arguments: Json, result: Any) -> list[Json]:
    """The two output items of a tool call: the call and what came back, as JSON."""
    return text_call_items(number, name, arguments, json.dumps(result))


def healthy_rollout(draws: Draws, task: Task, repeat: int) -> Rollout:
    """One rollout of a run in which nothing is planted."""
    passed = draws.uniform() < task.base
    said = task.facts["right"] + (0 if passed else draws.choice((-1, 1)) * draws.between(3, 190))
    output = [*_steps(draws, task, said), message(answer_text(draws, str(said)), 99)]
    thinking = draws.between(*_THINKING)
    return Rollout(task, repeat, passed, output, verdict(task, str(said), passed=passed), thinking=thinking)


def _steps(draws: Draws, task: Task, said: int) -> list[Json]:
    desk, facts = _Desk(), task.facts
    query = {"name": facts["name"], "kind": task.category}
    if draws.uniform() < BUSY:
        desk.call("search_records", query, {"error": "the index is busy, try again"})
    found = [{"id": f"R-{draws.between(100, 999)}"} for _ in facts["amounts"]]
    desk.call("search_records", query, {"records": found})
    if draws.uniform() < SECOND_SEARCH:
        desk.call("search_records", query | {"month": facts["month"]}, {"records": found})
    for record, amount in zip(found, facts["amounts"], strict=True):
        desk.call("open_record", record, {"month": facts["month"], "crowns": amount})
    if draws.uniform() < NOTES:
        desk.call("read_notes", found[0], {"notes": draws.choice(("", "paid late", "paid in two parts"))})
    desk.call("add_up", {"numbers": facts["amounts"]}, {"sum": said})
    desk.call("check_total", {"total": said}, {"plausible": True})
    return desk.items


def answer_text(draws: Draws, answer: str) -> str:
    """A closing message that names an answer."""
    opening = draws.choice(("The records are added up.", "All records of the month were opened.", "This is the sum."))
    return f"{opening}\nAnswer: {answer}"


def verdict(task: Task, answer: str | None, *, passed: bool) -> Json:
    """What the verifier of ``records_desk`` leaves in a row, where it has no more to say than yes or no."""
    return {**task.fields, "extracted_answer": answer, "verdict": "correct" if passed else "incorrect"}


RECORDS_DESK = story_benchmark(
    "records_desk",
    CATEGORIES,
    "You work at a records desk. Check a total before you name it.",
    _write_task,
    tools=(
        tool("search_records", "Finds records of a person.", name="string", kind="string", month="string"),
        tool("open_record", "Shows a record.", id="string"),
        tool("read_notes", "Notes beside a record.", id="string"),
        tool("add_up", "Adds numbers.", numbers="array"),
        tool("check_total", "Says whether a total is plausible.", total="integer"),
    ),
)
SETTING = Setting(RECORDS_DESK, healthy_rollout)
