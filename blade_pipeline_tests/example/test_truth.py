"""What the files hold, counted here with ``json`` alone, is what ``truth.json`` says."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from blade_pipeline.example import write_example
from blade_pipeline_tests.example.conftest import Json, lines_of, truth_of


def _key(row: Json) -> tuple[int, int]:
    return row["_ng_task_index"], row["_ng_rollout_index"]


def _outcomes(folder: Path) -> dict[tuple[int, int], tuple[str, float | None]]:
    """Outcome and reward per expected rollout: a row wins over the sidecar, the sidecar over nothing."""
    rows = {_key(row): row for row in lines_of(folder / "rollouts.jsonl")}
    failed = {_key(row) for row in lines_of(folder / "rollouts_failures.jsonl")}
    found: dict[tuple[int, int], tuple[str, float | None]] = {}
    for key in map(_key, lines_of(folder / "rollouts_materialized_inputs.jsonl")):
        if key in rows:
            masked = rows[key].get("mask_sample", False)
            found[key] = ("masked", None) if masked else ("measured", rows[key]["reward"])
        else:
            found[key] = ("failed" if key in failed else "missing", None)
    return found


def test_outcome_and_reward_of_every_rollout(small: Path) -> None:
    for run in truth_of(small)["runs"]:
        told = {(r["task"], r["repeat"]): (r["outcome"], r["reward"]) for r in run["rollouts"]}
        assert _outcomes(small / run["directory"]) == told


def test_counts(small: Path) -> None:
    for run in truth_of(small)["runs"]:
        found = _outcomes(small / run["directory"])
        outcomes = Counter(outcome for outcome, _ in found.values())
        counts = run["counts"]
        assert counts["expected"] == len(found) == 12 * 4
        assert [counts[name] for name in ("measured", "masked", "failed", "missing")] == [
            outcomes[name] for name in ("measured", "masked", "failed", "missing")
        ]
        assert counts["passed"] == sum(reward == 1.0 for _, reward in found.values())
        failures = lines_of(small / run["directory"] / "rollouts_failures.jsonl")
        assert counts["failed_attempts"] == len(failures)
        rows = {_key(row) for row in lines_of(small / run["directory"] / "rollouts.jsonl")}
        assert counts["recovered"] == len(rows & {_key(row) for row in failures})


def test_only_one_run_is_damaged_and_by_the_documented_numbers(small: Path) -> None:
    # 48 rollouts: round(.06*48) = round(2.88) = 3 masked, round(.08*48) = round(3.84) = 4 failed,
    # round(.05*48) = round(2.4) = 2 missing, round(.04*48) = round(1.92) = 2 recovered; 48-3-4-2 = 39 measured.
    # The four failures take agent_request_failed (3 attempts), verifier_error, environment_server_failed and again
    # agent_request_failed: 3+1+1+3 = 8 attempts, and 2 of the recovered ones make 10.
    runs = truth_of(small)["runs"]
    damaged = [run for run in runs if run["counts"]["measured"] != 48]
    assert [(run["benchmark"], run["model"]) for run in damaged] == [("shop_tools", "lumen-30b")]
    counts = damaged[0]["counts"]
    assert {name: counts[name] for name in ("measured", "masked", "failed", "missing", "recovered")} == {
        "measured": 39,
        "masked": 3,
        "failed": 4,
        "missing": 2,
        "recovered": 2,
    }
    assert counts["failed_attempts"] == 10
    assert all(run["counts"]["failed_attempts"] == 0 for run in runs if run is not damaged[0])


def test_every_failed_rollout_has_a_planted_mode_and_no_other_has_one(small: Path) -> None:
    for run in truth_of(small)["runs"]:
        assert all((rollout["mode"] is not None) == (rollout["reward"] == 0.0) for rollout in run["rollouts"])
        assert run["failure_modes"] == Counter(r["mode"] for r in run["rollouts"] if r["mode"] is not None)


def test_pairs_that_are_not_comparable(small: Path) -> None:
    pairs = {(p["benchmark"], p["run_a"], p["run_b"]): p for p in truth_of(small)["pairs"]}
    assert len(pairs) == 6
    apart = {key[1:]: pair["why_not"] for key, pair in pairs.items() if not pair["comparable"]}
    assert apart == {
        ("lumen-8b", "marl-8b"): "lumen-8b ran at temperature 0.6 and marl-8b at 1.0",
        ("lumen-30b", "marl-8b"): "lumen-30b ran at temperature 0.6 and marl-8b at 1.0",
    }
    assert pairs["ledger_math", "lumen-8b", "lumen-30b"]["skill_difference"] == 1.6
    near = [pair for pair in pairs.values() if pair["near_equal"] and pair["comparable"]]
    assert [(pair["benchmark"], pair["skill_difference"], pair["damaged"]) for pair in near] == [
        ("shop_tools", 0.05, [])
    ]


def test_the_temperature_is_echoed_everywhere(small: Path) -> None:
    for run in truth_of(small)["runs"]:
        folder = small / run["directory"]
        for name in ("rollouts.jsonl", "rollouts_materialized_inputs.jsonl"):
            seen = {row["responses_create_params"]["temperature"] for row in lines_of(folder / name)}
            assert seen == {run["temperature"]}
        assert f"  temperature: {run['temperature']}\n" in (folder / "rollouts_resolved_config.yaml").read_text()
    assert [run["temperature"] for run in truth_of(small)["runs"]] == [0.6, 0.6, 1.0, 0.7, 0.7, 0.7]


def test_models_share_their_tasks(small: Path) -> None:
    contents: dict[str, set[str]] = defaultdict(set)
    for run in truth_of(small)["runs"]:
        rows = lines_of(small / run["directory"] / "rollouts_materialized_inputs.jsonl")
        for row in rows:
            row["responses_create_params"].pop("temperature")
        contents[run["benchmark"]].add(repr(rows))
    assert {benchmark: len(versions) for benchmark, versions in contents.items()} == {"ledger_math": 1, "shop_tools": 1}


@pytest.mark.parametrize(("tasks", "repeats", "models"), [(2, 1, 1), (3, 2, 2), (2, 1, 5)])
def test_the_smallest_sizes_keep_a_measured_rollout_in_every_run(
    tmp_path: Path, tasks: int, repeats: int, models: int
) -> None:
    folders = write_example(tmp_path / "out", tasks=tasks, repeats=repeats, models=models)
    runs = truth_of(tmp_path / "out")["runs"]
    assert len(folders) == len(runs) == 2 * models
    assert all(run["counts"]["measured"] >= 1 for run in runs)
