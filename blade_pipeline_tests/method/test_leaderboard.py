"""Order of pairs, ranks and the sentence about them, by hand."""

from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.comparison import Side
from blade_pipeline.method.comparison.leaderboard import leaderboard
from blade_pipeline.reporting.view.summary import model_of


def side(run: str, score: float | None) -> Side:
    scores = {"pass_at_1": score, "intervals": {}, "mean_reward": score, "num_tasks": 4, "num_rollouts": 8}
    nothing: Any = {"values": {}}
    counts = {"measured": 6, "masked": 2, "unscored": 0}
    coverage = {"coverage": 1.0, "measured_share": 1.0, "accounting": counts}
    return Side(run, nothing, coverage, scores, pa.table({}), pa.table({}))


def pair(a: str, b: str, verdict: str, value: float = 0.1) -> dict[str, Any]:
    return {"run_a": a, "run_b": b, "verdict": verdict, "difference": {"value": value}}


def ranks(board: dict[str, Any]) -> dict[str, tuple[int | None, int | None]]:
    return {row["run"]: (row["rank_low"], row["rank_high"]) for row in board["leaderboard"]}


def test_a_decided_pair_orders_and_an_open_one_does_not() -> None:
    sides = [side("a", 0.2), side("b", 0.5), side("c", 0.6)]
    pairs = [
        pair("a", "b", "model_change", 0.3),
        pair("a", "c", "model_change", 0.4),
        pair("b", "c", "no_detectable_change"),
    ]
    board = leaderboard("bench", sides, pairs)
    assert [row["run"] for row in board["leaderboard"]] == ["c", "b", "a"]
    assert ranks(board) == {"a": (3, 3), "b": (1, 2), "c": (1, 2)}
    assert board["sentence"] == (
        "Any of c or b could be first. The data orders 2 of 3 pairs: b before a, c before a. "
        "1 pair cannot be told apart, so their order here is no ranking."
    )


def test_a_run_of_several_models_says_how_many() -> None:
    several = [{"value": "m1", "rows": 5}, {"value": "m2", "rows": 3}]
    mixed = side("a", 0.5)
    mixed.manifest["values"]["model"] = {"value": None, "several": several}
    rows = leaderboard("bench", [mixed, side("b", 0.2)], [])["leaderboard"]
    assert [model_of(row) for row in rows] == ["2 models", "unknown"]


def test_a_single_winner_is_first_and_a_lower_error_wins() -> None:
    lower = pair("a", "b", "model_change", -0.3)
    lower["difference"]["higher_is_better"] = False
    board = leaderboard("bench", [side("a", 0.5), side("b", 0.2)], [lower])
    assert board["sentence"] == "b is first. The data orders 1 of 1 pair: b before a."


def test_the_loser_of_a_pair_may_be_the_second_run() -> None:
    board = leaderboard("bench", [side("a", 0.5), side("b", 0.2)], [pair("a", "b", "model_change", -0.3)])
    assert ranks(board) == {"a": (1, 1), "b": (2, 2)}


@pytest.mark.parametrize("verdict", ["not_comparable", "failure_accounting", "insufficient_evidence"])
def test_runs_that_cannot_be_compared_are_not_ranked(verdict: str) -> None:
    sides = [side("a", 0.2), side("b", 0.5), side("c", 0.6)]
    pairs = [pair("a", "b", "model_change"), pair("a", "c", verdict), pair("b", "c", "equivalent")]
    board = leaderboard("bench", sides, pairs)
    assert ranks(board) == {"a": (None, None), "b": (1, 2), "c": (None, None)}
    assert "1 pair may not be ranked: they are not comparable or lack evidence." in board["sentence"]


def test_a_run_without_a_score_stands_last_and_unranked() -> None:
    board = leaderboard("bench", [side("a", None), side("b", 0.5)], [pair("a", "b", "insufficient_evidence")])
    assert [row["run"] for row in board["leaderboard"]] == ["b", "a"]
    assert ranks(board) == {"a": (None, None), "b": (None, None)}, "the only scored run is first among nobody"
    assert board["sentence"] == "There is no second scored run to rank against."


def test_an_interval_of_the_board_says_what_it_is() -> None:
    interval = {"low": 0.2, "high": 0.6, "level": 0.95, "method": "Wilson", "question": "new_tasks", "reason": None}
    run = side("a", 0.4)
    run.scores["intervals"]["pass_at_1"] = interval
    board = leaderboard("b", [run], [])
    assert board["leaderboard"][0].items() >= interval.items()


def graded(run: str, mean: float) -> Side:
    found = side(run, 0.0)
    interval = {"low": mean - 0.1, "high": mean + 0.1}
    found.scores.update(mean_reward=mean, headline_metric="mean_reward", intervals={"mean_reward": interval})
    return found


def test_graded_runs_stand_in_order_of_their_mean_score() -> None:
    board = leaderboard("bench", [graded("a", 0.4), graded("b", 0.6)], [])
    assert board["metric"] == "mean_reward" and [row["run"] for row in board["leaderboard"]] == ["b", "a"]
    assert board["leaderboard"][0].items() >= {"mean_reward_low": 0.5, "mean_reward_high": 0.7}.items()


def test_the_lowest_mean_score_leads_where_lower_is_better() -> None:
    lower = pair("a", "b", "no_detectable_change", 0.2)
    lower["difference"]["higher_is_better"] = False
    board = leaderboard("bench", [graded("a", 0.4), graded("b", 0.6)], [lower])
    assert [row["run"] for row in board["leaderboard"]] == ["a", "b"]
