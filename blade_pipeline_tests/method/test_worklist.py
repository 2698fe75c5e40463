"""The order of the worklist, and which rollouts it names."""

from typing import Any

from blade_pipeline.method.ablation import ablation
from blade_pipeline.method.contrasts import contrasts
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.method.worklist import worklist
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

ANSWERED = {"output_items": 1, "answer_length": 20, "total_tokens": 50, "offset": 0, "length": 10}
PASS: dict[str, Any] = {"score": 1.0}
FAIL: dict[str, Any] = {"score": 0.0}
CUT = FAIL | {"incomplete_reason": "max_output_tokens"}


def _task(task: int, *repeats: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"task": task, "repeat": n, "order": task, **ANSWERED, **row} for n, row in enumerate(repeats)]


def _list(rows: list[dict[str, Any]], labels: list[dict[str, Any]] | None = None, limit: int = 99) -> dict[str, Any]:
    samples, profile = aligned(rows), Profile()
    buckets = buckets_of(samples)
    modes, document = failure_modes(samples, profile)
    causes = root_causes(samples, buckets, modes, {"labels": labels or []}, profile)
    return worklist(samples, buckets, modes, document, causes, contrasts(samples, buckets, modes), limit=limit)


def _order(found: dict[str, Any]) -> list[int]:
    return [int(task["task"]) for task in found["tasks"]]


def test_sometimes_pass_comes_first_then_the_unexplained_then_symptoms_then_open_rows() -> None:
    rows = [
        *_task(0, {"outcome": "unscored", "reason": "invalid_null"}),
        *_task(1, CUT, CUT),
        *_task(2, FAIL, FAIL),
        *_task(3, PASS, FAIL),
        *_task(4, PASS, PASS),
        *_task(5, {"outcome": "missing"}, {"outcome": "missing"}),
    ]
    found = _list(rows)
    assert _order(found) == [3, 2, 1, 0]
    assert [task["tier"] for task in found["tasks"]] == [
        "sometimes passes",
        "never passes, unexplained",
        "never passes, explained by a symptom",
        "not scored",
    ]
    assert found["left_out"] == {"always_pass": 1, "labelled": 0, "nothing_to_read": 1}
    assert (found["total"], _order(_list(rows, limit=2)), _list(rows, limit=2)["total"]) == (4, [3, 2], 4)


def test_a_task_that_left_no_row_is_listed_with_what_its_failures_say() -> None:
    refused = {"outcome": "failed", "failure_class": "agent_run_error", "failure_message": "Invalid schema"}
    found = _list([*_task(0, refused, refused), *_task(1, PASS, refused), *_task(2, FAIL, FAIL)])
    assert [(task["task"], task["tier"]) for task in found["tasks"]] == [
        ("2", "never passes, unexplained"),
        ("0", "failed without a row"),
    ]
    told = found["tasks"][1]
    assert "2 of 2 rollouts failed without a row: agent_run_error, Invalid schema" in told["why"]
    assert told["rollouts"] == []


def test_a_wrong_answer_that_every_repeat_gives_is_read_before_others() -> None:
    def answers(*given: str) -> list[dict[str, Any]]:
        return [FAIL | {"verifier": {"extracted_answer": answer}} for answer in given]

    varied = [_task(n, *answers(*(f"{n}{repeat}" for repeat in range(4)))) for n in range(3)]
    found = _list([row for task in varied for row in task] + _task(9, *answers("774", "774", "774", "774")))
    assert _order(found)[0] == 9
    assert "Every repeat gives the same answer: read the expected one first." in found["tasks"][0]["why"]
    assert not any("Every repeat" in task["why"] for task in found["tasks"][1:])


def test_the_most_even_task_comes_first_and_modes_take_turns() -> None:
    """Wrong answers: 3 + 2 + 1 failed rollouts, cut ones: 3. Even means 2 of 4, then 3 of 4, then 3 of 4 again."""
    rows = [
        *_task(0, PASS, FAIL, FAIL, FAIL),
        *_task(1, PASS, PASS, FAIL, FAIL),
        *_task(2, PASS, PASS, PASS, FAIL),
        *_task(3, PASS, CUT, CUT, CUT),
    ]
    assert _order(_list(rows)) == [1, 3, 0, 2]


def test_the_pair_closest_in_length_is_named_with_its_place() -> None:
    steps = [["message", "assistant", 20, None, 0]]
    rows = _task(
        7,
        PASS | {"output_items": 9, "steps": steps},
        FAIL | {"output_items": 3, "steps": steps, "offset": 100, "length": 50},
        PASS | {"output_items": 4, "steps": steps, "offset": 200},
    )
    [task] = _list(rows)["tasks"]
    assert [(x["role"], x["rollout"], x["line"], x["offset"], x["length"]) for x in task["rollouts"]] == [
        ("passing", "7-2", 3, 200, 10),
        ("failing", "7-1", 2, 100, 50),
    ]
    assert task["first_difference"].startswith("Both take the same single step")
    assert task["why"].startswith("Passes 2 of 3 measured repeats: the task is the same, only the outcome differs. ")
    assert "wrong_answer" in task["why"]
    assert "(1 of 1 failed rollouts of the run, on 1 task)" in task["why"]


def test_of_a_task_that_never_passes_the_failure_of_middling_length_is_read() -> None:
    rows = _task(0, *(FAIL | {"output_items": items} for items in (9, 2, 5)))
    [task] = _list(rows)["tasks"]
    assert [(x["role"], x["rollout"]) for x in task["rollouts"]] == [("failing", "0-2")]


def test_one_output_with_two_verdicts_sends_the_reader_to_the_verifier() -> None:
    same = {"response_digest": "d", "answer_length": 200}
    [task] = _list(_task(0, PASS | same, FAIL | same))["tasks"]
    assert "One and the same output was scored both ways: read the verifier first." in task["why"]
    assert task["proposed"]["label"] == "TI"


def test_a_labelled_task_is_left_out_until_its_label_is_stale() -> None:
    rows = [*_task(0, PASS, FAIL), *_task(1, PASS, FAIL)]
    label = {"task": 0, "root_cause": "UK", "evidence": ["0-1"]}
    found = _list(rows, [label])
    assert (_order(found), found["left_out"]["labelled"]) == ([1], 1)
    stale = _list(rows, [label | {"evidence": ["0-9"]}])
    assert _order(stale) == [0, 1]
    assert "Its label UK is stale: cites 0-9, which the run does not have." in stale["tasks"][0]["why"]


def test_nothing_to_read_is_an_empty_list() -> None:
    assert _list(_task(0, PASS, PASS)) == {
        "tasks": [],
        "total": 0,
        "left_out": {"always_pass": 1, "labelled": 0, "nothing_to_read": 0},
    }


def test_in_a_graded_run_the_lowest_scores_are_read_first() -> None:
    """Means 0.6, 0.2 and 0.4: by their distance from the best score, 1, and not in the dataset's order."""
    rows = [{"task": task, "score": score} for task, score in enumerate([0.6, 0.2, 0.4])]
    samples = aligned(rows)
    buckets = buckets_of(samples)
    modes, document = failure_modes(samples, Profile())
    causes = root_causes(samples, buckets, modes, {"labels": []}, Profile())
    causes |= {"ablation": ablation(samples, buckets, modes, document["modes"], Profile())}
    found = worklist(samples, buckets, modes, document, causes, contrasts(samples, buckets, modes), limit=9)
    assert [task["task"] for task in found["tasks"]] == ["1", "2", "0"]
    assert "No measured repeat of 1 reaches the pass mark; its mean score is 0.2." in found["tasks"][0]["why"]
