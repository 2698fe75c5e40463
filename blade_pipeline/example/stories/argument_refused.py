"""A tool that fails for one kind of argument, after which most rollouts stop: ``flight_desk``, bookings to change."""

from collections.abc import Callable

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark, text_call_items, tool
from blade_pipeline.example.stories.story import Rollout, Setting, Statement, Story, keys, share, values

STOPPING = (50, 85)
"""Least and greatest percentage of the slice's passing rollouts that stop after the error; the others try again."""
SLOW = 0.15
"""Chance that a booking is looked up twice because the first look-up was slow."""

_FARES = ("basic", "standard", "flex", "business")
_TRIPS = ("one_way", "return", "multi_city")
_PLACES = ("ALM", "BRO", "CEV", "DUN", "ESK", "FOR", "GRI")
_STEPS = ("find_booking", "get_fare_rules", "search_flights", "change_booking")
_ERRORS: dict[str, Callable[[Draws], str]] = {
    "get_fare_rules": lambda draws: f"Error: TypeError: unhashable type 'list' in fare rule {draws.between(10, 99)}",
    "search_flights": lambda draws: f"Error: TypeError: fare filter {draws.between(10, 99)} must be str, not list",
}
_STOPS = (
    "I am sorry, the system does not let me go on with this booking. Please call the desk.",
    "Unfortunately a tool failed, so the change could not be made. Is there anything else?",
)


def _write_task(draws: Draws, index: int, base: float) -> Task:
    fare, trip = _FARES[index % len(_FARES)], draws.choice(_TRIPS)
    start, end = draws.shuffled(_PLACES)[:2]
    code, day = f"B{draws.between(1000, 9999)}", draws.between(2, 28)
    question = f"Please move my {fare} booking {code} from {start} to {end} to the cheapest flight on May {day}."
    fields = {"task_id": f"flight_{index}", "fare": fare, "trip_type": trip}
    return Task(index, base, fare, question, fields, {"code": code, "from": start, "to": end, "day": day})


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    steps = [*(["find_booking"] if draws.uniform() < SLOW else []), *_STEPS]
    flight = draws.between(100, 499)
    chosen = flight if passed else draws.between(500, 999)
    output: list[Json] = []
    for number, name in enumerate(steps, start=1):
        output += text_call_items(number, name, *_call(task, name, flight, chosen))
    output.append(message(f"Your booking is now on flight {chosen}. Have a good trip!", 99))
    return Rollout(task, repeat, passed, output, _verdict(task, passed=passed), thinking=draws.between(60, 300))


def _call(task: Task, name: str, flight: int, chosen: int) -> tuple[Json, str]:
    facts = task.facts
    if name == "find_booking":
        return {"code": facts["code"]}, f"booking {facts['code']}, {facts['from']}-{facts['to']}, {task.category}"
    if name == "get_fare_rules":
        return {"fare": task.category}, "changes are free until the day before"
    if name == "search_flights":
        asked = {"from": facts["from"], "to": facts["to"], "day": facts["day"], "fare": task.category}
        return asked, f"flights: {flight}, {flight + 500}"
    return {"code": facts["code"], "flight": chosen}, f"booking {facts['code']} changed to {chosen}"


def _verdict(task: Task, *, passed: bool) -> Json:
    """Fields as a simulated desk leaves them: the database is compared with the one that was wanted."""
    info = {"db_check": {"db_match": passed, "db_reward": float(passed)}, "nl_assertions": None}
    return {**task.fields, "reward_info": info, "termination_reason": "user_stop"}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    fare = draws.choice(values(rollouts, "fare"))
    failing_tool = draws.choice(list(_ERRORS))
    part = share(draws, *STOPPING)
    stopped = []
    for rollout in (rollout for rollout in rollouts if rollout.task.fields["fare"] == fare):
        stops = rollout.passed and draws.uniform() < part
        _run_into(draws, rollout, failing_tool, stops=stops)
        if stops:
            stopped.append(rollout)
    left_out = _STEPS[_STEPS.index(failing_tool) + 1 :]
    return [
        Statement("mode", {}, keys(stopped)),
        Statement("concentration", {"field": "fare", "value": fare}, keys(stopped)),
        *(Statement("skipped_tool", {"tool": name}, keys(stopped)) for name in left_out),
    ]


def _run_into(draws: Draws, rollout: Rollout, name: str, *, stops: bool) -> None:
    at = next(n for n, item in enumerate(rollout.output) if item.get("name") == name)
    facts = rollout.task.facts
    asked: Json = {"code": facts["code"], "fare": [rollout.task.category]}
    error = text_call_items(50, name, asked, _ERRORS[name](draws))
    if not stops:
        rollout.output[at:at] = error
        return
    rollout.passed = False
    rollout.output = [*rollout.output[:at], *error, message(draws.choice(_STOPS), 99)]
    rollout.verifier |= _verdict(rollout.task, passed=False) | {"termination_reason": "agent_stop"}


_TOOLS = (
    tool("find_booking", "Shows a booking.", code="string"),
    tool("get_fare_rules", "Says what a fare allows.", fare="string"),
    tool(
        "search_flights", "Finds flights of a day.", day="integer", fare="string", **{"from": "string", "to": "string"}
    ),
    tool("change_booking", "Moves a booking to another flight.", code="string", flight="integer"),
)
_SYSTEM = "You work at a flight desk. Keep to the fare rules."
STORY = Story(
    "argument-refused",
    "a tool fails for one kind of argument, and rollouts stop at the error",
    _plant,
    Setting(story_benchmark("flight_desk", _FARES, _SYSTEM, _write_task, tools=_TOOLS), _healthy),
)
