"""What the first page says of a run that goes by its mean score, with errors planted one by one."""

from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.graded_gains import mean_score_gains
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

OUTPUT = {"output_items": 1, "answer_length": 9, "total_tokens": 5, "response_status": "completed"}
SILENT = {"output_items": 0, "answer_length": 0, "total_tokens": 0}
# Task means 0.25 and 0.75, of which one rollout of two in task 0 never ran: it lacks 1/2 of a task, 1/4 of the run.
ROWS: list[dict[str, Any]] = [
    {"task": 0, "score": 0.5, **OUTPUT},
    {"task": 0, "repeat": 1, "score": 0.0, **SILENT},
    {"task": 1, "score": 0.7, **OUTPUT},
    {"task": 1, "repeat": 1, "score": 0.8, **OUTPUT},
]
SAID = """# Demo BLADE Analysis Report

## Executive Summary

The mean score is 0.5, over 2 tasks. Most to gain: infrastructure (IR), seen in 1 rollout on 1 of 2 tasks, at most \
0.25 of the mean score.
"""


def _wrong(text: str, profile: Profile | None = None) -> list[str]:
    rows = aligned(ROWS)
    modes, _ = failure_modes(rows, Profile())
    documents = {"root_causes": {"mean_score_gains": mean_score_gains(rows, modes, profile)}} if profile else {}
    evidence = Evidence("demo", "one", rows, None, modes, buckets_of(rows), documents)
    found = Verifier(evidence).report(text)["figures"]
    return [figure["text"] for figure in found if figure["status"] == "contradicted"]


def test_right_figures_are_borne_out() -> None:
    assert _wrong(SAID) == []


@pytest.mark.parametrize(
    "profile", [Profile(reward_range=(0, 10)), Profile(reward_range=(-10, 1), higher_is_better=False)]
)
def test_the_gain_is_that_up_to_the_best_score_of_the_profile(profile: Profile) -> None:
    # the rollout that never ran scored 0 and lacks 10, of one of two repeats of one of two tasks
    assert _wrong(SAID.replace("at most 0.25", "at most 2.5"), profile) == []
    assert _wrong(SAID, profile) == ["0.25"]


@pytest.mark.parametrize(
    ("right", "wrong", "figure"),
    [
        ("score is 0.5", "score is 0.6", "0.6"),
        ("in 1 rollout on", "in 3 rollouts on", "3"),
        ("at most 0.25", "at most 0.35", "0.35"),
    ],
)
def test_an_error_is_found(right: str, wrong: str, figure: str) -> None:
    assert right in SAID
    assert _wrong(SAID.replace(right, wrong)) == [figure]


def _of_a_mode(said: str) -> list[str]:
    """What is wrong in a sentence on three tasks of two repeats, of which one each is over a limit and scores 0.2."""
    over = {"verifier": {"judge_feedback": "the limit on words is exceeded"}, **OUTPUT}
    rows = [{"task": task, "repeat": 0, "score": 0.2, **over} for task in range(3)]
    rows += [{"task": task, "repeat": 1, "score": 0.6 + task / 10, **OUTPUT} for task in range(3)]
    table = aligned(rows)
    modes, document = failure_modes(table, Profile())
    documents = {"failure_modes": document, "root_causes": {"ablation": {"scale": {"worst": 0.0, "best": 1.0}}}}
    evidence = Evidence("demo", "one", table, None, modes, buckets_of(table), documents)
    found = Verifier(evidence).report(f"# Demo BLADE Analysis Report\n\n## Executive Summary\n\n{said}\n")["figures"]
    assert any(figure["status"] == "confirmed" for figure in found)
    return [figure["text"] for figure in found if figure["status"] == "contradicted"]


def test_scores_with_and_without_a_mode_are_recounted() -> None:
    """The others of the same tasks score 0.6, 0.7 and 0.8."""
    said = (
        "Lower scores go with `judge_feedback:the_limit_on_words_is_exceeded`: on 3 tasks the rollouts that show it "
        "average 0.2, the others of the same tasks 0.7."
    )
    assert _of_a_mode(said) == []
    assert _of_a_mode(said.replace("tasks 0.7", "tasks 0.8")) == ["0.8"]
    assert _of_a_mode(said.replace("on 3 tasks", "on 2 tasks")) == ["2"]
