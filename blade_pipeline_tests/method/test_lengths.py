"""Lengths of failing against passing rollouts, where what tasks they are would mislead."""

import json
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.facts import Scope
from blade_pipeline.method.facts_of_contrasts import length_facts
from blade_pipeline.method.lengths import lengths
from blade_pipeline.method.sql import records
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline_tests.builders import NO_MODES, aligned, buckets_of


def _row(task: int, passed: bool, tokens: int, repeat: int = 0, **slices: str) -> dict[str, Any]:
    return {"task": task, "repeat": repeat, "score": float(passed), "output_tokens": tokens, "slices": slices}


def _simpson(times: int = 1) -> list[dict[str, Any]]:
    """Twenty easy tasks of some 100 tokens, of which 16 pass, and twenty hard ones of some 1000, of which 4 pass.

    In both categories the passing and the failing rollouts have the same four lengths equally often.
    """
    easy = [(n, n < 16, 100 + n % 4, "easy") for n in range(20)]
    hard = [(20 + n, n >= 16, 1000 + n % 4, "hard") for n in range(20)]
    return [
        _row(40 * time + task, passed, tokens, category=category)
        for time in range(times)
        for task, passed, tokens, category in [*easy, *hard]
    ]


def test_longer_when_pooled_and_not_within_category() -> None:
    # Pairs of 20 failing and 20 passing: 16 * 16 hard against easy, all longer; 4 * 4 easy against hard, none;
    # 4 * 16 easy and 16 * 4 hard pairs, half of each: 256 + 64 = 320 of 400.
    found = lengths(aligned(_simpson()), NO_MODES)
    [row] = found["features"]
    assert (row["feature"], row["failing"], row["passing"]) == ("output tokens", 20, 20)
    # of the failing ones 4 lie at 100 to 103 and 16 at 1000 to 1003, so the 10th and 11th are 1001
    assert (row["failing_median"], row["passing_median"]) == (1001, 102)
    assert (row["pooled"]["share"], row["fields"]["share"]) == (pytest.approx(0.8), pytest.approx(0.5))
    assert row["pooled"]["q"] < 0.01
    assert row["fields"]["p"] == pytest.approx(1.0)
    assert (found["fields"], found["fields_left_out"]) == (["category"], [])
    assert found["controls"] == {
        "pooled": {"pairs": 400, "rollouts": 40, "tasks": 40, "strata": 1},
        "fields": {"pairs": 2 * 4 * 16, "rollouts": 40, "tasks": 40, "strata": 2},
    }
    assert [finding["sentence"] for finding in found["findings"]] == [
        "Pooled, failing rollouts are longer by `output tokens`; among tasks of equal `category` nothing beyond chance "
        "remains. So the pooled difference lies in which tasks fail."
    ]


def test_difficulty_by_the_tasks_own_pass_rate() -> None:
    # Ten tasks pass twice with 100 tokens, ten never with 900; ten pass once, half of them with the longer repeat.
    rows = [_row(task, True, 100, repeat) for task in range(10) for repeat in range(2)]
    rows += [_row(10 + task, False, 900, repeat) for task in range(10) for repeat in range(2)]
    rows += [
        _row(20 + task, repeat == task % 2, 500 + 10 * task + repeat, repeat)
        for task in range(10)
        for repeat in range(2)
    ]
    found = lengths(aligned(rows), NO_MODES)
    [row] = found["features"]
    assert row["pass_rate"]["share"] == pytest.approx(0.5)
    assert found["controls"]["pass_rate"] == {"pairs": 100, "rollouts": 20, "tasks": 10, "strata": 1}
    assert found["findings"][0]["then"] == {"pass_rate": "vanishes"}
    # pooled: 20 failing of 900 above all 30 passing; the other 10 above the 20 of 100 and half of the rest
    assert row["pooled"]["share"] == pytest.approx((20 * 30 + 10 * 20 + 50) / 900)


@pytest.mark.parametrize(
    ("shift", "then", "words"),
    [(50, "stays", "they still are"), (-50, "turns", "it is the other way round")],
)
def test_what_is_true_within_category_is_said(shift: int, then: str, words: str) -> None:
    rows = [row | {"output_tokens": row["output_tokens"] + shift * (row["score"] == 0)} for row in _simpson(3)]
    [finding] = lengths(aligned(rows), NO_MODES)["findings"]
    assert (finding["pooled"], finding["then"]) == ("longer", {"fields": then})
    assert words in finding["sentence"]


def test_what_pooling_hides_is_said() -> None:
    # Failing rollouts are 50 tokens longer in each category, and fail as often in both: pooled, 1000 outweighs 50.
    rows = [_row(n, n % 2 == 0, 50 * (n % 2), category="a") for n in range(20)]
    rows += [_row(20 + n, n % 20 > 3, 1000 + 50 * (n % 20 <= 3), category="b") for n in range(20)]
    [finding] = lengths(aligned(rows), NO_MODES)["findings"]
    assert finding["pooled"] == "alike"
    assert finding["sentence"] == (
        "By `output tokens` failing and passing rollouts do not differ beyond chance when pooled; among tasks of equal "
        "`category` failing ones are longer."
    )


def test_a_field_that_tells_the_verdict_is_no_stratum_and_difficulty_comes_first() -> None:
    rows = _simpson()
    for n, row in enumerate(rows):
        row["slices"] = row["slices"] | {"level": str(n % 3), "verdict": str(row["score"])}
    found = lengths(aligned(rows), NO_MODES)
    assert (found["fields"], found["fields_left_out"]) == (["level", "category"], ["verdict"])


@pytest.mark.parametrize("rows", [[], [_row(0, True, 3)], [_row(0, True, 3), _row(1, True, 9)]])
def test_without_both_verdicts_nothing_is_compared(rows: list[dict[str, Any]]) -> None:
    assert lengths(aligned(rows), NO_MODES)["features"] == []


def test_few_tasks_are_compared_and_not_tested() -> None:
    found = lengths(aligned([_row(task, task % 2 == 0, task) for task in range(6)]), NO_MODES)
    assert found["features"][0]["pooled"]["q"] is None
    assert found["findings"][0]["sentence"] == (
        "Whether failing rollouts are longer by `output tokens` cannot be tested: there are too few tasks."
    )


def test_the_fact_s_query_gives_its_shares() -> None:
    document = {"lengths": lengths(aligned(_simpson()), NO_MODES)}
    [fact] = length_facts(Scope("b", "r"), document)
    assert fact.sentence == (
        "By `output tokens` the failing rollout is the longer one in 80.0% of all pairs of a failing and a passing "
        "one, among tasks of equal `category` in 50.0%: the difference lies in which tasks fail."
    )
    stored = {"benchmark": "b", "run": "r", "asset": "trajectory_contrasts", "document": json.dumps(document)}
    assert records(fact.query, documents=pa.Table.from_pylist([stored])) == [{"pooled": 80.0, "fields": 50.0}]
    assert fact.numbers == {"pooled": 80.0, "fields": 50.0}
    alike = {"lengths": lengths(aligned([row | {"output_tokens": 7} for row in _simpson()]), NO_MODES)}
    assert list(length_facts(Scope("b", "r"), alike)) == []


REPORT = """## Dominant Failure Modes

| Length | Median, failing | Median, passing | Pooled | Equal fields |
| --- | ---: | ---: | --- | --- |
| output tokens | 1001 | 102 | 80.0%, q = 0.002 | 50.0%, q = 1.000 |

Ties as half. Pooled: 400 pairs of 40 rollouts on 40 tasks, in 1 stratum with both verdicts. Equal fields: 128 pairs \
of 40 rollouts on 40 tasks, in 2 strata with both verdicts.
"""


@pytest.mark.parametrize(
    ("right", "planted", "wrong", "recounted"),
    [
        ("| 1001 |", "| 1002 |", "1002", "1001"),
        ("| 102 |", "| 101 |", "101", "102"),
        ("80.0%", "71.0%", "71.0%", "80.0%"),
        ("50.0%", "55.0%", "55.0%", "50.0%"),
        ("400 pairs of 40", "400 pairs of 44", "44", "40"),
        ("128 pairs", "129 pairs", "129", "128"),
        ("2 strata", "3 strata", "3", "2"),
    ],
)
def test_the_table_is_recounted_from_the_rows(right: str, planted: str, wrong: str, recounted: str) -> None:
    samples = aligned(_simpson())
    found = lengths(samples, NO_MODES)
    q = found["features"][0]["pooled"]["q"]
    text = REPORT.replace("q = 0.002", f"q = {q:.3f}")
    documents = {"trajectory_contrasts": {"lengths": found, "stratified": []}}
    verifier = Verifier(Evidence("b", "r", samples, None, NO_MODES, buckets_of(samples), documents))
    assert verifier.report(text)["ok"]
    assert text.count(right) == 1
    bad = [row for row in verifier.report(text.replace(right, planted))["figures"] if row["status"] == "contradicted"]
    assert [(row["text"], row["right"]) for row in bad] == [(wrong, recounted)]


def _ended(task: int, **told: str) -> dict[str, Any]:
    """A failed rollout's modes."""
    keys: dict[str, Any] = {"agent": None, "stage": None, "task": str(task), "repeat": "0", "secondary": ""}
    return keys | {"mode": "wrong_answer"} | told


def test_what_an_outage_or_a_limit_ended_is_no_length_of_the_model_s() -> None:
    # Passing rollouts have 100 tokens. Four failing ones have 100 too; five were cut at 5000 or ended at 0.
    rows = [_row(task, task < 6, 100) for task in range(10)]
    rows += [_row(10 + n, False, tokens) for n, tokens in enumerate([5000, 5000, 5000, 0, 0])]
    samples = aligned(rows)
    keys = {name: samples[name][0].as_py() for name in ("agent", "stage")}
    told = [
        _ended(10, mode="output_limit"), _ended(11, secondary="tool_errors,step_limit"), _ended(12, mode="cut_off"),
        _ended(13, mode="infrastructure"), _ended(14, mode="error:service_gone", root_cause="IR"),
        *(_ended(task, secondary="tool_errors") for task in range(6, 10)),
    ]  # fmt: skip
    modes = pa.Table.from_pylist([row | keys for row in told], NO_MODES.schema)
    modes = modes.set_column(2, "task", modes["task"].cast(samples["task"].type))
    found = lengths(samples, modes)
    assert (found["left_out"], found["features"]) == (5, [])
    assert lengths(samples, NO_MODES)["features"][0]["failing"] == 9
    documents = {"trajectory_contrasts": {"lengths": found, "stratified": []}}
    verifier = Verifier(Evidence("b", "r", samples, None, modes, buckets_of(samples), documents))
    for count, right in ((5, True), (4, False)):
        said = f"Left out: {count} failing rollouts that an outage or a limit ended."
        assert verifier.report(f"## Dominant Failure Modes\n\n{said}\n")["ok"] is right
