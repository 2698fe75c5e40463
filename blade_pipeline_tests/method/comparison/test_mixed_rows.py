"""Runs whose rows disagree among themselves say so in the sentence and the paragraph, and prove no better model."""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.comparison import compare
from blade_pipeline.models import BladeError, Profile
from blade_pipeline_tests.method.chain import analyzed_folder
from blade_pipeline_tests.method.comparison.causes import two_models, two_temperatures
from blade_pipeline_tests.method.comparison.planting import BENCHMARK, Planted, system

Json = dict[str, Any]
MODELS = "the rows of b disagree on the model: policy-70b (80), policy-7b (80)"


def compared(tmp_path: Path, a: Planted, b: Planted, **options: Any) -> Json:
    a.write(tmp_path, "a")
    b.write(tmp_path, "b")
    found = analyzed_folder(tmp_path)
    return compare(*(found[f"{BENCHMARK}/{name}"].side(name) for name in "ab"), Profile(), **options)


def check(found: Json, name: str) -> Json:
    return next(item for item in found["checks"] if item["id"] == name)


def test_a_run_of_two_models_is_no_better_model_unless_that_is_what_is_studied(tmp_path: Path) -> None:
    # 40 tasks, every task gains: without the mix this would be a change
    runs = system(1, gain=-1.0), system(2, gain=1.0)
    two_models(runs[1])
    found = compared(tmp_path / "default", *runs)
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "mixed_rows")
    assert found["sentence"] == f"a and b are not comparable: {MODELS}."
    assert f"The{MODELS[3:]}." in found["paragraph"]
    declared = compared(tmp_path / "declared", *runs, varying="model")
    assert declared["verdict"] == "model_change"
    assert declared["sentence"].endswith(f"; {MODELS}.")
    router = [analyzed_folder(tmp_path / "declared")[f"{BENCHMARK}/{name}"].side(name) for name in "ab"]
    assert compare(*router, Profile(mixed_models=True)) == declared


def test_two_temperatures_in_both_runs_are_told_and_leave_a_condition(tmp_path: Path) -> None:
    runs = system(1), system(2)
    for run in runs:
        two_temperatures(run)
    found = compared(tmp_path, *runs)
    assert found["verdict"] == "no_detectable_change"
    assert "temperature" in found["conditional_on"]
    for run in "ab":
        assert f"the rows of {run} disagree on the temperature: 0.6 (80), 1.0 (80)" in found["sentence"]
    assert (check(found, "mixed_rows")["status"], check(found, "mixed_rows")["blocking"]) == ("different", False)


def test_inputs_of_two_temperatures_are_told_where_the_rows_are_silent(tmp_path: Path) -> None:
    runs = system(1), system(2)
    for run in runs:
        for row in run.rows:
            del row["responses_create_params"]["temperature"]
    for row in runs[1].inputs[:40]:
        row["responses_create_params"]["temperature"] = 1.0
    found = compared(tmp_path, *runs)
    assert check(found, "temperature")["b"] == "0.6 (120), 1.0 (40)"
    assert found["headline_check"] == "temperature"


def test_rows_that_agree_or_are_silent_mix_nothing(tmp_path: Path) -> None:
    runs = system(1), system(2)
    assert check(compared(tmp_path / "agree", *runs), "mixed_rows")["status"] == "same"
    for run in runs:
        for row in run.rows:
            row |= {"responses_create_params": {}, "response": {}}
    assert check(compared(tmp_path / "silent", *runs), "mixed_rows")["status"] == "unknown"


def test_a_run_is_not_held_against_itself(tmp_path: Path) -> None:
    system(1).write(tmp_path, "a")
    [side] = [run.side("a") for run in analyzed_folder(tmp_path).values()]
    with pytest.raises(BladeError, match="a is one run, which cannot be held against itself"):
        compare(side, side, Profile())
