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

pytestmark = pytest.mark.long

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


slow = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])


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


def analyse_shards(files: dict[str, Any], shards: dict[str, list[Any]]) -> Analyzed:
    """The same run with its rows in other rollouts files than one."""
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "b" / "r", **files)
        (run / "rollouts.jsonl").unlink()
        for name, rows in shards.items():
            lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
            (run / name).write_text("".join(f"{line}\n" for line in lines))
        return analyzed_folder(Path(folder))["b/r"]


@slow
@given(runs(), st.integers(1, 4), st.randoms())
def test_the_split_into_shards_and_their_order_change_no_number(
    files: dict[str, Any], pieces: int, random: Any
) -> None:
    rows = [*files["rows"], "", rollout(0, 0, 1.0)]
    names = [f"rollouts-rs{piece}-chunk0.jsonl" for piece in range(pieces)]
    places = [random.randrange(pieces) for _ in rows]
    shards = {
        name: [row for row, place in zip(rows, places, strict=True) if place == piece]
        for piece, name in enumerate(names)
    }
    whole, split = analyse(files | {"rows": rows}), analyse_shards(files, shards)
    turned = analyse_shards(files, dict(zip(names, reversed(shards.values()), strict=True)))
    assert numbers(whole) == numbers(split) == numbers(turned)


def of_two_agents(files: dict[str, Any], swap: bool) -> dict[str, Any]:
    """Every rollout run by two agents, the first agent's lines first or last."""
    agents = ("b", "a") if swap else ("a", "b")

    def copies(lines: list[Any]) -> list[Any]:
        return [{**row, "agent_ref": {"name": name}} for name in agents for row in lines if isinstance(row, dict)]

    return {part: copies(lines) for part, lines in files.items()}


def ours(scores: dict[str, Any]) -> dict[str, Any]:
    """Scores without the peer's numbers, which take one of two conflicting lines by its bytes."""
    return {name: value for name, value in scores.items() if not name.startswith("native")}


@slow
@given(runs())
def test_the_order_of_agents_changes_no_number(files: dict[str, Any]) -> None:
    first, second = (analyse(of_two_agents(files, swap)) for swap in (False, True))
    assert numbers(first) == numbers(second)
    own = {name: ours(scores) for name, scores in first.scores["agents"].items()}
    other = {name: ours(scores) for name, scores in second.scores["agents"].items()}
    assert json.dumps(own, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert own["a"] == own["b"]


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
        assert entry["value"] is None or 0 <= entry["value"] <= 1
        assert entry["eligible_tasks"] <= entry["total_tasks"]
    shares = [scores["accountings"][rule] for rule in scores["accountings"]]
    shares += [scores["repeats"]["repeat_agreement"], scores["repeats"]["identical_share"]]
    shares += [scores["repeats"]["cochran_p"]]
    shares += [interval[end] for interval in scores["intervals"].values() for end in ("low", "estimate", "high")]
    assert all(share is None or 0 <= share <= 1 for share in shares)


@slow
@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=4))
def test_more_attempts_pass_no_less_and_all_pass_no_more(outcomes: list[list[bool]]) -> None:
    rows = [rollout(t, r, float(passed)) for t, task in enumerate(outcomes) for r, passed in enumerate(task)]
    inputs = [planned(t, r) for t in range(len(outcomes)) for r in range(3)]
    scores = analyse({"rows": rows, "inputs": inputs, "failures": []}).scores
    for curve, falling in (("pass_at", False), ("pass_hat", True)):
        values = [scores[curve][str(k)]["value"] for k in (1, 2, 3)]
        assert values == sorted(values, reverse=falling)


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
