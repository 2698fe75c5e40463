"""The ordered checks that come before any talk of a better model: same, different or unknown, never guessed.

Order: code, benchmark, method. A difference in a blocking check makes two runs incomparable, unless it belongs to
the factor under study. Unknown is never same.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from blade_pipeline.method.comparison.pairing import Pairing
from blade_pipeline.method.comparison.side import Side


@dataclass(frozen=True)
class Comparable:
    """One manifest value held against the other run's."""

    key: str
    group: str
    blocking: bool
    label: str


COMPARABLES = (
    Comparable("scoring_commit", "code", True, "the Gym commit that scored the run"),
    Comparable("driver_container", "code", True, "the driver container"),
    Comparable("gym_version", "code", False, "the Gym version"),
    Comparable("image", "code", False, "the serving image"),
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
    "judge": frozenset({"judge"}),
    "tools": frozenset({"tools"}),
    "code": frozenset({"scoring_commit", "driver_container", "gym_version", "image"}),
}
"""The checks that each factor under study turns from blocking into reported."""

ORDER = ("code", "benchmark", "method", "accounting", "noise")

Check = dict[str, Any]


def ordered_checks(a: Side, b: Side, pairing: Pairing, varying: str) -> list[Check]:
    """The checks of code, benchmark and method, in the order in which they decide."""
    studied = STUDIED[varying]
    checks = [*_task_checks(a, b, pairing), *(_manifest_check(a, b, item) for item in COMPARABLES)]
    for check in checks:
        if check["id"] in studied:
            check["blocking"] = False
            check["note"] = f"the factor under study ({varying})"
        elif varying != "model" and check["id"] == "model":
            check["blocking"] = True
    return sorted(checks, key=lambda check: ORDER.index(check["group"]))


def first_blocking(checks: Iterable[Check]) -> Check | None:
    """The first blocking check that differs."""
    return next((check for check in checks if check["blocking"] and check["status"] == "different"), None)


def conditions(checks: Iterable[Check]) -> list[str]:
    """Ids of the blocking checks that nobody could carry out: the verdict holds provided that they are the same."""
    return [check["id"] for check in checks if check["blocking"] and check["status"] == "unknown"]


def check(identity: str, group: str, status: str, **rest: Any) -> Check:
    """One check as the published document holds it."""
    filled = {
        "a": None,
        "b": None,
        "source_a": None,
        "source_b": None,
        "blocking": True,
        "note": None,
        "label": identity,
    }
    return {"id": identity, "group": group, "status": status} | filled | rest


def status_of(a: Any, b: Any) -> str:
    """Same, different, or unknown where a side has no value."""
    if a is None or b is None:
        return "unknown"
    return "same" if a == b else "different"


def _manifest_check(a: Side, b: Side, item: Comparable) -> Check:
    if item.key == "harness" and None in (a.value("harness"), b.value("harness")):
        by_name = _manifest_check(a, b, replace(item, key="agent"))
        return by_name | {"id": "harness", "note": "by the agent's name, since a config does not name the harness"}
    left, right = a.value(item.key), b.value(item.key)
    return check(
        item.key,
        item.group,
        _commit_status(left, right) if item.key == "scoring_commit" else status_of(left, right),
        a=left,
        b=right,
        source_a=a.source(item.key),
        source_b=b.source(item.key),
        blocking=item.blocking,
        label=item.label,
        note=_dirty_note(left, right) if item.key == "scoring_commit" else None,
    )


def _commit_status(a: Any, b: Any) -> str:
    status = status_of(a, b)
    return "unknown" if status == "same" and _dirty_note(a, b) else status


def _dirty_note(a: Any, b: Any) -> str | None:
    if any(str(value).endswith("-dirty") for value in (a, b) if value is not None):
        return "a -dirty commit holds changes that nobody can look up, so equal names are not equal code"
    return None


def _task_checks(a: Side, b: Side, pairing: Pairing) -> list[Check]:
    return [
        _content_check(a, b, "task_set", "pair_digest", "the task set", (_set_status(pairing), _set_note(pairing))),
        _content_check(a, b, "prompts", "prompt_digest", "the tasks' prompts", _content(pairing, pairing.changed)),
        _content_check(a, b, "expected_answers", "answer_key_digest", "the expected answers",
                       _content(pairing, pairing.changed_answers)),
    ]  # fmt: skip


def _content_check(a: Side, b: Side, identity: str, column: str, label: str, found: tuple[str, str | None]) -> Check:
    status, note = found
    sides = {name: _summary(side.per_task, column) for name, side in (("a", a), ("b", b))}
    sources = {f"source_{name}": _content_source(side.per_task) for name, side in (("a", a), ("b", b))}
    return check(identity, "benchmark", status, **sides, **sources, label=label, note=note)


def _summary(per_task: pa.Table, column: str) -> str:
    """How many tasks, and one digest over their contents whatever their order."""
    digests = sorted(digest or "unknown" for digest in per_task[column].to_pylist())
    together = hashlib.sha256("\n".join(digests).encode()).hexdigest()[:12]
    return f"{_tasks(len(digests))}, digest {together}"


def _content_source(per_task: pa.Table) -> str:
    kinds = {(digest or "nothing").split(":")[0] for digest in per_task["pair_digest"].to_pylist()}
    names = {"inputs": "materialized inputs", "rows": "the rows themselves", "nothing": "no content found"}
    return ", ".join(sorted(names[kind] for kind in kinds)) or "no task"


def _set_status(pairing: Pairing) -> str:
    if pairing.method == "index":
        return "unknown"
    if pairing.method == "none":
        return "different" if pairing.only_a and pairing.only_b else "unknown"
    return "different" if pairing.only_a or pairing.only_b else "same"


def _content(pairing: Pairing, changed: list[str]) -> tuple[str, str | None]:
    """Status of the contents under equal indices, and what changed."""
    if changed:
        return "different", f"{_tasks(len(changed))} under one index differ"
    return ("same" if pairing.method in ("content", "prompt") else "unknown"), None


def _set_note(pairing: Pairing) -> str:
    common = len(pairing.a)
    note = f"{_tasks(common)} pair{'s' * (common == 1)} by {pairing.method}" if common else "no task pairs"
    note += f", {pairing.only_a} stand only in the first run and {pairing.only_b} only in the second"
    if pairing.changed:
        note += f"; {_tasks(len(pairing.changed))} under one index differ in content: the benchmark changed"
    return note


def _tasks(count: int) -> str:
    return f"{count} task{'s' * (count != 1)}"
