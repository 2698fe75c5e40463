"""Anchor facts about how rollouts fail, what separates them from passing ones, and what never happened."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from blade_pipeline.method.concentrations import ANY
from blade_pipeline.method.facts import Fact, counted, literal, percent, rounded
from blade_pipeline.method.failure_rules import FALLBACKS
from blade_pipeline.statistics import benjamini_hochberg

FALSE_SHARE = 0.05
"""Share of false findings accepted among concentrations and differences (Benjamini and Hochberg 1995)."""
FEWEST_TASKS = 6
"""Tasks from which a sign-flip test can reach p below 0.05 (2 of 2^6)."""

MANY_TASKS = 10
"""Tasks from which it is worth saying that nothing differs."""
MANY = 30
"""Rollouts from which an absence surprises: 0 of 30 bounds the rate below 10 % (rule of three)."""


def mode_facts(modes: dict[str, Any], benchmark: str) -> Iterator[Fact]:
    """The dominant failure mode, and the next two that name a symptom."""
    found = modes["modes"]
    if not found:
        return
    yield _mode_fact(found[0], "The largest failure mode is", benchmark)
    fallbacks = {rule.code for rule in FALLBACKS}
    for mode in [mode for mode in found[1:] if mode["code"] not in fallbacks][:2]:
        yield _mode_fact(mode, "A further failure mode with a visible symptom is", benchmark)


def _mode_fact(mode: dict[str, Any], what: str, benchmark: str) -> Fact:
    numbers: dict[str, float | int] = {
        "count": mode["count"],
        "total_failed": mode["total_failed"],
        "percent": percent(mode["count"], mode["total_failed"]),
        "tasks": mode["tasks"],
    }
    sentence = (
        f"{what} `{mode['code']}`: {mode['count']} of {mode['total_failed']} failed rollouts "
        f"({numbers['percent']}%), on {counted(mode['tasks'], 'task')}"
    )
    if mode["passed_with"] is not None and mode["total_passed"]:
        numbers |= {"passed_with": mode["passed_with"], "total_passed": mode["total_passed"]}
        sentence += f"; {mode['passed_with']} of {mode['total_passed']} passed rollouts show it too"
    query = (
        f"select run, mode, count(*) from failure_modes where benchmark = {literal(benchmark)} "
        f"and mode = {literal(mode['code'])} group by all"
    )
    return Fact(f"{sentence}.", "medium", "failure mode", numbers, mode["examples"], query)


def concentration_fact(modes: dict[str, Any]) -> Iterator[Fact]:
    """The slice in which failure, or one mode, concentrates most clearly, if one stands out."""
    for row in modes.get("slices", []):
        if not row["q"] <= FALSE_SHARE or row["with"] * row["rest_tasks"] <= row["rest_with"] * row["tasks"]:
            continue
        numbers = {name: row[name] for name in ("with", "tasks", "rest_with", "rest_tasks")} | {"q": rounded(row["q"])}
        what = "at least one failed rollout" if row["mode"] == ANY else f"the failure mode `{row['mode']}`"
        sentence = (
            f"{row['with']} of {row['tasks']} measured tasks with `{row['field']}` = `{row['value']}` show {what}, "
            f"against {row['rest_with']} of {row['rest_tasks']} elsewhere "
            f"(Fisher, Benjamini-Hochberg q = {numbers['q']})."
        )
        yield Fact(sentence, "high", "slice", numbers, [row], None)
        return


def infrastructure_fact(modes: dict[str, Any]) -> Iterator[Fact]:
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
    rows = [example for mode in modes["modes"] if mode["root_cause"] == "IR" for example in mode["examples"]]
    yield Fact(sentence, "high", "infrastructure", numbers, rows, None)


def shared_symptom_fact(modes: dict[str, Any]) -> Iterator[Fact]:
    """The most frequent symptom that passed rollouts show as well, and that therefore explains nothing."""
    found = sorted(modes["not_discriminating"], key=lambda row: (-row["failed_with"], row["code"]))
    if not found:
        return
    row = found[0]
    numbers = {name: row[name] for name in ("failed_with", "total_failed", "passed_with", "total_passed")}
    sentence = (
        f"The symptom `{row['code']}` does not explain the failures: {row['failed_with']} of {row['total_failed']} "
        f"failed rollouts show it, and {row['passed_with']} of {row['total_passed']} passed ones."
    )
    yield Fact(sentence, "high", "symptom of passed rollouts too", numbers, [row], None)


def difference_facts(contrasts: dict[str, Any]) -> Iterator[Fact]:
    """The clearest within-task difference between passing and failing rollouts, or that none is clear."""
    tested = [row for row in contrasts["stratified"] if row["p"] is not None and row["tasks"] >= FEWEST_TASKS]
    if tested:
        q = benjamini_hochberg([row["p"] for row in tested])
        clear = [n for n in np.argsort(q, kind="stable").tolist() if q[n] <= FALSE_SHARE]
        if clear:
            yield _difference_fact(tested[clear[0]])
        elif max(row["tasks"] for row in tested) >= MANY_TASKS:
            yield _no_difference_fact(tested)
    yield from _same_output_fact(contrasts)


def _difference_fact(row: dict[str, Any]) -> Fact:
    numbers = {"passing": rounded(row["passing"]), "failing": rounded(row["failing"]), "tasks": row["tasks"]}
    sentence = (
        f"Within the same task, passing rollouts have on average {numbers['passing']} for `{row['feature']}` "
        f"and failing ones {numbers['failing']}, over {counted(row['tasks'], 'sometimes-pass task')}."
    )
    return Fact(sentence, "high", "within-task difference", numbers, [row], None)


def _no_difference_fact(tested: list[dict[str, Any]]) -> Fact:
    smallest = min(tested, key=lambda row: row["p"])
    numbers = {"features": len(tested), "tasks": max(row["tasks"] for row in tested), "p": rounded(smallest["p"])}
    sentence = (
        f"Nothing measured separates passing from failing rollouts of the same task: none of {len(tested)} features "
        f"differs beyond chance over up to {numbers['tasks']} sometimes-pass tasks "
        f"(smallest p {numbers['p']}, `{smallest['feature']}`)."
    )
    return Fact(sentence, "high", "within-task difference", numbers, tested, None)


def _same_output_fact(contrasts: dict[str, Any]) -> Iterator[Fact]:
    found = contrasts["same_output"]
    if found:
        tasks = len({(row["agent"], row["stage"], row["task"]) for row in found})
        of = counted(contrasts["tasks"], "sometimes-pass task")
        sentence = f"On {tasks} of {of} one and the same output was scored both ways."
        yield Fact(sentence, "high", "verifier", {"tasks": tasks, "sometimes": contrasts["tasks"]}, found, None)


def cause_fact(causes: dict[str, Any]) -> Iterator[Fact]:
    """The root cause with the most score to recover."""
    found = [row for row in causes["recommendations"] if row["label"] != "unlabelled"]
    if not found or found[0]["recoverable_score"] is None:
        return
    row = found[0]
    recoverable = round(row["numerator"], 2)
    numbers = {"tasks": row["tasks"], "total_tasks": row["denominator"], "recoverable": recoverable}
    who = "by rule" if not row["by_analyst"] else "by rule and by an analyst" if row["by_rule"] else "by an analyst"
    sentence = (
        f"Most score could be recovered from {row['label']} tasks (labelled {who}): {row['tasks']} of "
        f"{counted(row['denominator'], 'task')} with a loss of {recoverable} in the sum of task scores."
    )
    rows = [label for label in causes["labels"] if label["label"] == row["label"]][:10]
    yield Fact(sentence, "medium", "root cause", numbers, rows, None)


def absence_facts(modes: dict[str, Any]) -> Iterator[Fact]:
    """Symptoms that many rollouts could have shown and none did."""
    for row in modes.get("absent", []):
        sentence = f"Of {counted(row['rollouts'], 'measured rollout')} whose rows would show it, none {row['what']}."
        hard = row["rollouts"] >= MANY
        yield Fact(sentence, "high" if hard else "medium", "absence", {"rollouts": row["rollouts"]}, [row], None)
