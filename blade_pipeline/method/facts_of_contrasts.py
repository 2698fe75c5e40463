"""Anchor facts about what separates passing from failing rollouts of the same task."""

from collections.abc import Iterator
from typing import Any

from blade_pipeline.method.facts import Difficulty, Fact, Scope, at, counted, is_member, member, percent, rounded, shown
from blade_pipeline.method.length_findings import among
from blade_pipeline.method.lengths import CONTROLS, LENGTHS
from blade_pipeline.method.stratified import FALSE_SHARE

MANY_TASKS = 10
"""Tasks from which it is worth saying that nothing differs."""
MOST_PATTERNS = 3
_ASSET = "trajectory_contrasts"


def act_facts(of: Scope, contrasts: dict[str, Any]) -> Iterator[Fact]:
    """What failing rollouts leave out or do, and outputs that were scored both ways."""
    yield from _pattern_facts(of, contrasts)
    yield from _same_output_fact(of, contrasts)


def difference_facts(of: Scope, contrasts: dict[str, Any], *, leads: bool) -> Iterator[Fact]:
    """The clearest within-task difference between passing and failing rollouts, or that none is clear.

    Args:
        of: the run.
        contrasts: ``trajectory_contrasts``.
        leads: whether a length, or that nothing differs, may stand first, since nothing that says more stands out.
    """
    tested = [row for row in contrasts["stratified"] if row["q"] is not None]
    if tested:
        clearest = min(tested, key=lambda row: row["q"])
        if clearest["q"] <= FALSE_SHARE:
            yield _difference_fact(of, clearest, "high" if leads or clearest["feature"] not in LENGTHS else "medium")
        elif max(row["tasks"] for row in tested) >= MANY_TASKS:
            yield _no_difference_fact(of, tested, "high" if leads else "medium")


def length_facts(of: Scope, contrasts: dict[str, Any]) -> Iterator[Fact]:
    """The length by which failing rollouts differ most clearly when pooled, and what control leaves of it."""
    document = contrasts["lengths"]
    told = {name: found for found in document["findings"] for name in found["features"]}
    apart = [row for row in document["features"] if told[row["feature"]]["pooled"] in ("longer", "shorter")]
    if not apart:
        return
    row = min(apart, key=lambda row: (row["pooled"]["q"], -abs(row["pooled"]["share"] - 0.5)))
    found = told[row["feature"]]
    controls = [name for name in CONTROLS if (row.get(name) or {}).get("share") is not None]
    numbers = {name: percent(row[name]["share"], 1) for name in controls}
    columns = {name: shown(f"100.0 * (entry.value ->> '$.{name}.share')::double") for name in controls}
    query = of.entries(_ASSET, "$.lengths.features", columns, is_member("feature", row["feature"]))
    parts = [f"{among(name, document['fields'])} in {numbers[name]}%" for name in controls[1:]]
    sentence = (
        f"By `{row['feature']}` the failing rollout is the longer one in {numbers['pooled']}% of all pairs of a "
        f"failing and a passing one{''.join(f', {part}' for part in parts)}: {_fate(found)}."
    )
    yield Fact(sentence, "medium", "length", numbers, query, [row])


def _fate(found: dict[str, Any]) -> str:
    """What becomes of a pooled difference in the finest strata."""
    last = [found["then"][name] for name in CONTROLS if name in found["then"]][-1:]
    words = {
        "stays": "the difference stays",
        "vanishes": "the difference lies in which tasks fail",
        "turns": "the difference turns round",
        "open": "too little is left to tell whether it stays",
    }
    return words[last[0]] if last else "nothing was there to control for"


def _difference_fact(of: Scope, row: dict[str, Any], difficulty: Difficulty) -> Fact:
    numbers = {"passing": rounded(row["passing"]), "failing": rounded(row["failing"]), "tasks": row["tasks"]}
    columns = {
        "passing": shown(member("passing", "double"), ".3g"),
        "failing": shown(member("failing", "double"), ".3g"),
        "tasks": member("tasks"),
    }
    query = of.entries(_ASSET, "$.stratified", columns, is_member("feature", row["feature"]))
    sentence = (
        f"Within the same task, passing rollouts have on average {numbers['passing']} for `{row['feature']}` "
        f"and failing ones {numbers['failing']}, over {counted(row['tasks'], 'task')} with both."
    )
    return Fact(sentence, difficulty, "within-task difference", numbers, query, [row])


def _no_difference_fact(of: Scope, tested: list[dict[str, Any]], difficulty: Difficulty) -> Fact:
    smallest = min(tested, key=lambda row: row["p"])
    numbers = {"features": len(tested), "tasks": max(row["tasks"] for row in tested), "p": rounded(smallest["p"])}
    p = member("p", "double")
    columns = {"features": "count(*)", "tasks": f"max({member('tasks')})", "p": shown(f"min({p})", ".3g")}
    enough = f"{member('q', 'double')} is not null"
    sentence = (
        f"Apart from failure modes nothing measured separates passing from failing rollouts of the same task: none of "
        f"{len(tested)} features differs beyond chance over up to {numbers['tasks']} sometimes-pass tasks "
        f"(Benjamini-Hochberg over all of them; smallest p {numbers['p']}, `{smallest['feature']}`)."
    )
    query = of.entries(_ASSET, "$.stratified", columns, enough)
    return Fact(sentence, difficulty, "within-task difference", numbers, query, tested)


def _pattern_facts(of: Scope, contrasts: dict[str, Any]) -> Iterator[Fact]:
    """The clearest things that failing rollouts leave out or do."""
    for row in contrasts.get("patterns", [])[:MOST_PATTERNS]:
        names = ("failing_with", "failing", "tasks", "passing_with", "passing")
        only = " and ".join(is_member(name, row[name]) for name in ("pattern", "tool", "stop") if row[name] is not None)
        query = of.entries(_ASSET, "$.patterns", {name: member(name) for name in names}, only)
        yield Fact(row["sentence"], "high", "pattern", {name: row[name] for name in names}, query, [row])


def _same_output_fact(of: Scope, contrasts: dict[str, Any]) -> Iterator[Fact]:
    found = contrasts["same_output"]
    if not found:
        return
    tasks = len({(row["agent"], row["stage"], row["task"]) for row in found})
    distinct = "count(distinct (entry.value ->> 'agent', entry.value ->> 'stage', entry.value ->> 'task'))"
    query = of.entries(_ASSET, "$.same_output", {"tasks": distinct, "sometimes": f"any_value({at('$.tasks')})"})
    sentence = (
        f"On {tasks} of {counted(contrasts['tasks'], 'sometimes-pass task')} one and the same output was scored "
        "both ways."
    )
    yield Fact(sentence, "high", "verifier", {"tasks": tasks, "sometimes": contrasts["tasks"]}, query, found)
