"""The ordered checks that come before any talk of a better model.

Order: code, benchmark, method. A difference in a blocking check makes two runs incomparable, unless it belongs to
the factor under study. Unknown is never same.
"""

from dataclasses import replace
from typing import Any

from blade_pipeline.gym.evidence import DISAGREE
from blade_pipeline.method.comparison.check import ORDER, Check, Comparable, check, status_of
from blade_pipeline.method.comparison.code import code_checks
from blade_pipeline.method.comparison.contents import task_checks
from blade_pipeline.method.comparison.mixed import mixed_check
from blade_pipeline.method.comparison.pairing import Pairing
from blade_pipeline.method.comparison.settings import settings_status
from blade_pipeline.method.comparison.side import Side

COMPARABLES = (
    Comparable("dataset", "benchmark", False, "the dataset file"),
    Comparable("split", "benchmark", False, "the split"),
    Comparable("limit", "benchmark", False, "the task limit"),
    Comparable("prompt_config", "benchmark", False, "the prompt configuration"),
    Comparable("model", "method", False, "the model"),
    Comparable("checkpoint", "method", False, "the checkpoint"),
    Comparable("precision", "method", False, "the precision"),
    Comparable("temperature", "method", True, "the temperature"),
    Comparable("top_p", "method", True, "top_p"),
    Comparable("max_output_tokens", "method", True, "the output limit"),
    Comparable("context_limit", "method", True, "the context limit"),
    Comparable("reasoning_effort", "method", True, "the reasoning mode"),
    Comparable("chat_template", "method", True, "the chat template"),
    Comparable("system_prompt", "method", True, "the system prompt"),
    Comparable("judge", "method", True, "the judge"),
    Comparable("judge_prompt", "method", True, "the judge's prompt"),
    Comparable("judge_sampling", "method", True, "the judge's sampling"),
    Comparable("tools", "method", True, "the tools offered"),
    Comparable("harness", "method", True, "the agent harness"),
    Comparable("user_simulator", "method", True, "the user simulator"),
    Comparable("timeout", "method", False, "the timeout"),
    Comparable("max_turns", "method", False, "the turn limit"),
    Comparable("repeats", "method", False, "the number of repeats"),
    Comparable("serving_engine", "method", False, "the serving engine"),
    Comparable("serving_version", "method", False, "the serving version"),
    Comparable("reasoning_parser", "method", False, "the reasoning parser"),
    Comparable("tool_call_parser", "method", False, "the tool-call parser"),
    Comparable("parallelism", "method", False, "the parallelism"),
    Comparable("gpu_type", "method", False, "the GPU type"),
)

STUDIED = {
    "model": frozenset({"model", "checkpoint", "precision"}),
    "harness": frozenset({"harness", "tools", "system_prompt", "max_turns", "timeout"}),
    "prompt": frozenset({"system_prompt", "chat_template", "prompt_config", "task_set", "prompts"}),
    "sampling": frozenset({"temperature", "top_p", "max_output_tokens", "context_limit", "reasoning_effort"}),
    "judge": frozenset({"judge", "judge_prompt", "judge_sampling"}),
    "tools": frozenset({"tools"}),
    "code": frozenset({"scoring_commit", "submitter_commit", "driver_container", "gym_version", "image"}),
}
"""The checks that each factor under study turns from blocking into reported."""

DECIDING = STUDIED["model"] | {"max_turns", "timeout"}
"""Checks outside the factor under study that block where they differ, and are no condition where they are unknown."""


def ordered_checks(a: Side, b: Side, pairing: Pairing, varying: str, *, mix_is_meant: bool = False) -> list[Check]:
    """The checks of code, benchmark and method, in the order in which they decide.

    ``mix_is_meant``: runs of several models may be compared, since somebody said that the mix is no accident.
    """
    studied = STUDIED[varying]
    manifest = [_manifest_check(a, b, item) for item in COMPARABLES]
    mixed = mixed_check(a, b, blocks=varying == "model" and not mix_is_meant)
    checks = [*code_checks(a, b), *task_checks(a, b, pairing), mixed, *manifest]
    for found in checks:
        if found["id"] in studied:
            found["blocking"] = False
            found["note"] = found["note"] or f"the factor under study ({varying})"
        elif found["id"] == "model" or (found["id"] in DECIDING and found["status"] == "different"):
            found["blocking"] = True
    return sorted(checks, key=lambda found: ORDER.index(found["group"]))


def factor_of(identity: str) -> str | None:
    """The factor whose study would turn this check from blocking into reported."""
    return next((factor for factor, members in reversed(STUDIED.items()) if identity in members), None)


def _mixed_apart(a: Side, b: Side, key: str) -> bool:
    """Whether one run made a larger share of its rows under values that the other lacks than the other lost."""
    return _foreign(a, b, key) or _foreign(b, a, key)


def _foreign(mixed: Side, other: Side, key: str) -> bool:
    several = mixed.several(key)
    if not several:
        return False
    known = other.several(key) or {other.value(key): 0}
    if None in known:
        return False
    foreign = sum(rows for value, rows in several.items() if value not in known) / sum(several.values())
    return foreign > 1 - (other.coverage["coverage"] or 0.0)


def _spoken(side: Side, key: str) -> Any:
    """The run's value, or its several values with the rows that hold each."""
    return (side.source(key) or "").removeprefix(DISAGREE) if side.value(key) is None else side.value(key)


def _manifest_check(a: Side, b: Side, item: Comparable) -> Check:
    if item.key == "harness" and None in (a.value("harness"), b.value("harness")):
        by_name = _manifest_check(a, b, replace(item, key="agent"))
        return by_name | {"id": "harness", "note": "by the agent's name, since a config does not name the harness"}
    left, right = a.value(item.key), b.value(item.key)
    status, note = settings_status(left, right) or (status_of(left, right), None)
    if None in (left, right) and _mixed_apart(a, b, item.key):
        status, left, right = "different", _spoken(a, item.key), _spoken(b, item.key)
    return check(
        item.key,
        item.group,
        status,
        a=left,
        b=right,
        source_a=a.source(item.key),
        source_b=b.source(item.key),
        blocking=item.blocking,
        label=item.label,
        note=note or (_role_note(a, b) if item.key == "system_prompt" and status == "same" else None),
    )


def _role_note(a: Side, b: Side) -> str | None:
    """What to say where one text is given in two roles."""
    left, right = a.value("system_role"), b.value("system_role")
    if status_of(left, right) != "different":
        return None
    return f"the same text, given as {left} in {a.run} and as {right} in {b.run}"
