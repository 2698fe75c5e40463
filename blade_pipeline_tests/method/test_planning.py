"""Planning against the worked example of statistics.md 1.5 E and case S13."""

import pyarrow as pa
import pytest

from blade_pipeline.method.planning import plan
from blade_pipeline.models import BladeError

SCORES = {"variance": {"sigma2_within": 0.1}}


def design(tasks: int, repeats: int) -> pa.Table:
    return pa.table({"measured": pa.array([repeats] * tasks, pa.int64())})


def test_the_detectable_effect_falls_with_repeats_as_the_example_says() -> None:
    [scenario] = plan(design(198, 4), SCORES, omega2=0.05)["scenarios"]
    assert scenario["mde"] == pytest.approx(0.06296094562436051, abs=1e-9)
    by_repeats = {entry["repeats"]: entry["mde"] * 100 for entry in scenario["mde_at"]}
    for repeats, points in ((1, 9.96), (2, 7.71), (4, 6.30), (8, 5.45)):
        assert by_repeats[repeats] == pytest.approx(points, abs=0.0051)
    assert scenario["mde_limit"] * 100 == pytest.approx(4.45, abs=0.005)


def test_tasks_needed_for_three_points() -> None:
    [scenario] = plan(design(198, 4), SCORES, effect=0.03, omega2=0.05)["scenarios"]
    # S13: 7.848880 * .1 / .0009 = 872.1
    assert scenario["tasks_needed"] == 873
    assert scenario["repeats_needed"] is None  # omega2 alone leaves 4.45 points


def test_repeats_needed_by_hand() -> None:
    [scenario] = plan(design(100, 2), SCORES, effect=0.1, omega2=0.0)["scenarios"]
    # (z+z)^2 * 2 * .1 / (100 * .01) = 7.848880 * .2 = 1.57 repeats
    assert scenario["repeats_needed"] == 2


def test_an_unknown_spread_gives_a_range() -> None:
    assert [scenario["omega2"] for scenario in plan(design(10, 2), SCORES)["scenarios"]] == [0.0, 0.05]


@pytest.mark.parametrize("settings", [{"power": 1.0}, {"alpha": 0.0}, {"effect": 0.0}, {"omega2": -1.0}])
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(BladeError, match=r"must lie|cannot be negative"):
        plan(design(10, 2), SCORES, **settings)


def test_one_repeat_cannot_plan() -> None:
    with pytest.raises(BladeError, match="two measured repeats"):
        plan(design(10, 1), {"variance": {"sigma2_within": None}})


def test_no_difference_beyond_one_is_promised() -> None:
    # 2.801585 * sqrt(2 * .1 / 2) = .886 for two tasks with one repeat; with .2 it is 1.253, which no scores differ by
    sizes = [
        plan(design(2, 1), {"variance": {"sigma2_within": sigma2}}, omega2=0.0)["scenarios"][0]["mde"]
        for sigma2 in (0.1, 0.2)
    ]
    assert sizes == [pytest.approx(0.8859, abs=1e-4), None]


def test_one_task_cannot_plan() -> None:
    with pytest.raises(BladeError, match="one task says nothing about others"):
        plan(design(1, 5), SCORES)
