"""A run against a published score: what is checked, when there is an interval, when it is only a rough target."""

import math
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from blade_pipeline.method.comparison import Side, against_reference
from blade_pipeline.models import Profile, Reference
from blade_pipeline_tests.method.chain import analyzed_folder, planned, rollout, write_run

CONFIG: dict[str, Any] = {"temperature": 0.6, "max_output_tokens": 512}


def run_of(tmp_path: Path, lost: int = 0, **sampling: Any) -> Side:
    """20 tasks of one repeat, 8 of which pass; the last ``lost`` have no row."""
    echoed = {"responses_create_params": {"temperature": 0.6, "max_output_tokens": 512} | sampling}
    rows = [rollout(task, 0, float(task % 5 < 2), **echoed) for task in range(20 - lost)]
    write_run(tmp_path / "bench" / "run", rows, [planned(task, 0) for task in range(20)])
    return analyzed_folder(tmp_path)["bench/run"].side("run")


def against(side: Side, **fields: Any) -> dict[str, Any]:
    return against_reference(side, Reference(name="paper", **fields), Profile())


def test_without_config_or_date_it_is_a_rough_target(tmp_path: Path) -> None:
    side = run_of(tmp_path)
    for fields, because in (
        ({}, ["a config", "a date"]),
        ({"config": CONFIG}, ["a date"]),
        ({"date_read": "2026-10-01"}, ["a config"]),
    ):
        found = against(side, score=0.5, **fields)
        assert (found["rough"], found["rough_because"]) == (True, because)
        assert f"a rough target, not a contract: it comes without {' or '.join(because)}." in found["sentence"]
    found = against(side, score=0.5, config=CONFIG, date_read="2026-10-01")
    assert found["rough"] is False
    assert "rough" not in found["sentence"]
    assert found["verdict"] == "insufficient_evidence"
    assert found["headline_check"] == "task_set"


def test_an_interval_needs_a_sample_size(tmp_path: Path) -> None:
    side = run_of(tmp_path)
    assert against(side, score=0.5)["interval"] is None
    found = against(side, score=50, scale="percent", sample_size=100)
    # run: 8 of 20, SE = sqrt(.4*.6*20/19/20) = .112390; reference: sqrt(.25/100) = .05
    se_run, se_paper = math.sqrt(0.4 * 0.6 / 19), 0.05
    se = math.hypot(se_run, se_paper)
    df = se**4 / (se_run**4 / 19 + se_paper**4 / 99)
    half = stats.t.ppf(0.975, df) * se
    assert found["difference"] == pytest.approx(-0.1)
    assert (found["interval"]["low"], found["interval"]["high"]) == pytest.approx((-0.1 - half, -0.1 + half))
    assert "(95% interval " in found["sentence"]


def test_a_config_that_contradicts_the_run_is_another_method(tmp_path: Path) -> None:
    found = against(run_of(tmp_path, temperature=1.0), score=0.5, config=CONFIG, date_read="2026-10-01")
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "temperature")
    assert "the temperature differs (0.6 against 1.0)" in found["sentence"]
    by_id = {check["id"]: check for check in found["checks"]}
    assert by_id["max_output_tokens"]["status"] == "same"
    assert (by_id["judge"]["status"], by_id["judge"]["source_a"]) == ("unknown", "the reference does not state it")


def test_a_studied_factor_does_not_block(tmp_path: Path) -> None:
    side = run_of(tmp_path, temperature=1.0)
    reference = Reference(name="paper", score=0.5, config=CONFIG, date_read="2026-10-01")
    assert against_reference(side, reference, Profile(), varying="sampling")["verdict"] == "insufficient_evidence"


def test_lost_rollouts_that_could_close_the_gap_decide(tmp_path: Path) -> None:
    # 5 lost: 6 of 15 measured; bounds 6/20 = .3 to 11/20 = .55 around .5
    found = against(run_of(tmp_path, lost=5), score=0.5, config=CONFIG, date_read="2026-10-01")
    assert (found["bounds"]["low"], found["bounds"]["high"]) == (pytest.approx(0.3), pytest.approx(0.55))
    assert (found["verdict"], found["headline_check"]) == ("failure_accounting", "accounting_rules")
    assert "between 30.0% and 55.0%" in found["sentence"]
    far = against(run_of(tmp_path, lost=5), score=0.9, config=CONFIG, date_read="2026-10-01")
    assert far["headline_check"] == "task_set"


def test_a_score_that_is_no_share_is_never_told_in_percent(tmp_path: Path) -> None:
    rows = [rollout(task, 0, float(task)) for task in range(20)]  # mean 9.5, SE = sqrt(35 / 20) = 1.3229
    write_run(tmp_path / "bench" / "run", rows, [planned(task, 0) for task in range(20)])
    side = analyzed_folder(tmp_path)["bench/run"].side("run")
    found = against(side, score=7.3, metric="mean_reward", sample_size=100, config=CONFIG, date_read="2026-10-01")
    half = stats.t.ppf(0.975, 19) * math.sqrt(35 / 20)
    assert found["sentence"].startswith("run lies +2.2 from paper (read 2026-10-01)")
    assert f"The run scores 9.5 (95% interval for new tasks {9.5 - half:.3f} to {9.5 + half:.3f})" in found["paragraph"]
    assert "a sample size says nothing of the spread of scores outside 0 to 1" in found["paragraph"]
    assert "points" not in found["sentence"]


@pytest.mark.parametrize(
    ("metric", "own"), [("pass@1", 0.4), ("pass^1", 0.4), ("mean/reward", 0.4), ("pass@5", None), ("f1", None)]
)
def test_the_metric_is_found_under_its_name(tmp_path: Path, metric: str, own: float | None) -> None:
    found = against(run_of(tmp_path), score=0.5, metric=metric)
    assert found["own"] == (None if own is None else pytest.approx(own))
    if own is None:
        assert found["sentence"] == f"run has no {metric} to hold against paper."
