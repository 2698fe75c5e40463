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
    "always_pass": ("always passes", "always pass"),
    "sometimes_pass": ("sometimes passes", "sometimes pass"),
    "always_fail": ("never passes", "never pass"),
    "indeterminate": ("stays undecided", "stay undecided"),
    "missing": ("has no measured rollout", "have no measured rollout"),
    "masked": ("is masked", "are masked"),
}

_ODD_LINES = {
    "malformed_lines": ("is malformed", "are malformed"),
    "duplicates": ("repeats a rollout already seen", "repeat rollouts already seen"),
    "unexpected": ("belongs to no expected rollout", "belong to no expected rollout"),
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
        f"Only {measured} of {counted(expected, 'expected rollout')} ({numbers['percent']}%) were measured; "
        f"the rest: {listed}."
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
    listed = _joined([f"{count} {_NAMES[name][count > 1]}" for name, count in present.items()])
    query = f"select run, bucket, count(*) from outcome_buckets where benchmark = {literal(benchmark)} group by all"
    numbers = {"tasks": buckets.num_rows, **present}
    yield Fact(f"Of {counted(buckets.num_rows, 'task')}, {listed}.", "low", "buckets", numbers, None, query)


def score_fact(coverage: dict[str, Any], scores: dict[str, Any]) -> Iterator[Fact]:
    """The pass rate with its interval for new tasks."""
    accounting, score = coverage["accounting"], scores.get("pass_at_1")
    interval = scores.get("intervals", {}).get("pass_at_1", {})
    if score is None or not accounting["measured"]:
        return
    passed, measured = scores["passed_rollouts"], scores["num_rollouts"]
    numbers = {"passed": passed, "measured": measured, "score_percent": percent(score, 1)}
    sentence = (
        f"{passed} of {counted(measured, 'measured rollout')} pass, a mean over tasks of {numbers['score_percent']}%"
    )
    if interval.get("low") is not None:
        numbers |= {"low_percent": percent(interval["low"], 1), "high_percent": percent(interval["high"], 1)}
        low, high = numbers["low_percent"], numbers["high_percent"]
        sentence += f" that new tasks of the same kind would put between {low} and {high}%"
    yield Fact(f"{sentence}.", "low", "score", numbers, None, None)


def never_fact(buckets: pa.Table, benchmark: str) -> Iterator[Fact]:
    """The tasks that no repeat ever solved."""
    never = buckets.filter(pc.equal(buckets["bucket"], "always_fail"))
    if not never.num_rows:
        return
    repeats = int(pc.sum(never["measured"]).as_py())
    numbers = {"never": never.num_rows, "tasks": buckets.num_rows, "rollouts": repeats}
    tasks = never["task"].to_pylist()[:MOST_TASKS]
    listed = ", ".join(f"`{task}`" for task in tasks) + (" and others" if never.num_rows > len(tasks) else "")
    sentence = (
        f"No rollout passes on {never.num_rows} of {counted(buckets.num_rows, 'task')}, out of "
        f"{counted(repeats, 'measured rollout')} there: {listed}."
    )
    query = f"select run, task from outcome_buckets where benchmark = {literal(benchmark)} and bucket = 'always_fail'"
    yield Fact(sentence, "medium", "buckets", numbers, tasks, query)


def recovery_fact(coverage: dict[str, Any]) -> Iterator[Fact]:
    """Failed attempts on record, and how many of them a later attempt made good."""
    failures = coverage.get("failures", [])
    attempts, recovered = (sum(row[name] for row in failures) for name in ("attempts", "recovered"))
    if not attempts:
        return
    worst = max(failures, key=lambda row: (row["attempts"], row["class"]))
    numbers = {"attempts": attempts, "recovered": recovered, "most": worst["attempts"]}
    sentence = (
        f"{counted(attempts, 'failed attempt')} on record, {worst['attempts']} of them of class "
        f"`{worst['class']}`; {counted(recovered, 'rollout')} recovered on a later attempt."
    )
    yield Fact(sentence, "medium", "failure records", numbers, failures, None)


def line_fact(coverage: dict[str, Any]) -> Iterator[Fact]:
    """Lines that are no usable rollout: malformed, duplicate or unexpected."""
    accounting = coverage["accounting"]
    odd = {name: accounting.get(name) or 0 for name in ("malformed_lines", "duplicates", "unexpected")}
    lines = accounting.get("lines")
    if not lines:
        return
    if not any(odd.values()):
        sentence = f"None of the {counted(lines, 'line')} is malformed, a duplicate or unexpected."
        yield Fact(sentence, "low", "lines", {"lines": lines}, None, None)
        return
    listed = _joined([f"{odd[name]} {words[odd[name] > 1]}" for name, words in _ODD_LINES.items() if odd[name]])
    numbers = {"lines": lines, **{name: count for name, count in odd.items() if count}}
    yield Fact(f"Of {counted(lines, 'line')}, {listed}.", "medium", "lines", numbers, None, None)


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
        f"One attempt at a task passes with a chance of {numbers['pass_at_1_percent']}%, at least one of {k} with "
        f"{numbers['pass_at_k_percent']}%, and all {k} with {numbers['consistency_percent']}%."
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
        f"{counted(drop['entered'], 'rollout')} ({numbers['percent']}%) do not get through."
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
        f"The bucket of {count} of {total} tasks ({numbers['percent']}%) depends on rollouts that were not measured."
    )
    yield Fact(sentence, "medium", "buckets", numbers, undecided["task"].to_pylist()[:MOST_TASKS], None)


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
