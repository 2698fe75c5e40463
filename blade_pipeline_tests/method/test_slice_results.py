"""What slices score and how they fail, counted by hand."""

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.graded import headline_metric
from blade_pipeline.method.scores import scores
from blade_pipeline.method.slice_members import MOST_SLICES, slice_members
from blade_pipeline.method.slice_tests import scores_apart
from blade_pipeline.models import Profile
from blade_pipeline.tables import RAW_ROLLOUTS
from blade_pipeline_tests.builders import aligned

OUTPUT = {"output_items": 1, "answer_length": 9, "total_tokens": 5, "response_status": "completed"}
CUT = {"incomplete_reason": "max_output_tokens"}


def _rollouts(task: int, outcomes: str, kind: str | None, **more: Any) -> list[dict[str, Any]]:
    """One row per letter: P passes, F fails, C is cut and fails, M is masked, - is missing."""
    slices = {} if kind is None else {"slices": {"kind": kind}}
    named = {"M": {"outcome": "masked"}, "-": {"outcome": "missing"}, "P": {"score": 1.0, **OUTPUT}}
    named |= {"F": {"score": 0.0, **OUTPUT}, "C": {"score": 0.0, **OUTPUT, **CUT}}
    return [
        {"task": task, "repeat": n, **slices, **more, **named[letter]} for n, letter in enumerate(outcomes)
    ]  # fmt: skip


ROWS = [
    *_rollouts(0, "PP", "a"),
    *_rollouts(1, "PF", "a"),
    *_rollouts(2, "CC", "a"),
    *_rollouts(3, "F-", "b"),
    *_rollouts(4, "MM", "b"),
    *_rollouts(5, "PP", None),
]


def _scored(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return scores(aligned(rows), RAW_ROLLOUTS.empty_table(), Profile())[1]


def test_each_slice_has_its_tasks_rollouts_score_and_never_passing_tasks() -> None:
    first, second = _scored(ROWS)["slices"]
    interval, other = first.pop("interval"), second.pop("interval")
    # a: tasks with 2 of 2, 1 of 2 and 0 of 2; pass@1 = (1 + 1/2 + 0) / 3.
    assert first == {
        "field": "kind", "value": "a", "total_tasks": 3, "total_rollouts": 6, "num_tasks": 3, "num_rollouts": 6,
        "passed_rollouts": 3, "never_pass_tasks": 1, "pass_at_1": 0.5, "against_rest": None,
    }  # fmt: skip
    # b: task 3 measured once, and failed; task 4 wholly masked, so it neither passes nor never passes.
    assert second == {
        "field": "kind", "value": "b", "total_tasks": 2, "total_rollouts": 4, "num_tasks": 1, "num_rollouts": 1,
        "passed_rollouts": 0, "never_pass_tasks": 1, "pass_at_1": 0.0, "against_rest": None,
    }  # fmt: skip
    for entry, tasks in ((interval, 3), (other, 1)):
        assert (entry["low"], entry["high"], entry["se"], entry["n"]) == (None, None, None, tasks)
        assert entry["reason"] == "fewer than 5 measured tasks"


# Six tasks with 3/4, 0, 1/2, 1, 1/4 and 3/4 (docs/profiles.md): mean 13/24, standard error
# sqrt(390/576 / 5 / 6) = 0.15023.
SIX = ["PPPF", "FFFF", "PPFF", "PPPP", "PFFF", "PPPF"]


def test_a_slice_of_enough_tasks_has_the_task_clustered_interval() -> None:
    rows = [row for task, outcomes in enumerate(SIX) for row in _rollouts(task, outcomes, "a")]
    found = _scored(rows)["slices"][0]
    assert found["pass_at_1"] == pytest.approx(13 / 24)
    assert found["interval"]["se"] == pytest.approx((390 / 576 / 30) ** 0.5)
    assert (found["interval"]["n"], found["interval"]["question"]) == (6, "new_tasks")
    assert 0 < found["interval"]["low"] < 13 / 24 < found["interval"]["high"] < 1


def test_families_count_as_units_in_a_slice_too() -> None:
    rows = [row for task, outcomes in enumerate(SIX) for row in _rollouts(task, outcomes, "a", family=f'"{task // 2}"')]
    interval = _scored(rows)["slices"][0]["interval"]
    assert (interval["low"], interval["n"], interval["reason"]) == (None, 3, "fewer than 5 measured families")


def test_the_mix_of_modes_sums_to_the_failed_rollouts_of_the_slice() -> None:
    assert failure_modes(aligned(ROWS), Profile())[1]["by_slice"] == [
        {
            "field": "kind",
            "value": "a",
            "failed": 3,
            "modes": [{"code": "output_limit", "count": 2}, {"code": "wrong_answer", "count": 1}],
        },
        {"field": "kind", "value": "b", "failed": 1, "modes": [{"code": "wrong_answer", "count": 1}]},
    ]


def test_a_run_without_slices_has_none() -> None:
    document = _scored(_rollouts(0, "PF", None))
    assert (document["slices"], document["slices_left_out"]) == ([], [])
    assert failure_modes(aligned(_rollouts(0, "PF", None)), Profile())[1]["by_slice"] == []


def test_rows_are_counted_in_every_slice_that_they_belong_to() -> None:
    texts = ['{"x":"1","y":"u"}', None, '{"x":"2"}', '{"x":"1","y":"v"}', "{}"]
    members = slice_members(pa.chunked_array([texts[:2], texts[2:]], pa.string()))
    assert members.slices == [("x", "1"), ("x", "2"), ("y", "u"), ("y", "v")]
    assert members.count(np.array([True] * 5)).tolist() == [2, 1, 1, 1]
    assert members.count(np.array([True, True, True, False, False])).tolist() == [1, 1, 1, 0]
    masks = dict(members.masks())
    assert masks["x", "1"].tolist() == [True, False, False, True, False]


def test_fields_with_too_many_values_are_named_and_left_out_whole() -> None:
    texts = [json.dumps({"few": str(n % 2), "many": str(n)}) for n in range(MOST_SLICES)]
    members = slice_members(pa.chunked_array([texts]))
    assert members.slices == [("few", "0"), ("few", "1")]
    assert members.left_out == {"many": MOST_SLICES}
    assert members.count(np.ones(MOST_SLICES, dtype=np.bool_)).tolist() == [MOST_SLICES / 2] * 2


def _kinds(**passes: list[str]) -> list[dict[str, Any]]:
    """Tasks per kind, one per text of outcomes."""
    named = [(kind, outcomes) for kind, texts in passes.items() for outcomes in texts]
    return [row for task, (kind, outcomes) in enumerate(named) for row in _rollouts(task, outcomes, kind)]


def test_the_score_of_a_slice_is_held_against_the_other_tasks() -> None:
    # Ten tasks that never pass against thirty that always do: of C(40, 10) choices of the ten one is as extreme.
    rows = _scored(_kinds(a=["FF"] * 10, b=["PP"] * 30))["slices"]
    first, second = (row["against_rest"] for row in rows)
    assert (first["score"], first["rest"], first["rest_tasks"]) == (0.0, 1.0, 30)
    assert (second["score"], second["rest"], second["rest_tasks"]) == (1.0, 0.0, 10)
    assert first["p"] == second["p"] == first["q"] < 1e-5
    assert [row["value"] for row in scores_apart(rows)] == ["a"]


def test_a_slice_like_the_rest_and_a_small_one_do_not_stand_apart() -> None:
    rows = _scored(_kinds(a=["PF"] * 6, b=["PP", "FF"] * 6, c=["FF"] * 4))["slices"]
    assert rows[0]["against_rest"]["p"] > 0.2
    assert rows[2]["against_rest"] is None
    assert scores_apart(rows) == []


def test_tasks_of_one_family_are_one_unit() -> None:
    families = [row | {"family": f'"{row["task"] // 10}"'} for row in _kinds(a=["FF"] * 40, b=["PP"] * 60)]
    test = _scored(families)["slices"][0]["against_rest"]
    assert test is None  # 40 tasks, but 4 families


def test_a_slice_whose_families_score_the_other_way_stands_nowhere() -> None:
    # By task 30 of 39 pass against 20 of 40, by family 1 of 10 against 20 of 40.
    rows = _kinds(a=["PP"] * 30 + ["FF"] * 9, b=["PP"] * 20 + ["FF"] * 20)
    families = [row | {"family": '"one"' if row["task"] < 30 else f'"{row["task"]}"'} for row in rows]
    assert _scored(families)["slices"][0]["against_rest"] is None
    assert _scored(rows)["slices"][0]["against_rest"]["p"] < 0.05


def test_fields_of_difficulty_are_told_last() -> None:
    rows = [
        row
        | {"slices": {"difficulty": "hard" if row["task"] % 2 else "easy", "site": "x" if row["task"] < 20 else "y"}}
        for task in range(80)
        for row in _rollouts(task, "PP" if task >= 20 and not task % 2 else "FF", None)
    ]
    assert [row["field"] for row in scores_apart(_scored(rows)["slices"])] == ["site", "difficulty"]


def _graded(values: list[float], **more: Any) -> list[dict[str, Any]]:
    return [{"task": n, "score": value, **OUTPUT, **more} for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "profile", "metric"),
    [
        ([0.2, 0.5, 0.9, 0.6], {}, "mean_reward"),
        ([0.2, 0.5, 1.0, 0.6], {}, "mean_reward"),  # 1.3 below the pass mark, 1.0 at it
        ([0.2, 0.5, 1.0, 1.0], {}, "pass_at_1"),  # 0.7 against 2.0
        ([0.5, 0.5, 0.0, 0.0], {}, "pass_at_1"),  # two values are no grades
        ([0.2, 0.5, 0.9, 0.6], {"pass_threshold": 0.95}, "pass_at_1"),  # the team says what passes
        ([-3.0, 0.5, 0.9, 0.6], {}, "pass_at_1"),  # no scale is known
        ([-3.0, 0.5, 0.9, 0.6], {"reward_range": [-4, 1]}, "mean_reward"),
        ([], {}, "pass_at_1"),
    ],
)
def test_a_run_goes_by_its_mean_score_where_most_is_earned_below_the_pass_mark(
    values: list[float], profile: dict[str, Any], metric: str
) -> None:
    assert headline_metric(aligned(_graded(values)), Profile.model_validate(profile)) == metric


def test_slices_of_a_graded_run_have_a_mean_score_and_are_tested_by_it() -> None:
    low, high = [0.1, 0.2, 0.3] * 3, [0.7, 0.8, 0.9] * 5
    rows = [row | {"task": n, "slices": {"lang": "is" if n < 9 else "es"}} for n, row in enumerate(_graded(low + high))]
    spanish, icelandic = _scored(rows)["slices"]
    assert icelandic["mean_reward"] == pytest.approx(0.2) and spanish["mean_reward"] == pytest.approx(0.8)
    # Nine values, three each of 0.1, 0.2 and 0.3: variance 0.06/8 and a mean below 1/4, so t of 8 degrees of freedom
    # (2.306) on the logit scale, where the standard error is that of the mean over 0.2 * 0.8.
    half = 2.306 * (0.06 / 8 / 9) ** 0.5 / 0.16
    high = 1 / (1 + 4 / math.exp(half))
    assert icelandic["mean_reward_interval"]["high"] == pytest.approx(high, rel=1e-3)
    assert icelandic["against_rest"]["rest"] == pytest.approx(0.8) and icelandic["against_rest"]["q"] < 0.001


def test_of_fields_that_part_the_tasks_alike_the_one_of_words_is_told() -> None:
    rows = _kinds(tall=["FF"] * 10, wide=["PP"] * 30)
    both = {"tall": {"height": "1024", "kind": "tall"}, "wide": {"height": "768", "kind": "wide"}}
    rows = [row | {"slices": both[row["slices"]["kind"]]} for row in rows]
    [told] = scores_apart(_scored(rows)["slices"])
    assert (told["field"], told["value"]) == ("kind", "tall")


def test_slices_that_begin_with_a_number_stand_in_its_order() -> None:
    texts = ['{"size":"15 to 24"}', '{"size":"4 to 14"}', '{"size":"100"}']
    assert slice_members(pa.chunked_array([texts])).slices == [("size", n) for n in ("4 to 14", "15 to 24", "100")]
