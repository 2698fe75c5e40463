"""A setting that changed between repeats is named with what passes under each of its values."""

from typing import Any

from blade_pipeline.method.findings_of_settings import CHANGED, setting_findings
from blade_pipeline_tests.builders import aligned


def _rows(*repeats: dict[str, Any]) -> list[dict[str, Any]]:
    """Three tasks a repeat; as many of them pass as ``passing`` says."""
    return [
        {"task": task, "repeat": n, "rank": n, "score": float(task < repeat["passing"])}
        | {key: value for key, value in repeat.items() if key != "passing"}
        for n, repeat in enumerate(repeats)
        for task in range(3)
    ]


def test_a_change_between_repeats_is_told_with_both_scores() -> None:
    early, late = {"temperature": 0.0, "passing": 3}, {"temperature": 1.0, "passing": 1}
    [found] = setting_findings(aligned(_rows(early, early, late)))
    assert found["kind"] == CHANGED
    assert "rollouts 0 in repeats 0 and 1 came to 6 of 6, 1 in repeat 2 came to 1 of 3;" in found["sentence"]
    assert found["numbers"] == {
        "value_1": 0.0, "passed_1": 6, "measured_1": 6, "value_2": 1.0, "passed_2": 1, "measured_2": 3
    }  # fmt: skip


def test_one_setting_or_one_that_varies_inside_repeats_is_no_change() -> None:
    same = {"temperature": 0.6, "max_output_tokens": 512, "passing": 2}
    assert list(setting_findings(aligned(_rows(same, same)))) == []
    rows = _rows(same, same)
    for row in rows:
        row["temperature"] = row["task"] / 10
    assert list(setting_findings(aligned(rows))) == []


def test_a_setting_that_each_repeat_draws_anew_is_meant_to_differ() -> None:
    assert list(setting_findings(aligned(_rows(*({"temperature": n / 5, "passing": 1} for n in range(5)))))) == []
