"""Where two trajectories of one task first part, and where they meet again."""

import json
from difflib import SequenceMatcher
from typing import Any

Step = list[Any]

ALIGNED = 100
"""Steps from where two trajectories part in which it is sought where they meet again."""

_KINDS = {
    "message": "writes a message",
    "reasoning": "reasons",
    "model_call": "calls the model",
    "omitted": "goes on beyond the recorded steps",
}


def first_difference(passing: dict[str, Any], failing: dict[str, Any]) -> tuple[str, int | None]:
    """A sentence on the first step in which two rollouts differ, and its 1-based number.

    Steps are compared by kind and tool, then by whether they look like an error; only where all of them agree, by
    size. From where they part the next 100 steps of both are aligned (difflib): what only one of them takes before
    they go on alike was left out by the other. The number is null when nothing in the steps differs or none are
    recorded.
    """
    if passing["response_digest"] is not None and passing["response_digest"] == failing["response_digest"]:
        return "The two outputs are identical: the verdict differs, not the trajectory.", None
    a, b = _steps(passing["steps"]), _steps(failing["steps"])
    if not a and not b:
        return "No trajectory is recorded for either rollout.", None
    for number, (left, right) in enumerate(zip(a, b, strict=False), start=1):
        if left[:2] != right[:2]:
            return _parting_sentence(number, a[number - 1 :], b[number - 1 :]), number
        if left[4] != right[4]:
            return _error_sentence(number, left), number
    if len(a) != len(b):
        return _length_sentence(a, b), min(len(a), len(b)) + 1
    return _size_sentence(passing, failing, a, b)


def _steps(text: str | None) -> list[Step]:
    return json.loads(text) if text else []


def _act(step: Step) -> str:
    kind, name = step[0], step[1]
    if kind == "tool_call":
        return f"calls {_named(name)}"
    if kind == "tool_output":
        return f"gets the output of {_named(name)}" + (" with an error" if step[4] else "")
    if kind == "message" and name not in (None, "assistant"):
        return f"gets a {name} message"
    return _KINDS.get(kind, f"does a step of kind {kind}")


def _named(name: str | None) -> str:
    return f"the tool `{name}`" if name else "a tool"


def _parting_sentence(number: int, passing: list[Step], failing: list[Step]) -> str:
    """What the two do from a step on that is another in each, until they go on alike."""
    only_passing, only_failing = _until_alike(passing, failing)
    if only_passing and only_failing:
        return f"At step {number} the passing rollout {_act(passing[0])}, the failing one {_act(failing[0])}."
    sides = ("passing", passing), ("failing", failing)
    (takes, own), (leaves, other) = sides if only_passing else sides[::-1]
    extra = only_passing or only_failing
    steps = "a step" if extra == 1 else f"the first of {extra} steps"
    return (
        f"At step {number} the {takes} rollout {_act(own[0])}, {steps} that the {leaves} one leaves out; then both "
        f"{_both(other[0])}."
    )


def _until_alike(passing: list[Step], failing: list[Step]) -> tuple[int, int]:
    """Steps that each takes alone before the first that both take; all of them where there is none."""
    a, b = ([tuple(step[:2]) for step in steps[:ALIGNED]] for steps in (passing, failing))
    first = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()[0]
    return first.a, first.b


def _error_sentence(number: int, left: Step) -> str:
    wrong = "passing" if left[4] else "failing"
    return f"At step {number} both {_verb(left)}; only in the {wrong} rollout does it look like an error."


def _verb(step: Step) -> str:
    name = _named(step[1])
    known = {"tool_output": f"get the output of {name}", "tool_call": f"call {name}"}
    return known.get(step[0], f"take a {step[0]} step")


def _both(step: Step) -> str:
    """What two rollouts do alike."""
    if step[0] == "message":
        return "write a message" if step[1] in (None, "assistant") else f"get a {step[1]} message"
    return {"reasoning": "reason", "model_call": "call the model"}.get(step[0], _verb(step))


def _length_sentence(a: list[Step], b: list[Step]) -> str:
    shared = min(len(a), len(b))
    longer, shorter = ("passing", "failing") if len(a) > len(b) else ("failing", "passing")
    rest = (a if len(a) > len(b) else b)[shared:]
    start = f"Both take the same first {shared} steps; then" if shared else "Without a shared step,"
    return f"{start} the {shorter} rollout ends and the {longer} one {_act(rest[0])} ({len(rest)} more steps)."


def _size_sentence(
    passing: dict[str, Any], failing: dict[str, Any], a: list[Step], b: list[Step]
) -> tuple[str, int | None]:
    same = passing["answer_digest"] is not None and passing["answer_digest"] == failing["answer_digest"]
    steps = f"Both take the same {len(a)} steps (kinds and tools)" if len(a) > 1 else "Both take the same single step"
    if same:
        return f"{steps} and end on the same final answer.", None
    for number, (left, right) in enumerate(zip(a, b, strict=True), start=1):
        if left[2] != right[2]:
            sizes = f"holds {left[2]} characters when passing and {right[2]} when failing"
            return f"{steps}; step {number} {sizes}.", number
    return f"{steps} of the same sizes; only their text differs.", None
