"""Anchor facts about how the tasks split, and where the workflow loses rollouts."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.facts import Difficulty, Fact, Scope, at, counted, joined, literal, percent, shown_percent

MOST_TASKS = 10
_NAMES = {
    "always_pass": ("always passes", "always pass"),
    "sometimes_pass": ("sometimes passes", "sometimes pass"),
    "always_fail": ("never passes", "never pass"),
    "indeterminate": ("stays undecided", "stay undecided"),
    "missing": ("has no measured rollout", "have no measured rollout"),
    "masked": ("is masked", "are masked"),
}
_NAMES_ONCE = _NAMES | {
    "always_pass": ("passes its only rollout", "pass their only rollout"),
    "always_fail": ("fails its only rollout", "fail their only rollout"),
}
_END_PHASES = ("measured", "passed")


def bucket_fact(of: Scope, buckets: pa.Table) -> Iterator[Fact]:
    """How the tasks split into buckets; of tasks that ran once only that one rollout is said."""
    if buckets.num_rows == 0:
        return
    counts = Counter(buckets["bucket"].to_pylist())
    present = {name: counts[name] for name in _NAMES if counts[name]}
    names = _NAMES_ONCE if ran_once(buckets) else _NAMES
    listed = joined([f"{count} {names[name][count > 1]}" for name, count in present.items()])
    columns = {"tasks": "count(*)"} | {name: _in_bucket(name) for name in present}
    numbers = {"tasks": buckets.num_rows, **present}
    sentence = f"Of {counted(buckets.num_rows, 'task')}, {listed}."
    yield Fact(sentence, "low", "buckets", numbers, of.rows("outcome_buckets", columns))


def ran_once(buckets: pa.Table) -> bool:
    """Whether no task was planned or measured more than once, so that ``always`` and ``never`` would say too much."""
    most = pc.max(pc.max_element_wise(buckets["planned"], buckets["measured"])).as_py()
    return (most or 0) <= 1


def _in_bucket(name: str) -> str:
    return f"count(*) filter (bucket = {literal(name)})"


def never_fact(of: Scope, buckets: pa.Table) -> Iterator[Fact]:
    """The tasks that no repeat ever solved, where there are repeats."""
    never = buckets.filter(pc.equal(buckets["bucket"], "always_fail"))
    if not never.num_rows or ran_once(buckets):
        return
    repeats = int(pc.sum(never["measured"]).as_py())
    numbers = {"never": never.num_rows, "tasks": buckets.num_rows, "rollouts": repeats}
    columns = {
        "never": _in_bucket("always_fail"),
        "tasks": "count(*)",
        "rollouts": "sum(measured) filter (bucket = 'always_fail')::bigint",
    }
    tasks = never["task"].to_pylist()[:MOST_TASKS]
    listed = ", ".join(f"`{task}`" for task in tasks) + (" and others" if never.num_rows > len(tasks) else "")
    sentence = (
        f"No rollout passes on {never.num_rows} of {counted(buckets.num_rows, 'task')}, out of "
        f"{counted(repeats, 'measured rollout')} there: {listed}."
    )
    telling = never.num_rows < buckets.num_rows and repeats > never.num_rows
    difficulty: Difficulty = "medium" if telling else "low"
    yield Fact(sentence, difficulty, "never pass", numbers, of.rows("outcome_buckets", columns), tasks)


def undecided_fact(of: Scope, buckets: pa.Table) -> Iterator[Fact]:
    """Tasks whose bucket the missing rollouts could still change, where they are a tenth or more."""
    undecided = buckets.filter(pc.equal(buckets["bucket"], "indeterminate"))
    count, total = undecided.num_rows, buckets.num_rows
    if not count or 10 * count < total:
        return
    numbers = {"undecided": count, "tasks": total, "percent": percent(count, total)}
    inside = _in_bucket("indeterminate")
    columns = {"undecided": inside, "tasks": "count(*)", "percent": shown_percent(inside, "count(*)")}
    sentence = (
        f"The bucket of {count} of {counted(total, 'task')} ({numbers['percent']}%) depends on rollouts that were not "
        "measured."
    )
    rows = undecided["task"].to_pylist()[:MOST_TASKS]
    yield Fact(sentence, "medium", "undecided", numbers, of.rows("outcome_buckets", columns), rows)


def drop_fact(of: Scope, funnel: dict[str, Any]) -> Iterator[Fact]:
    """The phase that loses most rollouts; that the verifier's verdict is that phase is what anyone would guess."""
    drop = funnel["largest_drop"]
    if drop is None:
        return
    numbers = {"lost": drop["lost"], "entered": drop["entered"], "percent": percent(drop["lost"], drop["entered"])}
    lost, entered = at("$.largest_drop.lost"), at("$.largest_drop.entered")
    columns = {"lost": lost, "entered": entered, "percent": shown_percent(lost, entered)}
    sentence = (
        f"The largest drop is at the phase `{drop['phase']}`: {drop['lost']} of "
        f"{counted(drop['entered'], 'rollout')} ({numbers['percent']}%) do not get through."
    )
    rows = [phase for phase in funnel["phases"] if phase["phase"] == drop["phase"]]
    difficulty: Difficulty = "low" if drop["phase"] in _END_PHASES else "medium"
    yield Fact(sentence, difficulty, "funnel", numbers, of.document("workflow_funnel", columns), rows)
