"""The healthy run that stories start from: ``records_desk``, sums over invented records, found with tools.

A task passes in each repeat with its own chance q ~ Beta(3, 1), whatever its category and source. A rollout that
does not pass followed the same steps and got the sum wrong. Busy tools, further searches and notes that are read
happen to passing and failing rollouts alike.
"""

import json
from typing import Any

from blade_pipeline.example.benchmark import Answer, Benchmark, Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.story import Rollout

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


def call_items(number: int, tool: str, arguments: Json, result: Any) -> list[Json]:
    """The two output items of a tool call: the call and what came back."""
    call_id = f"call-{number}"
    call = {"type": "function_call", "id": f"fc-{number}", "call_id": call_id, "name": tool}
    return [
        call | {"arguments": json.dumps(arguments), "status": "completed"},
        {"type": "function_call_output", "id": None, "call_id": call_id, "output": json.dumps(result)},
    ]


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


def _no_answer(_draws: Draws, _task: Task, _mode: str | None) -> Answer:
    raise NotImplementedError("a story writes whole rollouts")


def _tool(name: str, description: str, /, **kinds: str) -> Json:
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "name": name, "description": description, "parameters": parameters}


RECORDS_DESK = Benchmark(
    name="records_desk",
    layout="plain",
    plants="nothing",
    difficulty=(3, 1),
    modes={category: {} for category in CATEGORIES},
    temperature=0.7,
    top_p=0.95,
    max_output_tokens=4096,
    max_turns=30,
    system="You work at a records desk. Check a total before you name it.",
    tools=[
        _tool("search_records", "Finds records of a person.", name="string", kind="string", month="string"),
        _tool("open_record", "Shows a record.", id="string"),
        _tool("read_notes", "Notes beside a record.", id="string"),
        _tool("add_up", "Adds numbers.", numbers="array"),
        _tool("check_total", "Says whether a total is plausible.", total="integer"),
    ],
    judge=None,
    unverified={},
    dataset_id="records_desk_v1",
    write_task=_write_task,
    write_answer=_no_answer,
)
