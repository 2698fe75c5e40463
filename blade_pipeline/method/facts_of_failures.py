"""Anchor facts about how rollouts fail, where failures concentrate, and what never happened."""

from collections.abc import Iterator
from typing import Any

from blade_pipeline import rounding
from blade_pipeline.method.concentrations import ANY, stands_out
from blade_pipeline.method.facts import (
    Difficulty,
    Fact,
    Scope,
    counted,
    is_member,
    literal,
    member,
    percent,
    rounded,
    shown,
    shown_percent,
)
from blade_pipeline.method.failure_rules import FALLBACKS, PARTIAL
from blade_pipeline.method.recommendations import leading
from blade_pipeline.method.slices import json_path

MANY = 30
"""Rollouts from which an absence surprises: 0 of 30 bounds the rate below 10 % (rule of three)."""
FEW = 5
"""Rollouts below which neither an absence nor a symptom that passed rollouts share is a finding."""
ABSENCE = "absence"
_TASKS = "count(distinct (agent, stage, task))"
_FALLBACKS = {rule.code for rule in FALLBACKS}


def mode_facts(of: Scope, modes: dict[str, Any], *, graded: bool = False) -> Iterator[Fact]:
    """The dominant failure mode, and the next two that name a symptom.

    In a run that goes by its mean score a part of the score alone is no failure.
    """
    found = [mode for mode in modes["modes"] if not (graded and mode["code"] == PARTIAL.code)]
    if not found:
        return
    lost = "rollouts below the pass mark" if graded else "failed rollouts"
    yield _mode_fact(of, found[0], "The largest failure mode is", lost)
    for mode in [mode for mode in found[1:] if mode["code"] not in _FALLBACKS][:2]:
        yield _mode_fact(of, mode, "A further failure mode with a visible symptom is", lost)


def _mode_fact(of: Scope, mode: dict[str, Any], what: str, lost: str) -> Fact:
    this = f"mode = {literal(mode['code'])}"
    numbers: dict[str, float | int] = {
        "count": mode["count"],
        "total_failed": mode["total_failed"],
        "percent": percent(mode["count"], mode["total_failed"]),
        "tasks": mode["tasks"],
    }
    columns = {
        "count": f"count(*) filter ({this})",
        "total_failed": "count(*)",
        "percent": shown_percent(f"count(*) filter ({this})", "count(*)"),
        "tasks": f"{_TASKS} filter ({this})",
    }
    sentence = (
        f"{what} `{mode['code']}`: {mode['count']} of {mode['total_failed']} {lost} "
        f"({numbers['percent']}%), on {counted(mode['tasks'], 'task')}"
    )
    if mode["passed_with"] is not None and mode["total_passed"]:
        numbers |= {"passed_with": mode["passed_with"], "total_passed": mode["total_passed"]}
        entry = of.entries("failure_modes", "$.modes", {"n": member("passed_with")}, is_member("code", mode["code"]))
        columns |= {"passed_with": f"({entry})", "total_passed": f"({_passed(of)})"}
        sentence += f"; {mode['passed_with']} of {mode['total_passed']} passed rollouts show it too"
    difficulty: Difficulty = "low" if mode["code"] in _FALLBACKS else "medium"
    query = of.rows("failure_modes", columns)
    return Fact(f"{sentence}.", difficulty, "failure mode", numbers, query, mode["examples"], mode["code"])


def _passed(of: Scope) -> str:
    return of.rows("aligned_samples", {"n": "count(*) filter (passed)"}, "outcome = 'measured'")


def concentration_fact(of: Scope, modes: dict[str, Any]) -> Iterator[Fact]:
    """The slice in which failure, or one mode, concentrates most clearly, if one stands out."""
    for row in modes.get("slices", []):
        if not stands_out(row):
            continue
        numbers = {name: row[name] for name in ("with", "tasks", "rest_with", "rest_tasks")} | {"q": rounded(row["q"])}
        what = "at least one failed rollout" if row["mode"] == ANY else f"the failure mode `{row['mode']}`"
        sentence = (
            f"{row['with']} of {row['tasks']} measured tasks with `{row['field']}` = `{row['value']}` show {what}, "
            f"against {row['rest_with']} of {row['rest_tasks']} elsewhere "
            f"(Fisher, Benjamini-Hochberg q = {numbers['q']})."
        )
        yield Fact(sentence, "high", "slice", numbers, _slice_query(of, row), [row])
        return


def _slice_query(of: Scope, row: dict[str, Any]) -> str:
    shows = "true" if row["mode"] == ANY else f"f.mode = {literal(row['mode'])}"
    failed = (
        "select 1 from failure_modes as f where f.benchmark = s.benchmark and f.run = s.run and f.agent = s.agent "
        f"and f.stage = s.stage and f.task = s.task and {shows}"
    )
    value = f"json_extract_string(slices, {literal(json_path(row['field']))})"
    only = " and ".join(is_member(name, row[name]) for name in ("mode", "field", "value"))
    q = of.entries("failure_modes", "$.slices", {"q": shown(member("q", "double"), ".3g")}, only)
    tasks = (
        f"select {value} as part, exists ({failed}) as hit from (select distinct benchmark, run, agent, stage, task, "
        f"slices from aligned_samples where {of.where} and outcome = 'measured') as s"
    )
    inside = f"part = {literal(row['value'])}"
    return (
        f'select count(*) filter ({inside} and hit) as "with", count(*) filter ({inside}) as tasks, '
        f"count(*) filter (not {inside} and hit) as rest_with, count(*) filter (not {inside}) as rest_tasks, "
        f"({q}) as q from ({tasks})"
    )


def infrastructure_fact(of: Scope, modes: dict[str, Any]) -> Iterator[Fact]:
    """How far the score depends on failures that look like infrastructure."""
    found = modes["infrastructure"]
    if found is None:
        return
    rest = found["measured"] - found["suspects"]
    numbers = {name: found[name] for name in ("suspects", "failed", "passed", "measured")} | {"rest": rest}
    sentence = (
        f"{found['suspects']} of {found['failed']} failed rollouts look like infrastructure failures: "
        f"{found['passed']} of {found['measured']} measured rollouts pass, {found['passed']} of {rest} without them."
    )
    suspects = "count(*) filter (root_cause = 'IR')"
    columns = {
        "suspects": suspects,
        "failed": "count(*)",
        "passed": f"({_passed(of)})",
        "measured": f"count(*) + ({_passed(of)})",
        "rest": f"count(*) - {suspects} + ({_passed(of)})",
    }
    rows = [example for mode in modes["modes"] if mode["root_cause"] == "IR" for example in mode["examples"]]
    yield Fact(sentence, "high", "infrastructure", numbers, of.rows("failure_modes", columns), rows)


def shared_symptom_fact(of: Scope, modes: dict[str, Any]) -> Iterator[Fact]:
    """The most frequent symptom that passed rollouts show as well, and that therefore explains nothing."""
    found = sorted(modes["not_discriminating"], key=lambda row: (-row["failed_with"], row["code"]))
    if not found:
        return
    row = found[0]
    names = ("failed_with", "total_failed", "passed_with", "total_passed")
    sentence = (
        f"The symptom `{row['code']}` does not explain the failures: {row['failed_with']} of {row['total_failed']} "
        f"failed rollouts show it, and {row['passed_with']} of {row['total_passed']} passed ones."
    )
    difficulty: Difficulty = "medium" if min(row["total_failed"], row["total_passed"]) >= FEW else "low"
    columns = {name: member(name) for name in names}
    query = of.entries("failure_modes", "$.not_discriminating", columns, is_member("code", row["code"]))
    kind = "symptom of passed rollouts too"
    yield Fact(sentence, difficulty, kind, {name: row[name] for name in names}, query, [row])


def cause_fact(of: Scope, causes: dict[str, Any], *, graded: bool = False) -> Iterator[Fact]:
    """The root cause with the most score to recover by what was seen: the one that the recommendations begin with.

    In a run that goes by its mean score a cause that only rollouts without a score carry is told without an amount.
    """
    if causes.get("mean_score_gains"):
        yield _graded_cause(of, causes["mean_score_gains"][0])
        return
    row = leading(causes["recommendations"])
    if row is None:
        return
    repair = row["repair"]
    numbers = {"rollouts": repair["rollouts"], "tasks": repair["tasks"], "total_tasks": row["denominator"]}
    columns = {
        "rollouts": member("$.repair.rollouts"),
        "tasks": member("$.repair.tasks"),
        "total_tasks": member("denominator"),
    }
    carried = (
        f"{row['label']}: {counted(repair['rollouts'], 'lost rollout')} on {repair['tasks']} of "
        f"{counted(row['denominator'], 'task')} carry it"
    )
    if graded:
        sentence, kind = f"Of all causes that were seen, most rollouts were lost to {carried}.", "root cause of losses"
    else:
        numbers["recoverable"] = float(rounding.rounded(repair["numerator"], 2))
        columns["recoverable"] = shown(member("$.repair.numerator", "double"), ".2f")
        worth = f"{numbers['recoverable']} in the sum of task scores if all of them passed"
        sentence, kind = (
            f"Of all causes that were seen, most score could be recovered from {carried}, {worth}.",
            "root cause",
        )
    query = of.entries("root_causes", "$.recommendations", columns, is_member("label", row["label"]))
    labels = [label for label in causes["labels"] if label["label"] == row["label"]][:10]
    rows = [{name: value for name, value in label.items() if name != "analyst"} for label in labels]
    yield Fact(sentence, "medium", kind, numbers, query, rows, row["label"])


def _graded_cause(of: Scope, row: dict[str, Any]) -> Fact:
    """The cause whose rollouts cost most of a mean score."""
    numbers = {"rollouts": row["rollouts"], "tasks": row["tasks"], "total_tasks": row["of"]}
    numbers["recoverable"] = float(rounding.rounded(row["gain"], 3))
    columns = {
        "rollouts": member("rollouts"),
        "tasks": member("tasks"),
        "total_tasks": member("of"),
        "recoverable": shown(member("gain", "double"), ".3f"),
    }
    query = of.entries("root_causes", "$.mean_score_gains", columns, is_member("label", row["label"]))
    sentence = (
        f"Of all causes that were seen, most of the mean score could be recovered from {row['label']}: "
        f"{counted(row['rollouts'], 'rollout')} on {row['tasks']} of {counted(row['of'], 'task')} show it, "
        f"{numbers['recoverable']} at most if all of them had the best score."
    )
    return Fact(sentence, "medium", "root cause in graded scores", numbers, query, [row], row["label"])


def absence_facts(of: Scope, modes: dict[str, Any]) -> Iterator[Fact]:
    """Symptoms that many rollouts could have shown and none did."""
    for row in modes.get("absent", []):
        if row["rollouts"] < FEW:
            continue
        rollouts = counted(row["rollouts"], f"{row['among']} rollout")
        sentence = f"Of {rollouts} whose rows would show it, none {row['what']}."
        difficulty: Difficulty = "medium" if row["rollouts"] >= MANY else "low"
        columns = {"rollouts": member("rollouts")}
        query = of.entries("failure_modes", "$.absent", columns, is_member("code", row["code"]))
        yield Fact(sentence, difficulty, ABSENCE, {"rollouts": row["rollouts"]}, query, [row])
