"""What the analysis says about one run, as claims that can be held against a planted truth."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from blade_pipeline.gym import discover
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.concentrations import stands_out
from blade_pipeline.method.contrasts import contrasts
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.failure_rules import FALLBACKS, RULES
from blade_pipeline.method.patterns import ENDS, GIVES_UP, IN_VAIN, LEAVES_OUT, STOPS, UNCHECKED, patterns
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.method.signals import signals
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import Analyzed, analyzed

Json = dict[str, Any]
Key = tuple[int, int]

_NO_CLAIM = {rule.code for rule in FALLBACKS}
_KINDS = {"limit": "truncation", "behaviour": "thrashing", "rejection": "verifier_conflict"}
_FAMILIES = {rule.code: rule.family for rule in RULES}
_NO_LABELS: Json = {"present": False, "file": None, "labels": []}


class Claim(NamedTuple):
    """``kind`` as in the truth; ``what`` is the failure mode, pattern or finding that says it."""

    kind: str
    what: str
    where: Json
    rollouts: frozenset[Key] = frozenset()


class Said(NamedTuple):
    """The claims about a run, its failed rollouts, and the cause proposed per task."""

    claims: list[Claim]
    failed: frozenset[Key]
    lost: dict[int, frozenset[Key]]
    labels: dict[int, str]


def said_of(folder: Path) -> Said:
    """Analyse the one run below a folder, without a profile, and collect what is said of it."""
    [run] = discover(folder).runs
    data = analyzed(run)
    buckets, _ = outcome_buckets(data.aligned, Profile())
    table, modes = failure_modes(data.aligned, Profile())
    seen = contrasts(data.aligned, buckets, table) | patterns(data.aligned, buckets, table)
    causes = root_causes(data.aligned, buckets, table, _NO_LABELS, Profile(), seen["patterns"])
    rollouts: dict[str, set[Key]] = {}
    for row in table.select(["task", "repeat", "mode"]).to_pylist():
        rollouts.setdefault(row["mode"], set()).add((int(row["task"]), int(row["repeat"])))
    claims = [*_modes(rollouts), *_slices(modes, rollouts), *_patterns(seen, data), *_outages(data)]
    lost: dict[int, set[Key]] = {}
    for row in data.aligned.select(["task", "repeat", "passed"]).to_pylist():
        if not row["passed"]:
            lost.setdefault(int(row["task"]), set()).add((int(row["task"]), int(row["repeat"])))
    return Said(
        claims,
        frozenset(key for keys in rollouts.values() for key in keys),
        {task: frozenset(keys) for task, keys in lost.items()},
        {int(entry["task"]): entry["label"] for entry in causes["labels"]},
    )


def _modes(rollouts: dict[str, set[Key]]) -> list[Claim]:
    """Every failure mode that names a symptom; the fallbacks say that none was found."""
    return [
        Claim(_kind(code), code, {}, frozenset(keys))
        for code, keys in sorted(rollouts.items())
        if code not in _NO_CLAIM
    ]


def _kind(code: str) -> str:
    return _KINDS.get(_FAMILIES.get(code, ""), "mode")


def _slices(modes: Json, rollouts: dict[str, set[Key]]) -> list[Claim]:
    """Every slice in which failure, or a mode, stands out as more frequent than elsewhere."""
    return [
        Claim("concentration", row["mode"], {"field": row["field"], "value": row["value"]}, _of(row["mode"], rollouts))
        for row in modes["slices"]
        if stands_out(row)
    ]


def _of(mode: str, rollouts: dict[str, set[Key]]) -> frozenset[Key]:
    return frozenset(rollouts.get(mode, ()))


_PATTERNS = {
    LEAVES_OUT: "skipped_tool",
    STOPS: "stopped_at_tool",
    GIVES_UP: "gave_up",
    IN_VAIN: "in_vain",
    UNCHECKED: "unchecked",
    ENDS: "ended_with",
}


def _patterns(seen: Json, data: Analyzed) -> list[Claim]:
    """Every pattern; those that describe what rollouts do speak of the failed rollouts that do it."""
    stopped = _stopped(data) if seen["patterns"] else {}
    return [
        Claim(
            _PATTERNS.get(row["pattern"], "pattern"),
            row["pattern"],
            {"tool": row["tool"]} if row["stop"] is None else {"stop": row["stop"]},
            frozenset(stopped.get(row["tool"], ())) if row["pattern"] == STOPS else _doing(row, data),
        )
        for row in seen["patterns"]
    ]


def _doing(pattern: Json, data: Analyzed) -> frozenset[Key]:
    """Failed measured rollouts of the whole run that do what a pattern of errors, checks or stop reasons says."""
    table = data.aligned.select(
        ["task", "repeat", "passed", "steps", "checked", "incomplete_reason", "response_status"]
    )
    return frozenset(
        (int(row["task"]), int(row["repeat"]))
        for row in table.to_pylist()
        if row["passed"] is False and _does(pattern, row)
    )


def _does(pattern: Json, row: Json) -> bool:
    if pattern["pattern"] == ENDS:
        return (row["incomplete_reason"] or row["response_status"]) == pattern["stop"]
    if pattern["pattern"] == UNCHECKED:
        return row["checked"] is False
    if pattern["pattern"] not in (GIVES_UP, IN_VAIN):
        return False
    tries = _tries(json.loads(row["steps"] or "[]"))
    again = [succeeded for called, succeeded in tries if called]
    if pattern["pattern"] == GIVES_UP:
        return bool(tries) and not again
    return bool(again) and not all(again)


def _tries(steps: list[list[Any]]) -> list[tuple[bool, bool]]:
    """Per tool that gave an error: whether it was called again, and whether that gave an answer without an error."""
    found = []
    for tool in {step[1] for step in steps if step[0] == "tool_output" and step[4]}:
        own = [step for step in steps if step[1] == tool]
        first = next(n for n, step in enumerate(own) if step[0] == "tool_output" and step[4])
        calls = [n for n, step in enumerate(own) if step[0] == "tool_call" and n > first]
        answers = [n for n, step in enumerate(own) if step[0] == "tool_output" and not step[4]]
        found.append((bool(calls), bool(calls) and any(n > calls[0] for n in answers)))
    return found


def _stopped(data: Analyzed) -> dict[str, set[Key]]:
    """Failed rollouts by the tool at whose error they stopped."""
    table = data.aligned.select(["task", "repeat", "passed"])
    found: dict[str, set[Key]] = {}
    for row, tool in zip(table.to_pylist(), signals(data.aligned)["stopped_at"].to_pylist(), strict=True):
        if tool is not None and row["passed"] is False:
            found.setdefault(tool, set()).add((int(row["task"]), int(row["repeat"])))
    return found


def _outages(data: Analyzed) -> list[Claim]:
    """Findings that blame a repeat, or a quarter of the run, by number."""
    kinds = {
        "an outage in one repeat": "repeat",
        "one repeat differs": "repeat",
        "an outage in one part of the run": "quarter",
    }
    return [
        Claim("outage", entry["kind"], {part: entry["numbers"][part]})
        for entry in data.coverage["findings"]
        if (part := kinds.get(entry["kind"])) is not None
    ]
