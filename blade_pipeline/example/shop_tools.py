"""The benchmark ``shop_tools``: orders in an invented shop, placed with tool calls and checked by assertions."""

import json
from typing import Any

from blade_pipeline.example.benchmark import Answer, Benchmark, Json, Task, difficulty_label, message
from blade_pipeline.example.draws import Draws

MAX_TURNS = 6
EARLY_COUPON = 0.3
"""Chance that a rollout that succeeds on a coupon task also tries the coupon too early, and then repeats it."""

UNSEEN_DECOY = 0.5
"""Chance that a rollout that orders the wrong item has not even looked at it."""

_USUAL = {"wrong_item": 0.45, "max_turns": 0.25, "gave_up": 0.2, "truncated": 0.1}
_MODES = {
    "single_item": _USUAL,
    "bulk_order": _USUAL,
    "coupon": {"wrong_item": 0.1, "coupon_not_applied": 0.7, "max_turns": 0.1, "gave_up": 0.1},
    "stock_check": _USUAL,
}
_COLOURS = ("blue", "green", "amber", "grey", "white", "red")
_GOODS = ("teapot", "oak tray", "lantern", "wool blanket", "clay bowl", "garden stool", "wall clock", "cedar box")
_COUPON = "SPRING10"
_THINKING = (60, 300)

_NO_ORDER = "AssertionError: no order was placed"


def _write_task(draws: Draws, index: int, base: float) -> Task:
    category = list(_MODES)[index % len(_MODES)]
    goods, colour = draws.choice(_GOODS), draws.choice(_COLOURS)
    decoy = draws.choice([other for other in _COLOURS if other != colour])
    price, number = 10 * draws.between(1, 9), draws.between(100, 899)
    quantity = draws.between(6, 12) if category == "bulk_order" else draws.between(1, 4)
    name = f"{colour} {goods}"
    total = quantity * price
    if category == "coupon":
        total -= total // 10
    return Task(
        index=index,
        base=base,
        category=category,
        question=_question(category, name, quantity),
        fields={
            "instance_id": f"shop-{index:04d}",
            "category": category,
            "difficulty": difficulty_label(base),
            "expected_order": {"item": f"I-{number}", "quantity": quantity, "total": total},
        },
        facts={"name": name, "item": f"I-{number}", "price": price, "quantity": quantity, "total": total}
        | {"decoy": f"I-{number + 1}", "decoy_name": f"{decoy} {goods}", "decoy_price": price + 10},
    )


def _question(category: str, name: str, quantity: int) -> str:
    order = f"Please order {quantity} of the item '{name}'."
    if category == "coupon":
        return f"{order} Use the coupon {_COUPON}."
    if category == "stock_check":
        return f"{order} Make sure first that this many are in stock."
    return order


class _Trace:
    """Collects the output items of one rollout."""

    def __init__(self, facts: Json) -> None:
        self.facts = facts
        self.items: list[Json] = []
        self.turns = 0

    def call(self, name: str, arguments: Json, result: Any) -> None:
        self.turns += 1
        call_id = f"call-{self.turns}"
        self.items += [
            {"type": "function_call", "id": f"fc-{self.turns}", "call_id": call_id, "name": name}
            | {"arguments": json.dumps(arguments), "status": "completed"},
            {"type": "function_call_output", "id": None, "call_id": call_id, "output": json.dumps(result)},
        ]

    def say(self, text: str, status: str = "completed") -> None:
        self.turns += 1
        self.items.append(message(text, self.turns, status))

    def search(self, query: str) -> None:
        facts = self.facts
        found = [{"id": facts["decoy"], "name": facts["decoy_name"]}, {"id": facts["item"], "name": facts["name"]}]
        self.call("search_items", {"query": query}, {"items": found})

    def look_at(self, which: str) -> None:
        """Look at the ``item`` or at its ``decoy``."""
        facts = self.facts
        name, price = ("name", "price") if which == "item" else ("decoy_name", "decoy_price")
        details = {"name": facts[name], "price": facts[price], "stock": facts["quantity"] + 3}
        self.call("get_item", {"id": facts[which]}, details)

    def add(self, item: str, price: int) -> None:
        quantity = self.facts["quantity"]
        self.call("add_to_cart", {"id": item, "quantity": quantity}, {"cart_total": quantity * price})

    def coupon(self, total: int | None) -> None:
        result = {"error": "the cart is empty"} if total is None else {"cart_total": total}
        self.call("apply_coupon", {"code": _COUPON}, result)

    def order(self, total: int) -> None:
        self.call("place_order", {}, {"order": "placed", "total": total})
        self.say(f"The order is placed; its total is {total} crowns.")


def _write_answer(draws: Draws, task: Task, mode: str | None) -> Answer:
    trace = _Trace(task.facts)
    thinking = draws.between(*_THINKING)
    said, passed = _WRITERS[mode or "resolved"](draws, task, trace)
    reason = "max_turns" if mode == "max_turns" else "completed"
    verifier = {
        "instance_id": task.fields["instance_id"],
        "category": task.category,
        "difficulty": task.fields["difficulty"],
        "resolved": mode is None,
        "assertions_passed": passed,
        "assertions_total": 3,
        "verifier_message": said,
        "turns_used": trace.turns,
        "termination_reason": reason,
        "finished_naturally": reason == "completed" and mode != "truncated",
    }
    incomplete = "max_output_tokens" if mode == "truncated" else None
    return Answer(trace.items, verifier, trace.turns, incomplete, thinking)


def _resolved(draws: Draws, task: Task, trace: _Trace) -> tuple[str, int]:
    facts = task.facts
    trace.search(facts["name"])
    trace.look_at("item")
    early = task.category == "coupon" and draws.uniform() < EARLY_COUPON
    if early:
        trace.coupon(None)
    trace.add(facts["item"], facts["price"])
    if task.category == "coupon":
        trace.coupon(facts["total"])
    trace.order(facts["total"])
    return "all assertions hold", 3


def _wrong_item(draws: Draws, task: Task, trace: _Trace) -> tuple[str, int]:
    facts = task.facts
    trace.search(facts["name"])
    if draws.uniform() >= UNSEEN_DECOY:
        trace.look_at("decoy")
    trace.add(facts["decoy"], facts["decoy_price"])
    trace.order(facts["quantity"] * facts["decoy_price"])
    return f"AssertionError: the order holds {facts['decoy']}, expected {facts['item']}", 1


def _coupon_not_applied(_: Draws, task: Task, trace: _Trace) -> tuple[str, int]:
    facts = task.facts
    full = facts["quantity"] * facts["price"]
    trace.search(facts["name"])
    trace.look_at("item")
    trace.coupon(None)
    trace.add(facts["item"], facts["price"])
    trace.order(full)
    return f"AssertionError: order total is {full}, expected {facts['total']}", 2


def _max_turns(_: Draws, task: Task, trace: _Trace) -> tuple[str, int]:
    words = task.facts["name"].split()
    for turn in range(MAX_TURNS):
        trace.search(" ".join(words[turn % len(words) :]))
    return _NO_ORDER, 0


def _gave_up(_: Draws, task: Task, trace: _Trace) -> tuple[str, int]:
    trace.call("search_items", {"query": task.facts["name"]}, {"error": "the search is busy, try again"})
    trace.say("The search does not answer, so the order could not be placed.")
    return _NO_ORDER, 0


def _truncated(_: Draws, task: Task, trace: _Trace) -> tuple[str, int]:
    trace.search(task.facts["name"])
    trace.look_at("item")
    trace.add(task.facts["item"], task.facts["price"])
    trace.say("Before the order is placed, every item of the list is compared with the others, and then", "incomplete")
    return _NO_ORDER, 0


_WRITERS = {
    "resolved": _resolved,
    "wrong_item": _wrong_item,
    "coupon_not_applied": _coupon_not_applied,
    "max_turns": _max_turns,
    "gave_up": _gave_up,
    "truncated": _truncated,
}


def _tool(name: str, description: str, **kinds: str) -> Json:
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "name": name, "description": description, "parameters": parameters}


SHOP_TOOLS = Benchmark(
    name="shop_tools",
    layout="submit",
    plants="damage",
    difficulty=(1, 2),
    modes=_MODES,
    temperature=0.7,
    top_p=0.95,
    max_output_tokens=2048,
    max_turns=MAX_TURNS,
    system="You work in a shop. Look at an item before you order it.",
    tools=[
        _tool("search_items", "Finds items by name.", query="string"),
        _tool("get_item", "Price and stock of an item.", id="string"),
        _tool("add_to_cart", "Puts items into the cart.", id="string", quantity="integer"),
        _tool("apply_coupon", "Applies a coupon to the cart.", code="string"),
        _tool("place_order", "Orders what is in the cart."),
    ],
    judge=None,
    unverified={
        "resolved": False,
        "assertions_passed": 0,
        "verifier_message": "not verified: the session was lost",
        "termination_reason": "error",
        "finished_naturally": False,
    },
    dataset_id="shop_tools_v1",
    write_task=_write_task,
    write_answer=_write_answer,
)
