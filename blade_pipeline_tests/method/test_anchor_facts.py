"""Anchor facts: data-driven sentences whose numbers can be looked up."""

import math
import re
from typing import Any

import duckdb
import pytest

from blade_pipeline.method.anchor_facts import anchor_facts
from blade_pipeline.method.contrasts import contrasts
from blade_pipeline.method.facts import percent, shown
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.lengths import lengths
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

ANSWERED = {"output_items": 1, "answer_length": 20, "total_tokens": 50, "tool_calls": 0, "tool_errors": 0}
ACCOUNTING = {"masked": 0, "unscored": 0, "failed": 0, "missing": 0, "unexpected": 0, "duplicates": 0}


def _facts(rows: list[dict[str, Any]], **changes: Any) -> list[dict[str, Any]]:
    profile, samples = Profile(), aligned(rows)
    buckets = buckets_of(samples)
    modes, document = failure_modes(samples, profile)
    outcomes = [row["outcome"] for row in samples.to_pylist()]
    counts = {name: outcomes.count(name) for name in ("measured", "masked", "unscored", "failed", "missing")}
    coverage = {
        "accounting": ACCOUNTING | counts | {"expected": len(rows), "lines": len(rows), "malformed_lines": 0},
        "by": {},
        "failures": [],
    }
    passed = [row["passed"] for row in samples.to_pylist() if row["passed"] is not None]
    scores = {"pass_at_1": None, "num_rollouts": len(passed), "passed_rollouts": sum(passed), "intervals": {}}
    if passed:
        scores["pass_at_1"] = sum(passed) / len(passed)
    given = {
        "coverage": coverage,
        "scores": scores,
        "contrasts": contrasts(samples, buckets, modes) | {"lengths": lengths(samples, modes)},
    } | changes
    found = anchor_facts(
        "sums",
        "r1",
        "m",
        given["coverage"],
        given["scores"],
        buckets,
        document,
        funnel(samples, profile),
        given["contrasts"],
        root_causes(samples, buckets, modes, {}, profile),
    )
    assert [fact["id"] for fact in found["facts"]] == [f"F{n + 1}" for n in range(len(found["facts"]))]
    facts: list[dict[str, Any]] = found["facts"]
    return facts


def _of(facts: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(fact for fact in facts if fact["evidence"]["kind"] == kind)


def check_numbers(fact: dict[str, Any]) -> None:
    """Every number of the sentence outside backticks stands in the evidence."""
    text = re.sub(r"`[^`]*`", "", fact["fact"])
    printed = {float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?", text)}
    known = {float(value) for value in fact["evidence"]["numbers"].values()}
    assert printed <= known, fact
    assert fact["fact"].endswith(".")
    assert fact["difficulty"] in ("low", "medium", "high")


def _run(tasks: int = 12) -> list[dict[str, Any]]:
    """Tasks of four repeats: short answers fail, long ones pass, and half of the tasks never pass."""
    rows = []
    for task in range(tasks):
        for repeat in range(4):
            passed = task < tasks // 2 and repeat < 2
            level = "easy" if task < tasks // 2 else "hard"
            tokens = 900 + task if passed else 100 + task
            rows.append(
                {"task": task, "repeat": repeat, "score": float(passed), **ANSWERED, "output_tokens": tokens}
                | {"slices": {"level": level}, "verifier": {"extracted_answer": "7" if passed else "6"}}
            )
    return rows


def test_every_number_of_every_sentence_is_in_its_evidence() -> None:
    rows = _run()
    rows[5] |= {"error_text": "429 Too Many Requests"}
    rows[9] |= {"outcome": "masked", "score": None, "reason": "masked"}
    rows.append({"task": 3, "repeat": 4, "outcome": "missing", "reason": "no row"})
    facts = _facts(rows)
    assert len(facts) >= 8
    for fact in facts:
        check_numbers(fact)


def test_the_split_the_drop_and_the_dominant_mode() -> None:
    # 6 tasks pass 2 of 4, 6 never: 12 of 48 pass, 36 fail, all of them lost at the last phase.
    facts = _facts(_run())
    assert _of(facts, "buckets")["fact"] == "Of 12 tasks, 6 sometimes pass and 6 never pass."
    assert _of(facts, "score")["fact"] == "12 of 48 measured rollouts pass, a mean over tasks of 25.0%."
    assert "`passed`: 36 of 48 rollouts (75.0%)" in _of(facts, "funnel")["fact"]
    assert "`wrong_answer`: 36 of 36 failed rollouts (100.0%), on 12 tasks" in _of(facts, "failure mode")["fact"]


def test_the_largest_passing_against_failing_difference() -> None:
    # Every sometimes-pass task: mean 900 + t against 100 + t; over t = 0..5 that is 902.5 and 102.5. p = 2 / 2^6.
    found = _of(_facts(_run()), "within-task difference")
    assert "have on average 902 for `output tokens` and failing ones 102, over 6 tasks with both" in found["fact"]
    assert found["difficulty"] == "high"


def test_a_length_leads_only_where_no_symptom_stands_out() -> None:
    # The same run once more with a message of the verifier in a failed rollout of each task.
    rows = _run()
    for row in rows:
        if row["score"] == 0 and row["repeat"] == 3:
            row["verifier"] = {"error_message": "the sheet was never saved"}
    first = [_facts(given)[0]["evidence"]["kind"] for given in (_run(), rows)]
    assert first == ["within-task difference", "failure mode"]


def test_without_a_clear_difference_the_fact_says_so() -> None:
    rows = [row | {"output_tokens": 500 + (7 * n) % 5} for n, row in enumerate(_run(20))]
    assert "nothing measured separates passing from failing" in _of(_facts(rows), "within-task difference")["fact"]


def test_a_few_tasks_support_no_difference() -> None:
    rows = [row for row in _run() if row["task"] in (0, 1, 2, 8)]
    assert "within-task difference" not in {fact["evidence"]["kind"] for fact in _facts(rows)}


def test_concentration_is_a_fact_only_when_it_stands_out() -> None:
    # "Any failure" is in every task; the mode tooling is on all 6 hard tasks and no easy one: p = 2 / C(12, 6).
    rows = [row | ({"tool_calls": 4, "tool_errors": 4} if row["task"] >= 6 else {"tool_calls": 4}) for row in _run()]
    found = _of(_facts(rows), "slice")
    assert found["fact"].startswith("6 of 6 measured tasks with `level` = `hard` show the failure mode `tool_errors`")
    assert "slice" not in {fact["evidence"]["kind"] for fact in _facts(_run())}


def test_infrastructure_zeros_and_the_score_without_them() -> None:
    rows = [{"task": n, "score": 0.0, **ANSWERED, "error_text": "429 Too Many Requests"} for n in range(6)]
    rows += [{"task": 6 + n, "score": 0.0, **ANSWERED} for n in range(4)]
    rows += [{"task": 10 + n, "score": 1.0, **ANSWERED} for n in range(2)]
    assert _of(_facts(rows), "infrastructure")["fact"] == (
        "6 of 10 failed rollouts look like infrastructure failures: 2 of 12 measured rollouts pass, "
        "2 of 6 without them."
    )


def test_gaps_in_coverage_are_named() -> None:
    rows = [{"task": 0, "score": 1.0}, {"task": 1, "outcome": "masked"}, {"task": 2, "outcome": "missing"}]
    rows += [{"task": 3, "outcome": "missing"}]
    assert _of(_facts(rows), "accounting")["fact"] == (
        "Only 1 of 4 expected rollouts (25.0%) were measured; the rest: 1 masked and 2 missing."
    )


def test_a_surprising_absence_counts_the_rows_that_could_show_it() -> None:
    rows = [{**row, "tool_calls": 3, "response_status": "completed"} for row in _run()]
    sentences = {
        fact["evidence"]["rows"][0]["code"]: fact for fact in _facts(rows) if fact["evidence"]["kind"] == "absence"
    }
    assert sentences["tool_errors"]["evidence"]["numbers"] == {"rollouts": 48}
    assert sentences["output_limit"]["difficulty"] == "medium"
    assert "Of 48 measured rollouts whose rows would show it, none had" in sentences["tool_errors"]["fact"]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"task": 0, "outcome": "masked", "reason": "masked"}],
        [{"task": 0, "outcome": "missing", "reason": "no row"}],
        [{"task": 0, "score": 1.0}],
        [{"task": 0, "score": 0.0}],
    ],
)
def test_small_and_empty_runs_give_only_supported_facts(rows: list[dict[str, Any]]) -> None:
    for fact in _facts(rows):
        check_numbers(fact)


def test_every_fact_has_a_query_that_names_benchmark_and_run() -> None:
    rows = _run()
    rows[5] |= {"error_text": "429 Too Many Requests"}
    for fact in _facts(rows):
        assert "benchmark = 'sums' and run = 'r1'" in fact["evidence"]["query"]
        assert "\n" not in fact["evidence"]["query"]


def test_facts_come_hardest_first() -> None:
    difficulties = [fact["difficulty"] for fact in _facts(_run())]
    assert difficulties == sorted(difficulties, key=["high", "medium", "low"].index)
    assert {"high", "low"} <= set(difficulties)


def test_what_anyone_would_guess_is_marked_low() -> None:
    # The drop is the verdict itself, and "wrong answer" names no symptom.
    facts = _facts(_run())
    assert {_of(facts, kind)["difficulty"] for kind in ("funnel", "failure mode", "score", "buckets")} == {"low"}


def test_one_rollout_a_task_supports_neither_always_nor_never() -> None:
    facts = _facts([{"task": 0, "score": 1.0}, {"task": 1, "score": 1.0}, {"task": 2, "score": 0.0, **ANSWERED}])
    assert _of(facts, "buckets")["fact"] == "Of 3 tasks, 2 pass their only rollout and 1 fails its only rollout."
    assert {"never pass", "scores"}.isdisjoint(fact["evidence"]["kind"] for fact in facts)


def test_equal_documents_give_equal_facts() -> None:
    assert _facts(_run()) == _facts(_run())


@pytest.mark.parametrize("mean", [0.9075, math.nextafter(0.9075, 0), math.nextafter(0.9075, 1)])
def test_half_a_decimal_falls_the_same_way_in_a_sentence_and_in_its_query(mean: float) -> None:
    """A mean of 90.75 percent, as different orders of the same sum give it."""
    with duckdb.connect() as connection:
        row = connection.execute(
            f"select {shown('100.0 * avg(part)')} from (select {mean!r}::double as part)"
        ).fetchone()
    assert (percent(mean, 1), row) == (90.8, (90.8,))
