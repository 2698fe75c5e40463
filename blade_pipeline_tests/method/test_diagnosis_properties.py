"""What must hold of every run's diagnosis, whatever its rows say."""

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from blade_pipeline.method.contrasts import contrasts
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import NO_MODES, aligned, buckets_of

pytestmark = pytest.mark.long

OUTCOMES = ["measured", "measured", "measured", "masked", "unscored", "failed", "missing", "unexpected"]
FIELDS = ["truncated", "finished_naturally", "format_ok", "agent_timed_out", "evaluation_completed", "num_turns"]
TEXTS = [None, "", "429 Too Many Requests", "KeyError: 'a'", 'odd, "text" ; \u2028 \' --', "incorrect"]

_rows = st.fixed_dictionaries(
    {
        "outcome": st.sampled_from(OUTCOMES),
        "score": st.sampled_from([0.0, 0.5, 1.0]),
        "output_items": st.sampled_from([None, 0, 1, 5]),
        "answer_length": st.sampled_from([None, 0, 12]),
        "total_tokens": st.sampled_from([None, 0, 99]),
        "tool_calls": st.sampled_from([None, 0, 4]),
        "tool_errors": st.sampled_from([None, 0, 3]),
        "incomplete_reason": st.sampled_from([None, None, "max_output_tokens", "odd"]),
        "error_text": st.sampled_from(TEXTS),
        "failure_kind": st.sampled_from([None, None, "judge_failed", "provider_unavailable"]),
        "failure_class": st.sampled_from([None, "agent_request_failed", "agent_run_error"]),
        "response_digest": st.sampled_from([None, "d", "e"]),
        "numbers": st.dictionaries(st.sampled_from(FIELDS), st.sampled_from([0.0, 1.0])),
        "verifier": st.dictionaries(st.sampled_from(["verdict", "error", "extracted_answer"]), st.sampled_from(TEXTS)),
    }
)


@st.composite
def samples(draw: st.DrawFn) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for task in range(draw(st.integers(0, 4))):
        slices = draw(st.sampled_from([None, {"level": "hard"}, {"level": "easy"}]))
        for repeat, row in enumerate(draw(st.lists(_rows, max_size=4))):
            measured = row["outcome"] == "measured"
            place = {"task": task, "repeat": repeat, "slices": slices}
            rows.append(row | place | {"score": row["score"] if measured else None})
    return aligned(rows)


def _count(table: pa.Table, failed: bool) -> int:
    return sum(row["outcome"] == "measured" and (not row["passed"]) == failed for row in table.to_pylist())


@settings(max_examples=15, deadline=None)
@given(samples())
def test_modes_partition_the_failed_rollouts(table: pa.Table) -> None:
    modes, document = failure_modes(table, Profile())
    assert modes.num_rows == document["total_failed"] == _count(table, failed=True)
    assert sum(mode["count"] for mode in document["modes"]) == document["total_failed"]
    assert modes["mode"].null_count == 0
    for row in modes.to_pylist():
        assert row["mode"] not in (row["secondary"] or "").split(",")
    rest = sum(row["count"] for row in document["not_measured"])
    assert document["total_failed"] + document["total_passed"] + rest == table.num_rows
    json.dumps(document, allow_nan=False)


@settings(max_examples=15, deadline=None)
@given(samples())
def test_the_funnel_never_rises_and_ends_on_the_passed_rollouts(table: pa.Table) -> None:
    document = funnel(table, Profile())
    reached = [phase["reached"] for phase in document["phases"]]
    assert reached == sorted(reached, reverse=True)
    assert [phase["entered"] for phase in document["phases"]] == [document["total_rollouts"], *reached[:-1]]
    passed = _count(table, failed=False)
    graded = document["phases"][-1]["phase"] != "passed"
    assert reached[-1] >= passed if graded else reached[-1] == passed
    json.dumps(document, allow_nan=False)


@settings(max_examples=15, deadline=None)
@given(samples())
def test_labels_and_losses_add_up(table: pa.Table) -> None:
    buckets = buckets_of(table)
    modes, _ = failure_modes(table, Profile())
    document = root_causes(table, buckets, modes, {}, Profile())
    assert len(document["labels"]) == sum(document["counts"].values())
    assert {row["task"] for row in document["labels"]} >= {
        row["task"] for row in buckets.to_pylist() if row["bucket"] in ("always_fail", "sometimes_pass")
    }
    rows = buckets.to_pylist()
    lost = sum(1 - row["passed"] / row["planned"] for row in rows if row["bucket"] != "always_pass")
    assert abs(sum(row["numerator"] for row in document["recommendations"]) - lost) < 1e-9
    json.dumps(document, allow_nan=False)


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(samples(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(table: pa.Table, random: Any) -> None:
    order = list(range(table.num_rows))
    random.shuffle(order)
    shuffled = table.take(pa.array(order, pa.int64()))
    first, second = (contrasts(t, buckets_of(table), NO_MODES) for t in (table, shuffled))
    assert first == second
    (_, one), (_, two) = (failure_modes(t, Profile()) for t in (table, shuffled))
    assert [(m["code"], m["count"]) for m in one["modes"]] == [(m["code"], m["count"]) for m in two["modes"]]
    assert one["slices"] == two["slices"]
