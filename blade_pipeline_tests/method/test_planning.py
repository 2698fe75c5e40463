"""Planning against the worked example of statistics.md 1.5 E and case S13."""

import pyarrow as pa
import pytest

from blade_pipeline.method.planning import plan
from blade_pipeline.models import BladeError

SCORES = {"variance": {"sigma2_within": 0.1}}


def design(tasks: int, repeats: int) -> pa.Table:
    return pa.table({"measured": pa.array([repeats] * tasks, pa.int64())})


def test_the_detectable_effect_falls_with_repeats_as_the_example_says() -> None:
    # the example's 9.96, 7.71, 6.30, 5.45 and 4.45 points times (t + t)/(z + z) at 197 df, 2.81553/2.80159 = 1.00498
    [scenario] = plan(design(198, 4), SCORES, omega2=0.05)["scenarios"]
    assert scenario["mde"] == pytest.approx(0.06296094562436051 * 1.004977, abs=1e-7)
    by_repeats = {entry["repeats"]: entry["mde"] * 100 for entry in scenario["mde_at"]}
    for repeats, points in ((1, 10.00), (2, 7.75), (4, 6.33), (8, 5.48)):
        assert by_repeats[repeats] == pytest.approx(points, abs=0.0051)
    assert scenario["mde_limit"] * 100 == pytest.approx(4.47, abs=0.005)


def test_tasks_needed_for_three_points() -> None:
    [scenario] = plan(design(198, 4), SCORES, effect=0.03, omega2=0.05)["scenarios"]
    # S13 with z: 7.848880 * .1 / .0009 = 872.1; t at 874 df gives 2.804715^2 * 111.11 = 874.05
    assert scenario["tasks_needed"] == 875
    assert scenario["repeats_needed"] is None  # omega2 alone leaves 4.47 points


def test_repeats_needed_by_hand() -> None:
    [scenario] = plan(design(100, 2), SCORES, effect=0.1, omega2=0.0)["scenarios"]
    # (t+t)^2 * 2 * .1 / (100 * .01) = 2.82948^2 * .2 = 1.60 repeats
    assert scenario["repeats_needed"] == 2


def test_an_unknown_spread_gives_a_range() -> None:
    assert [scenario["omega2"] for scenario in plan(design(10, 2), SCORES)["scenarios"]] == [0.0, 0.05]


@pytest.mark.parametrize(
    "settings", [{"power": 1.0}, {"alpha": 0.0}, {"effect": 0.0}, {"omega2": -1.0}, {"power": 0.05}]
)
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(BladeError, match=r"must lie|cannot be negative"):
        plan(design(10, 2), SCORES, **settings)


def test_one_repeat_cannot_plan() -> None:
    with pytest.raises(BladeError, match="two measured repeats"):
        plan(design(10, 1), {"variance": {"sigma2_within": None}})


def test_no_difference_beyond_one_is_promised() -> None:
    # (2.57058 + .91954) * sqrt(2 * .2 / 6) = .9011 for six tasks with one repeat; with .25 it is 1.0075
    sizes = [
        plan(design(6, 1), {"variance": {"sigma2_within": sigma2}}, omega2=0.0)["scenarios"][0]["mde"]
        for sigma2 in (0.2, 0.25)
    ]
    assert sizes == [pytest.approx(0.9011, abs=1e-4), None]


def test_four_tasks_find_no_difference_whatever_the_repeats() -> None:
    # four tasks that all move one way have a sign-flip mid-p of 1/16, five of 1/32
    [four] = plan(design(4, 32), SCORES, effect=0.9, omega2=0.0)["scenarios"]
    assert (four["mde"], four["mde_limit"], four["repeats_needed"], four["tasks_needed"]) == (None, None, None, 5)
    [five] = plan(design(5, 32), SCORES, effect=0.9, omega2=0.0)["scenarios"]
    assert (five["repeats_needed"], five["tasks_needed"]) == (1, 5)


def test_one_task_cannot_plan() -> None:
    with pytest.raises(BladeError, match="one task says nothing about others"):
        plan(design(1, 5), SCORES)
