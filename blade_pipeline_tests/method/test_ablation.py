"""The within-task counterfactuals: tables whose every number is worked out by hand."""

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from blade_pipeline.method.ablation import ablation
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.method.verification.truths import Truths
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

GRADED = Profile.model_validate(
    {
        "failure_modes": [
            {"code": "late", "when": "answer_length = 1", "severity": 9},
            {"code": "short", "when": "answer_length = 2", "severity": 5},
        ]
    }
)
LATE, SHORT, PLAIN = {"answer_length": 1}, {"answer_length": 2}, {"answer_length": 9, "output_items": 1}


def _rows(*tasks: list[dict[str, Any] | float]) -> pa.Table:
    """A table of tasks; a repeat is a score, or a row of its own."""
    rows = []
    for task, repeats in enumerate(tasks):
        for number, repeat in enumerate(repeats):
            own = {"score": repeat, **PLAIN} if isinstance(repeat, float) else repeat
            rows.append({"task": task, "repeat": number, **own})
    return aligned(rows)


def _fail(shown: dict[str, Any], score: float = 0.0) -> dict[str, Any]:
    return {"score": score, **shown}


def _found(table: pa.Table, profile: Profile = GRADED) -> Any:
    modes, document = failure_modes(table, profile)
    return ablation(table, buckets_of(table), modes, document["modes"], profile)


# Task 0: late, late, pass, pass. Task 1: late, short, pass, wrong. Task 2: late, late. Task 3: wrong, pass, no score.
TABLE = _rows(
    [_fail(LATE), _fail(LATE), 1.0, 1.0],
    [_fail(LATE), _fail(SHORT), 1.0, 0.0],
    [_fail(LATE), _fail(LATE)],
    [0.0, 1.0, {"outcome": "missing"}],
)


@pytest.mark.parametrize(
    ("name", "scores", "moved", "stuck"),
    [
        ("baseline", [1 / 2, 1 / 4, 0, 1 / 3], 0, 0),
        ("late", [1, 1 / 3, 0, 1 / 3], 2, 1),  # task 2 holds late rollouts only and keeps its mean
        ("short", [1 / 2, 1 / 3, 0, 1 / 3], 1, 0),
        ("no_score", [1 / 2, 1 / 4, 0, 1 / 2], 1, 0),
        ("all_modes", [1, 1 / 2, 0, 1 / 2], 3, 1),
        ("oracle", [1, 1, 0, 1], 3, 0),
    ],
)
def test_a_row_averages_the_least_affected_rollouts_of_every_task(
    name: str, scores: list[float], moved: int, stuck: int
) -> None:
    found = _found(TABLE)
    row = found[name] if name in found else found["modes"][name]
    assert row["task_scores"] == pytest.approx(sum(scores))
    assert row["pass_at_1"] == pytest.approx(sum(scores) / 4)
    assert row["gain"] == pytest.approx(sum(scores) / 4 - (1 / 2 + 1 / 4 + 1 / 3) / 4)
    assert (row["moved_tasks"], row["stuck_tasks"]) == (moved, stuck)


def test_what_the_modes_leave_unexplained_is_the_oracle_minus_all_modes() -> None:
    found = _found(TABLE)
    assert found["unexplained"] == pytest.approx((3 - 2) / 4)
    assert (found["tasks"], found["rollouts"], found["without_score"]) == (4, 13, 1)


@pytest.mark.parametrize(
    ("name", "rise"),
    [
        ("modes/late", (2 / 4 + 1 / 4 + 2 / 2 + 0) / 4),
        ("modes/short", (0 + 1 / 4 + 0 + 0) / 4),
        ("no_score", (0 + 0 + 0 + 1 / 3) / 4),
        ("all_modes", (2 / 4 + 2 / 4 + 2 / 2 + 1 / 3) / 4),
        ("baseline", None),
        ("oracle", None),
    ],
)
def test_if_the_affected_rollouts_passed_tasks_with_nothing_else_would_rise_too(name: str, rise: float | None) -> None:
    """The late ones are 2 of 4, 1 of 4 and 2 of 2 rollouts of tasks 0 to 2; task 3 has one of 3 without a score."""
    place = _found(TABLE)
    for part in name.split("/"):
        place = place[part]
    assert place["if_passed"] == (None if rise is None else pytest.approx(rise))


def test_a_failure_without_a_symptom_is_no_mode_of_the_table() -> None:
    # One pass and one plain wrong answer: leaving the modes out changes nothing, the oracle is what nobody explains.
    found = _found(_rows([1.0, 0.0], [_fail(LATE), 1.0]))
    assert list(found["modes"]) == ["late"]
    assert (found["all_modes"]["task_scores"], found["unexplained"]) == (1.5, 0.25)


def test_inside_a_task_rollouts_with_the_symptom_stand_against_those_without() -> None:
    # Task 0 holds both: with it 1 of 2 pass, without it 2 of 2. Task 1 holds only rollouts with it. In task 2 it is
    # 0 of 1 against 0 of 1. The difference over tasks 0 and 2 is ((1 - 1/2) + (0 - 0)) / 2.
    table = _rows([_fail(LATE), _fail(LATE, 1.0), 1.0, 1.0], [_fail(LATE), _fail(LATE)], [_fail(LATE), 0.0])
    found = _found(table)["modes"]["late"]["within_tasks"]
    counted = {"tasks": 2, "with": 3, "with_passed": 1, "without": 3, "without_passed": 2, "difference": 0.25}
    assert found == counted


def test_rewards_follow_the_same_choice_of_rollouts() -> None:
    # Of the failed ones the late is worst: where nothing else is left, all modes keeps the short one of task 1.
    table = _rows([_fail(LATE, 0.2), _fail(PLAIN, 0.1)], [_fail(LATE, 0.4), _fail(SHORT, 0.8)])
    found = _found(table)
    assert found["baseline"]["mean_reward"] == pytest.approx((0.15 + 0.6) / 2)
    assert found["modes"]["late"]["mean_reward"] == pytest.approx((0.1 + 0.8) / 2)
    assert found["all_modes"]["mean_reward"] == pytest.approx((0.1 + 0.8) / 2)
    assert found["oracle"]["mean_reward"] == pytest.approx((0.2 + 0.8) / 2)
    assert {found[row]["pass_at_1"] for row in ("baseline", "all_modes", "oracle")} == {0.0}


@pytest.mark.parametrize(
    ("bounds", "score", "baseline"),
    [(None, 0.5, (0.5 + 0.0) / 2), ((-1.0, 1.0), 0.5, (0.5 - 1.0) / 2), (None, 7.0, None)],
)
def test_a_rollout_without_a_score_takes_the_worst_reward_where_that_is_known(
    bounds: tuple[float, float] | None, score: float, baseline: float | None
) -> None:
    profile = GRADED.model_copy(update={"reward_range": bounds})
    table = _rows([_fail(PLAIN, score), {"outcome": "failed"}])
    assert _found(table, profile)["baseline"]["mean_reward"] == baseline


def test_where_less_is_better_the_best_reward_is_the_lowest() -> None:
    profile = GRADED.model_copy(update={"higher_is_better": False, "reward_range": (0.0, 10.0)})
    table = _rows([_fail(PLAIN, 4.0), _fail(PLAIN, 2.0), {"outcome": "missing"}])
    found = _found(table, profile)
    assert (found["baseline"]["mean_reward"], found["oracle"]["mean_reward"]) == (pytest.approx(16 / 3), 2.0)


def test_repeats_that_only_the_plan_knows_count_as_lost() -> None:
    table = _rows([1.0])
    planned = buckets_of(table).set_column(7, "planned", pa.array([4]))
    assert planned.schema.names[7] == "planned"
    modes, document = failure_modes(table, GRADED)
    found = ablation(table, planned, modes, document["modes"], GRADED)
    assert found is not None
    assert (found["baseline"]["pass_at_1"], found["no_score"]["pass_at_1"], found["without_score"]) == (0.25, 1.0, 3)


def test_nothing_measured_gives_no_table() -> None:
    assert _found(_rows([{"outcome": "missing"}])) is None
    assert _found(aligned([])) is None


_repeat = st.sampled_from(
    [1.0, 0.0, _fail(LATE), _fail(SHORT), _fail(LATE, 1.0), {"outcome": "missing"}, {"outcome": "masked"}]
)
_tables = st.lists(st.lists(_repeat, min_size=1, max_size=5), min_size=1, max_size=4).map(lambda tasks: _rows(*tasks))


@pytest.mark.long
@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(_tables)
def test_rows_rise_from_the_baseline_over_each_mode_and_all_of_them_to_the_oracle(table: pa.Table) -> None:
    found = _found(table)
    if found is None:
        assert "measured" not in table["outcome"].to_pylist()
        return
    for row in (*found["modes"].values(), found["no_score"]):
        for name in ("pass_at_1", "mean_reward"):
            assert found["baseline"][name] <= row[name] + 1e-12
            assert row[name] <= found["all_modes"][name] + 1e-12
    assert found["all_modes"]["pass_at_1"] <= found["oracle"]["pass_at_1"] + 1e-12
    assert all(row["pass_at_1"] * len(buckets_of(table)) == pytest.approx(row["task_scores"]) for row in _all(found))
    _verified(table, found)
    _agrees_with_the_recommendations(table, found)


def _agrees_with_the_recommendations(table: pa.Table, found: dict[str, Any]) -> None:
    """What is in reach over all labels is the way from the baseline to the oracle, save for masks where all passed."""
    buckets = buckets_of(table)
    document = root_causes(table, buckets, failure_modes(table, GRADED)[0], {}, GRADED)
    masked = sum(1 - row["passed"] / row["planned"] for row in buckets.to_pylist() if row["bucket"] == "always_pass")
    reachable = sum(row["reachable"] for row in document["recommendations"])
    assert reachable + masked == pytest.approx(found["oracle"]["task_scores"] - found["baseline"]["task_scores"])


def _all(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [*found["modes"].values(), *(found[name] for name in ("baseline", "no_score", "all_modes", "oracle"))]


def _verifier(table: pa.Table) -> Verifier:
    modes, document = failure_modes(table, GRADED)
    return Verifier(Evidence("b", "r", table, None, modes, buckets_of(table), {"failure_modes": document}))


def _verified(table: pa.Table, found: dict[str, Any]) -> None:
    """The verifier counts the same by its own way."""
    judged = _verifier(table).sidecar({"ablation": found})
    assert [figure for figure in judged["figures"] if figure["status"] == "contradicted"] == []


@pytest.mark.parametrize(
    "path",
    ["modes/late/gain", "modes/late/if_passed", "all_modes/moved_tasks", "oracle/pass_at_1", "unexplained", "tasks"],
)
def test_a_wrong_number_of_the_table_is_contradicted(path: str) -> None:
    found = json.loads(json.dumps(_found(TABLE)))
    place, *names = found, *path.split("/")
    for name in names[:-1]:
        place = place[name]
    place[names[-1]] += 0.125
    judged = _verifier(TABLE).sidecar({"ablation": found})
    assert [row["context"] for row in judged["figures"] if row["status"] == "contradicted"] == [f"ablation/{path}"]


REPORT = """# Demo BLADE Analysis Report

## Dominant Failure Modes

7.7% (1 of 13 planned rollouts) have no score and count as failed here, so the baseline is 27.1%.

| Left out | pass@1 | Gain | Tasks moved | Tasks with nothing else | Gain if they passed | Pass with it, same tasks |\
 Pass without it, same tasks |
| --- | --- | --- | --- | --- | --- | --- | --- |
| nothing (baseline) | 27.1% (1.08 of 4) | 0.0 points | 0 | 0 | | | |
| `late` | 41.7% (1.67 of 4) | +14.6 points | 2 | 1 | +43.8 points | 0.0% (0 of 3) | 60.0% (3 of 5) |
| rollouts without a score | 31.2% (1.25 of 4) | +4.2 points | 1 | 0 | +8.3 points | | |
| all modes | 50.0% (2 of 4) | +22.9 points | 3 | 1 | +58.3 points | | |
| all but the best rollout (oracle) | 75.0% (3 of 4) | +47.9 points | 3 | 0 | | | |

Between the baseline and each task's best rollout lie 47.9 points. The modes and the rollouts without a score account\
 for 22.9 points of them; 25.0 points (oracle minus all modes) no mode explains yet.
"""


def test_a_report_of_the_table_is_borne_out() -> None:
    judged = _verifier(TABLE).report(REPORT)
    assert [figure for figure in judged["figures"] if figure["status"] == "contradicted"] == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("baseline is 27.1%", "baseline is 28.1%"),
        ("41.7% (1.67 of 4)", "43.0% (1.72 of 4)"),
        ("+14.6 points", "+15.6 points"),
        ("+14.6 points | 2 | 1", "+14.6 points | 3 | 1"),
        ("+14.6 points | 2 | 1", "+14.6 points | 2 | 2"),
        ("+43.8 points", "+50.0 points"),
        ("+8.3 points", "+9.3 points"),
        ("60.0% (3 of 5)", "80.0% (4 of 5)"),
        ("+22.9 points", "+21.9 points"),
        ("lie 47.9 points", "lie 57.9 points"),
        ("25.0 points (oracle", "24.0 points (oracle"),
    ],
)
def test_a_wrong_figure_of_the_table_is_contradicted(right: str, wrong: str) -> None:
    judged = _verifier(TABLE).report(REPORT.replace(right, wrong))
    assert any(figure["status"] == "contradicted" for figure in judged["figures"])


def test_the_oracle_of_the_verifier_is_the_share_of_tasks_with_a_pass() -> None:
    found = Truths(Evidence("b", "r", TABLE, None, failure_modes(TABLE, GRADED)[0], buckets_of(TABLE))).ablation
    assert found is not None
    assert found.rows["oracle"].pass_at_1 == 0.75


# Two tasks of graded scores below the pass mark, one of four planned rollouts of task 1 lost (worst score: 0).
# Task 0: late 0.2, plain 0.6, plain 0.8. Task 1: late 0.1, late 0.3, short 0.5, lost.
BELOW = _rows(
    [_fail(LATE, 0.2), _fail(PLAIN, 0.6), _fail(PLAIN, 0.8)],
    [_fail(LATE, 0.1), _fail(LATE, 0.3), _fail(SHORT, 0.5), {"outcome": "missing"}],
)
_BASE = (1.6 / 3 + 0.9 / 4) / 2


@pytest.mark.parametrize(
    ("name", "means", "moved", "lacking"),
    [
        ("modes/late", [0.7, 0.25], 2, (0.8 / 3 + (0.9 + 0.7) / 4) / 2),
        ("modes/short", [1.6 / 3, 0.4 / 3], 1, (0 + 0.5 / 4) / 2),
        ("no_score", [1.6 / 3, 0.3], 1, (0 + 1 / 4) / 2),
        ("all_modes", [0.7, 0.5], 2, (0.8 / 3 + (0.9 + 0.7 + 0.5 + 1) / 4) / 2),
        ("oracle", [0.8, 0.5], 2, None),
        ("baseline", [1.6 / 3, 0.9 / 4], 0, None),
    ],
)
def test_a_graded_run_gains_in_its_mean_score(name: str, means: list[float], moved: int, lacking: float | None) -> None:
    found = _found(BELOW)
    row = found["modes"][name.removeprefix("modes/")] if "/" in name else found[name]
    assert row["mean_reward"] == pytest.approx(sum(means) / 2)
    assert row["mean_reward_gain"] == pytest.approx(sum(means) / 2 - _BASE)
    assert row["mean_reward_moved_tasks"] == moved
    assert row["mean_reward_if_best"] == (None if lacking is None else pytest.approx(lacking))


def test_a_graded_mode_stands_against_the_others_of_the_same_tasks() -> None:
    found = _found(BELOW)
    late = {"tasks": 2, "with": 3, "without": 3, "with_mean": 0.2, "without_mean": (0.7 + 0.5) / 2}
    assert found["modes"]["late"]["mean_reward_within_tasks"] == pytest.approx(late)
    assert found["mean_reward_unexplained"] == pytest.approx((0.8 + 0.5) / 2 - (0.7 + 0.5) / 2)
    assert found["scale"] == {"worst": 0.0, "best": 1.0}
    assert "scale" not in _found(TABLE)


def test_where_less_is_better_a_gain_is_a_fall() -> None:
    profile = GRADED.model_copy(update={"higher_is_better": False, "reward_range": (0.0, 2.0)})
    found = _found(_rows([_fail(LATE, 0.8), _fail(PLAIN, 0.4), _fail(PLAIN, 0.6)]), profile)
    assert found["scale"] == {"worst": 2.0, "best": 0.0}
    assert found["modes"]["late"]["mean_reward_gain"] == pytest.approx(0.6 - 0.5)
    assert found["modes"]["late"]["mean_reward_if_best"] == pytest.approx(0.8 / 3)
    assert found["oracle"]["mean_reward_gain"] == pytest.approx(0.6 - 0.4)


def _graded_verifier() -> Verifier:
    modes, document = failure_modes(BELOW, GRADED)
    documents = {"failure_modes": document, "root_causes": {"ablation": _found(BELOW)}}
    return Verifier(Evidence("b", "r", BELOW, None, modes, buckets_of(BELOW), documents))


@pytest.mark.parametrize(
    "path",
    [
        None,
        "modes/late/mean_reward",
        "modes/late/mean_reward_gain",
        "all_modes/mean_reward_if_best",
        "oracle/mean_reward_moved_tasks",
        "modes/late/mean_reward_within_tasks/without_mean",
        "mean_reward_unexplained",
    ],
)
def test_the_graded_table_is_recounted(path: str | None) -> None:
    found = json.loads(json.dumps(_found(BELOW)))
    place, *names = found, *(path or "").split("/")
    for name in names[:-1]:
        place = place[name]
    if path:
        place[names[-1]] += 0.125
    judged = _graded_verifier().sidecar({"ablation": found})
    wrong = [row["context"] for row in judged["figures"] if row["status"] == "contradicted"]
    assert wrong == ([f"ablation/{path}"] if path else [])


GRADED_REPORT = """# Demo BLADE Analysis Report

## Dominant Failure Modes

14.3% (1 of 7 planned rollouts) have no score and count with the worst score, 0, here, so the baseline is 0.379; over \
what was measured the mean score is 0.417.

| Left out | Mean score | Gain | Tasks moved | Tasks with nothing else | Gain at the best score | pass@1 |\
 Mean with it, same tasks | Mean without it, same tasks |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| nothing (baseline) | 0.379 | 0 | 0 | 0 | | 0.0% (0 of 2) | | |
| `late` | 0.475 | +0.096 | 2 | 0 | +0.333 | 0.0% (0 of 2) | 0.2 (3 rollouts on 2 tasks) | 0.6 (3 rollouts on 2 tasks) |
| all modes | 0.6 | +0.221 | 2 | 1 | +0.521 | 0.0% (0 of 2) | | |
| all but the best rollout (oracle) | 0.65 | +0.271 | 2 | 0 | | 0.0% (0 of 2) | | |

Between the baseline and each task's best rollout lie 0.271 of the mean score. The modes and the rollouts without a \
score account for 0.221 of it; 0.05 (oracle minus all modes) no mode explains yet.
"""


def test_a_report_of_the_graded_table_is_borne_out() -> None:
    judged = _graded_verifier().report(GRADED_REPORT)
    assert [figure for figure in judged["figures"] if figure["status"] != "confirmed"] == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("baseline is 0.379", "baseline is 0.479"),
        ("| 0.475 |", "| 0.485 |"),
        ("+0.096", "+0.106"),
        ("+0.333", "+0.343"),
        ("0.6 (3", "0.5 (3"),
        ("0.6 (3 rollouts", "0.6 (4 rollouts"),
        ("account for 0.221", "account for 0.231"),
        ("lie 0.271", "lie 0.281"),
    ],
)
def test_an_error_of_the_graded_table_is_found(right: str, wrong: str) -> None:
    assert right in GRADED_REPORT
    judged = _graded_verifier().report(GRADED_REPORT.replace(right, wrong, 1))
    assert len([figure for figure in judged["figures"] if figure["status"] == "contradicted"]) == 1
