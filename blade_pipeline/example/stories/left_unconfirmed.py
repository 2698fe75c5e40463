"""Dialogues that end without a step: ``care_line``, a member line with a simulated caller and five tools.

A second thing is planted beside it, as runs seldom have one trouble alone: some dialogues are cut before their end.
"""

import json

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark, text_call_items, tool
from blade_pipeline.example.stories.story import Rollout, Setting, Statement, Story, drawn, keys, passing, share

TOOLS = ("check_policy", "read_back")
"""The step that is left out is a call of one of these."""
FAILING = (20, 45)
"""Least and greatest percentage of the passing rollouts that leave it out and fail."""
PASSING = 0.05
"""Share of the others that leave it out and pass all the same."""
CUT = (4, 10)
"""Least and greatest percentage of the rollouts that are cut at a limit."""
MISHEARD, NOTED = 0.15, 0.35
"""Chances that a member number is misheard at first, and that the agent leaves a note that nobody needs."""

_REQUESTS = ("address", "plan", "payment", "cancel", "dependant")
_PERSONAS = ("in a hurry", "talkative", "unsure of the date", "calls from abroad")
_LANGUAGES = ("en", "es", "pt")
_HEARD = {"en": "Thanks, that is right.", "es": "Gracias, así es.", "pt": "Obrigado, está certo."}
_BYE = {"en": "Your change is made. Goodbye!", "es": "El cambio está hecho. ¡Adiós!", "pt": "Está feito. Adeus!"}
_HALF = {"en": "Before I go on, I want to", "es": "Antes de seguir, quiero", "pt": "Antes de continuar, quero"}


def _write_task(draws: Draws, index: int, base: float) -> Task:
    request, language = _REQUESTS[index % len(_REQUESTS)], draws.choice(_LANGUAGES)
    member, month = f"M{draws.between(10_000, 99_999)}", draws.between(1, 12)
    question = f"[{language}] Member {member} asks for a change of {request} from month {month} on."
    scenario = {"persona": draws.choice(_PERSONAS), "known_info": {"member": member, "month": month}}
    fields: Json = {"task_id": index, "request": request, "language": language, "has_dependants": index % 7 < 3}
    return Task(index, base, request, question, fields | {"user_scenario": scenario}, {"member": member})


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    member, request = task.facts["member"], task.category
    changed: Json = {"member": member, "set": {request: f"v{draws.between(2, 9) if passed else draws.between(10, 40)}"}}
    steps: list[tuple[str, Json, Json]] = []
    if draws.uniform() < MISHEARD:
        steps.append(("find_member", {"member": f"{member[:-1]}?"}, {"error": "no such member, check the number"}))
    steps += [
        ("find_member", {"member": member}, {"member": member, "active": True}),
        ("check_policy", {"request": request}, {"allowed": True, "notice_days": draws.between(0, 30)}),
        ("update_record", changed, {"updated": [request]}),
        ("read_back", {"record": changed["set"]}, {"caller": "confirmed"}),
    ]
    if draws.uniform() < NOTED:
        steps.append(("leave_note", {"text": "caller was friendly"}, {"saved": True}))
    output = _dialogue(task, steps)
    verifier = _verdict(draws, task, passed, {"policy": True, "confirmation": True}, len(steps))
    return Rollout(task, repeat, passed, output, verifier, thinking=draws.between(80, 500))


def _dialogue(task: Task, steps: list[tuple[str, Json, Json]]) -> list[Json]:
    language = task.fields["language"]
    items: list[Json] = []
    for number, (name, arguments, result) in enumerate(steps, start=1):
        items += text_call_items(number, name, arguments, json.dumps(result))
        if name in ("find_member", "update_record"):
            items.append({"type": "message", "role": "user", "content": _HEARD[language]})
    return [*items, message(_BYE[language], 99)]


def _verdict(draws: Draws, task: Task, matches: bool, checks: dict[str, bool], turns: int) -> Json:
    """Fields as a simulated line leaves them: the database, and which steps the guide asks for were seen."""
    info: Json = {"db_match": matches, "checks": checks, "communicate": None}
    ended = {"termination_reason": "user_stop", "context_length_exceeded_error": 0}
    return {**task.fields, "reward_info": info, **ended, "num_turns": turns, "latency_s": draws.between(90, 900) / 10}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    name, shown = draws.choice(TOOLS), draws.uniform() < 0.5
    by_context = draws.uniform() < 0.5
    cut = drawn(draws, rollouts, share(draws, *CUT))
    gone = set(keys(cut))
    left = [rollout for rollout in passing(rollouts) if rollout.key not in gone]
    chosen = drawn(draws, left, share(draws, *FAILING))
    failing = set(keys(chosen))
    for rollout in (*chosen, *drawn(draws, (r for r in left if r.key not in failing), PASSING)):
        rollout.without(name)
        rollout.verifier["num_turns"] -= 1
    for rollout in chosen:
        rollout.passed = False
        info = rollout.verifier["reward_info"]
        checks = {"policy": name != "check_policy", "confirmation": name != "read_back"} if shown else None
        rollout.verifier |= {"reward_info": info | {"checks": checks}}
    if not shown:
        for rollout in rollouts:
            rollout.verifier["reward_info"]["checks"] = None
    for rollout in cut:
        _cut(draws, rollout, by_context=by_context)
    planted = [Statement("skipped_tool", {"tool": name}, keys(chosen))]
    return [*planted, Statement("truncation", {}, keys(cut))] if cut else planted


def _cut(draws: Draws, rollout: Rollout, *, by_context: bool) -> None:
    kept = draws.between(1, 3)
    ends = [n for n, item in enumerate(rollout.output) if item["type"] == "function_call_output"]
    half = message(_HALF[rollout.task.fields["language"]], 99, "incomplete")
    rollout.passed = False
    rollout.output = [*rollout.output[: ends[kept - 1] + 1], half]
    info = rollout.verifier["reward_info"] | {"db_match": False, "checks": None}
    rollout.verifier |= {"reward_info": info, "num_turns": kept}
    if by_context:
        rollout.verifier |= {"context_length_exceeded_error": 1, "termination_reason": "context_limit"}
    else:
        rollout.incomplete = "max_output_tokens"
        rollout.verifier |= {"termination_reason": "agent_stop"}


_TOOLS = (
    tool("find_member", "Shows a member.", member="string"),
    tool("check_policy", "Says whether a request is allowed.", request="string"),
    tool("update_record", "Changes a record.", member="string", set="object"),
    tool("read_back", "Reads a record to the caller, who confirms it.", record="object"),
    tool("leave_note", "Leaves a note for colleagues.", text="string"),
)
_SYSTEM = "You answer a member line. Check the policy before a change, and read the record back after it."
STORY = Story(
    "left-unconfirmed",
    "dialogues end without a step that the guide asks for, and some are cut",
    _plant,
    Setting(story_benchmark("care_line", _REQUESTS, _SYSTEM, _write_task, tools=_TOOLS), _healthy),
)
