"""Anchor facts about how much was measured, how tasks split, and where the workflow loses rollouts."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.facts import Fact, counted, literal, percent

MOST_TASKS = 10
_GAPS = ("masked", "unscored", "failed", "missing")
_NAMES = {
    "always_pass": "always passing",
    "sometimes_pass": "sometimes passing",
    "always_fail": "never passing",
    "indeterminate": "undecided",
    "missing": "without a measured rollout",
    "masked": "masked",
}


def coverage_fact(coverage: dict[str, Any], benchmark: str) -> Iterator[Fact]:
    """The gap between expected and measured, and the repeat or agent that carries most of it."""
    accounting = coverage["accounting"]
    measured, expected = accounting["measured"], accounting["expected"]
    query = f"select run, outcome, count(*) from aligned_samples where benchmark = {literal(benchmark)} group by all"
    if expected is None:
        return
    gaps = {name: accounting[name] for name in _GAPS if accounting[name]}
    numbers = {"measured": measured, "expected": expected, "percent": percent(measured, expected), **gaps}
    if not gaps:
        yield Fact(
            f"Every one of {counted(expected, 'expected rollout')} was measured.",
            "low",
            "accounting",
            {"expected": expected},
            None,
            query,
        )
        return
    listed = _joined([f"{count} {name}" for name, count in gaps.items()])
    sentence = (
        f"Only {measured} of {counted(expected, 'expected rollout')} ({numbers['percent']} %) were measured: {listed}."
    )
    yield Fact(sentence, "low", "accounting", numbers, None, query)
    yield from _uneven_gap(coverage, sum(gaps.values()))


def _uneven_gap(coverage: dict[str, Any], total: int) -> Iterator[Fact]:
    """The repeat that lost more than twice its share of the unmeasured rollouts."""
    repeats = [row for row in coverage["by"].get("repeat", []) if row.get("expected")]
    if len(repeats) < 2 or total < 10:
        return
    lost = [row["expected"] - row["measured"] for row in repeats]
    worst = max(range(len(repeats)), key=lambda n: lost[n])
    if lost[worst] * len(repeats) < 2 * total:
        return
    numbers = {"repeat": repeats[worst]["repeat"], "lost": lost[worst], "total": total, "repeats": len(repeats)}
    sentence = (
        f"Repeat {numbers['repeat']} alone accounts for {lost[worst]} of the {total} unmeasured rollouts, "
        f"out of {len(repeats)} repeats."
    )
    yield Fact(sentence, "high", "accounting by repeat", numbers, None, None)


def bucket_fact(buckets: pa.Table, benchmark: str) -> Iterator[Fact]:
    """How the tasks split into buckets."""
    if buckets.num_rows == 0:
        return
    counts = Counter(buckets["bucket"].to_pylist())
    present = {name: counts[name] for name in _NAMES if counts[name]}
    listed = _joined([f"{count} {_NAMES[name]}" for name, count in present.items()])
    query = f"select run, bucket, count(*) from outcome_buckets where benchmark = {literal(benchmark)} group by all"
    numbers = {"tasks": buckets.num_rows, **present}
    yield Fact(f"Of {counted(buckets.num_rows, 'task')}, {listed}.", "low", "buckets", numbers, None, query)


def retry_fact(scores: dict[str, Any]) -> Iterator[Fact]:
    """What repeats add to a single attempt."""
    k, one, many, always = scores.get("k"), scores.get("pass_at_1"), scores.get("pass_at_k"), scores.get("consistency")
    if not k or k < 2 or one is None or many is None or always is None:
        return
    numbers = {
        "k": k,
        "pass_at_1_percent": percent(one, 1),
        "pass_at_k_percent": percent(many, 1),
        "consistency_percent": percent(always, 1),
    }
    sentence = (
        f"A single attempt succeeds on {numbers['pass_at_1_percent']} % of tasks, at least one of {k} attempts on "
        f"{numbers['pass_at_k_percent']} %, and all {k} on {numbers['consistency_percent']} %."
    )
    yield Fact(sentence, "medium", "scores", numbers, None, None)


def drop_fact(funnel: dict[str, Any]) -> Iterator[Fact]:
    """The phase that loses most rollouts."""
    drop = funnel["largest_drop"]
    if drop is None:
        return
    numbers = {"lost": drop["lost"], "entered": drop["entered"], "percent": percent(drop["lost"], drop["entered"])}
    sentence = (
        f"The largest drop is at the phase `{drop['phase']}`: {drop['lost']} of "
        f"{counted(drop['entered'], 'rollout')} ({numbers['percent']} %) do not get through."
    )
    rows = [phase for phase in funnel["phases"] if phase["phase"] == drop["phase"]]
    yield Fact(sentence, "medium", "funnel", numbers, rows, None)


def undecided_fact(buckets: pa.Table) -> Iterator[Fact]:
    """Tasks whose bucket the missing rollouts could still change."""
    undecided = buckets.filter(pc.equal(buckets["bucket"], "indeterminate"))
    count, total = undecided.num_rows, buckets.num_rows
    if not count or 10 * count < total:
        return
    numbers = {"undecided": count, "tasks": total, "percent": percent(count, total)}
    sentence = (
        f"The bucket of {count} of {total} tasks ({numbers['percent']} %) depends on rollouts that were not measured."
    )
    yield Fact(sentence, "medium", "buckets", numbers, undecided["task"].to_pylist()[:MOST_TASKS], None)


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
