"""Anchor facts about how much was measured, and what the score is."""

from collections.abc import Iterator
from typing import Any

from blade_pipeline.method.contents import of_one_task
from blade_pipeline.method.facts import (
    Difficulty,
    Fact,
    Scope,
    at,
    counted,
    joined,
    literal,
    percent,
    shown,
    shown_percent,
)

WORTH_RETRYING = 0.05
"""Rise from pass@1 to pass@k from which repeats are worth a finding."""
_GAPS = ("masked", "unscored", "failed", "missing")
_EXPECTED = "outcome <> 'unexpected'"
_ODD_LINES = {
    "malformed_lines": ("is malformed", "are malformed"),
    "duplicates": ("repeats a rollout already seen", "repeat rollouts already seen"),
    "unexpected": ("belongs to no expected rollout", "belong to no expected rollout"),
}


def coverage_fact(of: Scope, coverage: dict[str, Any]) -> Iterator[Fact]:
    """The gap between expected and measured, and the repeat that carries most of it."""
    accounting = coverage["accounting"]
    measured, expected = accounting["measured"], accounting["expected"]
    if not expected:
        return
    gaps = {name: accounting[name] for name in _GAPS if accounting[name]}
    columns = {"measured": _having("measured"), "expected": "count(*)"}
    if not gaps:
        sentence = f"Every one of {counted(expected, 'expected rollout')} was measured."
        numbers = {"measured": measured, "expected": expected}
        yield Fact(sentence, "low", "accounting", numbers, of.rows("aligned_samples", columns, _EXPECTED))
        return
    columns |= {"percent": shown_percent(_having("measured"), "count(*)"), **{name: _having(name) for name in gaps}}
    numbers = {"measured": measured, "expected": expected, "percent": percent(measured, expected), **gaps}
    listed = joined([f"{count} {name}" for name, count in gaps.items()])
    sentence = (
        f"Only {measured} of {counted(expected, 'expected rollout')} ({numbers['percent']}%) were measured; "
        f"the rest: {listed}."
    )
    yield Fact(sentence, "medium", "accounting", numbers, of.rows("aligned_samples", columns, _EXPECTED))
    yield from _uneven_gap(of, coverage, sum(gaps.values()))


def _having(outcome: str) -> str:
    return f"count(*) filter (outcome = {literal(outcome)})"


def _uneven_gap(of: Scope, coverage: dict[str, Any], total: int) -> Iterator[Fact]:
    """The repeat that lost more than twice its share of the unmeasured rollouts."""
    repeats = [row for row in coverage["by"].get("repeat", []) if row.get("expected")]
    if len(repeats) < 2 or total < 10:
        return
    lost = [row["expected"] - row["measured"] for row in repeats]
    worst = max(range(len(repeats)), key=lambda n: lost[n])
    if lost[worst] * len(repeats) < 2 * total:
        return
    repeat, agent = repeats[worst]["repeat"], repeats[worst]["agent"]
    numbers = {"repeat": repeat, "lost": lost[worst], "total": total, "repeats": len(repeats)}
    this = f"agent = {literal(agent)} and rank = {repeat}"
    columns = {
        "repeat": f"max(rank) filter ({this})",
        "lost": f"count(*) filter ({this} and outcome <> 'measured')",
        "total": "count(*) filter (outcome <> 'measured')",
        "repeats": "count(distinct (agent, rank))",
    }
    named = f" of `{agent}`" if len({row["agent"] for row in repeats}) > 1 else ""
    sentence = (
        f"Repeat {repeat}{named} alone accounts for {lost[worst]} of the {total} unmeasured rollouts, "
        f"out of {len(repeats)} repeats."
    )
    yield Fact(sentence, "high", "accounting by repeat", numbers, of.rows("aligned_samples", columns, _EXPECTED))


def line_fact(of: Scope, coverage: dict[str, Any]) -> Iterator[Fact]:
    """Lines that are no usable rollout: malformed, duplicate or unexpected."""
    accounting = coverage["accounting"]
    lines = accounting.get("lines")
    odd = {name: accounting[name] for name in _ODD_LINES if accounting.get(name)}
    if not lines or not odd:
        return
    columns = {
        "lines": "count(distinct (file, line))",
        "malformed_lines": "count(distinct (file, line)) filter (line_class not in ('row', 'blank'))",
        "duplicates": f"({of.rows('aligned_samples', {'n': 'coalesce(sum(duplicates), 0)::bigint'})})",
        "unexpected": f"({of.rows('aligned_samples', {'n': _having('unexpected')})})",
    }
    listed = joined([f"{count} {_ODD_LINES[name][count > 1]}" for name, count in odd.items()])
    query = of.rows("raw_rollouts", {name: columns[name] for name in ("lines", *odd)})
    yield Fact(f"Of {counted(lines, 'line')}, {listed}.", "medium", "lines", {"lines": lines, **odd}, query)


def recovery_fact(of: Scope, coverage: dict[str, Any]) -> Iterator[Fact]:
    """Failed attempts on record, the class with most of them, and how often a later attempt made it good."""
    failures = coverage.get("failures", [])
    attempts = sum(row["attempts"] for row in failures)
    if not attempts:
        return
    worst = max(failures, key=lambda row: (row["attempts"], row["class"]))
    numbers = {"attempts": attempts, "most": worst["attempts"], "recovered": worst["recovered"]}
    sentence = (
        f"{counted(attempts, 'failed attempt')} on record, {worst['attempts']} of them of class `{worst['class']}`; "
        f"{counted(worst['recovered'], 'rollout')} of that class left a row all the same."
    )
    this = f"coalesce(failure_class, 'unnamed') = {literal(worst['class'])}"
    columns = {
        "attempts": "count(*)",
        "most": f"count(*) filter ({this})",
        "recovered": f"count(distinct (stage, task, repeat, agent)) filter ({this} and exists ({_seen(of)}))",
    }
    query = of.rows("failed_attempts", columns, "line_class = 'row'")
    yield Fact(sentence, "medium", "failure records", numbers, query, failures)


def _seen(of: Scope) -> str:
    same = " and ".join(f"a.{name} = failed_attempts.{name}" for name in ("stage", "repeat"))
    return (
        f"select 1 from aligned_samples as a where a.benchmark = {literal(of.benchmark)} and a.run = {literal(of.run)} "
        f"and {same} and {of_one_task('a', 'failed_attempts')} and coalesce(failed_attempts.agent, a.agent) = a.agent "
        "and a.outcome in ('measured', 'masked', 'unscored')"
    )


def score_fact(of: Scope, coverage: dict[str, Any], scores: dict[str, Any]) -> Iterator[Fact]:
    """The pass rate with its interval for new tasks."""
    score = scores.get("pass_at_1")
    interval = scores.get("intervals", {}).get("pass_at_1", {})
    if score is None or not coverage["accounting"]["measured"]:
        return
    passed, measured = scores["passed_rollouts"], scores["num_rollouts"]
    numbers = {"passed": passed, "measured": measured, "score_percent": percent(score, 1)}
    columns = {
        "passed": "sum(passed)::bigint",
        "measured": "sum(measured)::bigint",
        "score_percent": shown("100.0 * avg(passed / measured)"),
    }
    sentence = (
        f"{passed} of {counted(measured, 'measured rollout')} pass, a mean over tasks of {numbers['score_percent']}%"
    )
    if interval.get("low") is not None:
        low, high = percent(interval["low"], 1), percent(interval["high"], 1)
        numbers |= {"low_percent": low, "high_percent": high}
        for side in ("low", "high"):
            value = shown(f"100.0 * {at(f'$.intervals.pass_at_1.{side}', 'double')}")
            columns[f"{side}_percent"] = f"({of.document('pass_at_k', {'v': value})})"
        sentence += f" that new tasks of the same kind would put between {low}% and {high}%"
    yield Fact(f"{sentence}.", "low", "score", numbers, of.rows("pass_at_k", columns, "measured > 0"))


def retry_fact(of: Scope, scores: dict[str, Any]) -> Iterator[Fact]:
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
    columns = {
        "k": str(k),
        "pass_at_1_percent": shown("100.0 * avg(passed / measured)"),
        "pass_at_k_percent": shown(f"100.0 * avg(1 - {_drawn('measured - passed', k)})"),
        "consistency_percent": shown(f"100.0 * avg({_drawn('passed', k)})"),
    }
    sentence = (
        f"One attempt at a task passes with a chance of {numbers['pass_at_1_percent']}%, at least one of {k} with "
        f"{numbers['pass_at_k_percent']}%, and all {k} with {numbers['consistency_percent']}%."
    )
    difficulty: Difficulty = "medium" if many - one >= WORTH_RETRYING else "low"
    yield Fact(sentence, difficulty, "scores", numbers, of.rows("pass_at_k", columns, "measured > 0"))


def _drawn(wanted: str, k: int) -> str:
    """SQL: the chance that k repeats drawn without replacement are all among the ``wanted`` ones."""
    factors = f"list_transform(range({k}), lambda n: greatest({wanted} - n, 0) / (measured - n))"
    return f"list_aggregate({factors}, 'product')"
