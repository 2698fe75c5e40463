"""The diagnosis on planted stories, two seeds of each; the table of docs/diagnosis.md is over twenty."""

import json
from pathlib import Path

import pytest

from blade_pipeline.example.stories import STORIES, write_story
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.stories.__main__ import FRESH, tally
from blade_pipeline_tests.stories.claims import Claim, Said
from blade_pipeline_tests.stories.matching import score

KINDS = {
    *("mode", "concentration", "skipped_tool", "stopped_at_tool"),
    *("outage", "verifier_conflict", "truncation", "thrashing"),
}
OWN = ("category-mode", "skipped-tool", "outage", "strict-verifier", "truncation", "thrashing")
"""Stories written beside the rules; the others are only reported."""


@pytest.mark.parametrize("story", OWN)
def test_what_was_planted_is_found_and_nothing_else(story: str) -> None:
    found = tally(story, (1, 2))
    assert found.total("planted") >= 2
    assert list(found.remarks()) == []
    assert found.total("labelled") == found.total("tasks")


def test_of_a_healthy_run_nothing_is_said() -> None:
    found = tally("healthy", (1, 2))
    assert [one.claims for one in found.scores.values()] == [0, 0]


@pytest.mark.parametrize("story", STORIES)
def test_the_truth_speaks_of_rollouts_that_do_not_pass(story: str, tmp_path: Path) -> None:
    folder = write_story(tmp_path, STORIES[story], tasks=20, seed=4)
    truth = json.loads((tmp_path / "truth.json").read_text())
    rows = [json.loads(line) for line in (folder / "rollouts.jsonl").read_text().splitlines()]
    passed = {(row["_ng_task_index"], row["_ng_rollout_index"]) for row in rows if row["reward"] == 1}
    assert {statement["kind"] for statement in truth["truth"]} <= KINDS
    for statement in truth["truth"]:
        assert statement["rollouts"]
        assert not passed & {(task, repeat) for task, repeat in statement["rollouts"]}
    assert not (folder / "truth.json").exists()


@pytest.mark.parametrize("story", STORIES)
def test_equal_seeds_give_equal_bytes(story: str, tmp_path: Path) -> None:
    folders = [write_story(tmp_path / name, STORIES[story], tasks=10, seed=9) for name in ("a", "b")]
    files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert files[0] == files[1]
    assert (tmp_path / "a" / "truth.json").read_bytes() == (tmp_path / "b" / "truth.json").read_bytes()


def test_the_published_seeds_are_twenty_that_the_rules_were_not_written_with() -> None:
    assert len(set(FRESH)) == 20
    assert not set(FRESH) & set(range(6))
    assert ", ".join(f"{seed}" for seed in FRESH) in " ".join((PROJECT / "docs/diagnosis.md").read_text().split())


def _said(*claims: Claim) -> Said:
    keys = frozenset((task, 0) for task in range(10))
    return Said(list(claims), keys, {task: frozenset({(task, 0)}) for task in range(10)}, {0: "BI"})


def test_four_of_five_rollouts_in_common_are_the_same_mode_and_three_are_not() -> None:
    truth = {"truth": [{"kind": "truncation", "where": {}, "rollouts": [[n, 0] for n in range(5)]}]}
    near = _said(Claim("truncation", "output_limit", {}, frozenset((n, 0) for n in range(4))))
    far = _said(Claim("truncation", "output_limit", {}, frozenset((n, 0) for n in range(3))))
    other = _said(Claim("thrashing", "repeated_calls", {}, frozenset((n, 0) for n in range(5))))
    assert [score(truth, said)[:4] for said in (near, far, other)] == [(1, 1, 1, 1), (1, 0, 1, 0), (1, 0, 1, 1)]
    assert score(truth, near)[4:6] == (5, 1)


def test_a_claim_about_another_tool_repeat_or_slice_is_false() -> None:
    planted = [
        {"kind": "skipped_tool", "where": {"tool": "check"}, "rollouts": [[0, 0]]},
        {"kind": "outage", "where": {"repeat": 1}, "rollouts": [[1, 0]]},
        {"kind": "concentration", "where": {"field": "a", "value": "x"}, "rollouts": [[2, 0]]},
    ]
    right = [
        Claim("skipped_tool", "leaves out", {"tool": "check"}),
        Claim("outage", "an outage in one repeat", {"repeat": 1}),
        Claim("concentration", "any failure", {"field": "a", "value": "x"}),
    ]
    wrong = [claim._replace(where=dict.fromkeys(claim.where, "other")) for claim in right]
    assert score({"truth": planted}, _said(*right))[:4] == (3, 3, 3, 3)
    assert score({"truth": planted}, _said(*wrong))[:4] == (3, 0, 3, 0)
