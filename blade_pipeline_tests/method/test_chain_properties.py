"""What must hold for any run: accounting sums, order changes no number, bounds hold every completion."""

import itertools
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, failure, planned, rollout, write_run

rewards = st.sampled_from([0.0, 1.0, None, ...])


@st.composite
def runs(draw: st.DrawFn) -> dict[str, Any]:
    """A run of up to three tasks and three repeats with every kind of loss."""
    keys = list(itertools.product(range(draw(st.integers(1, 3))), range(draw(st.integers(1, 3)))))
    kinds = {key: draw(st.sampled_from(["row", "row", "masked", "failed", "missing", "twice"])) for key in keys}
    rows = []
    for key, kind in kinds.items():
        if kind in ("row", "masked", "twice"):
            rows.append(rollout(*key, draw(rewards), **({"mask_sample": True} if kind == "masked" else {})))
        if kind == "twice":
            rows.append(rollout(*key, draw(rewards)))
    failures = [failure(*key) for key, kind in kinds.items() if kind == "failed"]
    blank = draw(st.integers(0, 2))
    return {
        "rows": [*rows, *[""] * blank, *["{torn"] * draw(st.integers(0, 2))],
        "inputs": [planned(*key) for key in keys],
        "failures": failures,
    }


def analyse(files: dict[str, Any], profile: Profile | None = None) -> Analyzed:
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder) / "b" / "r", **files)
        return analyzed_folder(Path(folder), profile)["b/r"]


def numbers(run: Analyzed) -> str:
    """Everything that must not depend on the order of lines."""
    accounting = {key: run.coverage["accounting"][key] for key in ("expected", "measured", "masked", "missing")}
    scores = {key: value for key, value in run.scores.items() if key != "agents"}
    return json.dumps([accounting, scores, run.buckets], sort_keys=True)


slow = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slow
@given(runs())
def test_every_count_sums(files: dict[str, Any]) -> None:
    run = analyse(files)
    count = run.coverage["accounting"]
    assert count["expected"] == len(files["inputs"])
    assert count["expected"] == sum(count[name] for name in ("measured", "masked", "unscored", "failed", "missing"))
    good = count["lines"] - count["blank_lines"] - count["malformed_lines"]
    assert good == sum(isinstance(row, dict) for row in files["rows"])
    assert sum(run.bucket_counts.values()) == run.scores["total_tasks"]
    assert run.scores["passed_rollouts"] + run.scores["failed_rollouts"] == count["measured"]


@slow
@given(runs(), st.randoms())
def test_the_order_of_lines_changes_no_number(files: dict[str, Any], random: Any) -> None:
    shuffled = {name: random.sample(lines, len(lines)) for name, lines in files.items()}
    assert numbers(analyse(files)) == numbers(analyse(shuffled))


@slow
@given(runs())
def test_a_malformed_line_changes_only_the_line_counts(files: dict[str, Any]) -> None:
    before, after = analyse(files), analyse(files | {"rows": [*files["rows"], "no rollout"]})
    assert numbers(before) == numbers(after)
    assert after.coverage["accounting"]["malformed_lines"] == before.coverage["accounting"]["malformed_lines"] + 1


@slow
@given(runs())
def test_probabilities_and_curves(files: dict[str, Any]) -> None:
    scores = analyse(files).scores
    for name in ("pass_at_1", "pass_at_k", "consistency"):
        assert scores[name] is None or 0 <= scores[name] <= 1
    for entry in [*scores["pass_at"].values(), *scores["pass_hat"].values()]:
        assert 0 <= entry["low"] <= entry["high"] <= 1
        assert entry["eligible_tasks"] <= entry["total_tasks"]


@settings(max_examples=15, deadline=None)
@given(runs())
def test_bounds_hold_every_completion(files: dict[str, Any]) -> None:
    """Enumerates all 0/1 completions of the repeats without a measurement (at most 2^6 of them are tried)."""
    run = analyse(files)
    open_repeats = [
        row for row in run.aligned.to_pylist() if row["outcome"] in ("masked", "unscored", "failed", "missing")
    ]
    free = [row for row in open_repeats if row["reason"] != "conflict"]
    if len(free) != len(open_repeats) or len(free) > 6:
        return
    measured = {(r["task"], r["repeat"]): r["passed"] for r in run.aligned.to_pylist() if r["outcome"] == "measured"}
    tasks = sorted({row["task"] for row in run.aligned.to_pylist()})
    values = []
    for completion in itertools.product([0, 1], repeat=len(free)):
        filled = measured | {(r["task"], r["repeat"]): v for r, v in zip(free, completion, strict=True)}
        means = [[v for (t, _), v in filled.items() if t == task] for task in tasks]
        values.append(sum(sum(v) / len(v) for v in means) / len(means))
    bounds = run.scores["bounds"]["pass_at_1"]
    assert (min(values), max(values)) == (pytest.approx(bounds["low"]), pytest.approx(bounds["high"]))
