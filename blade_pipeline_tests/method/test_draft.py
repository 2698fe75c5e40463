"""The drafted profile: what it proposes from which counts, and that nothing in the data breaks it."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from blade_pipeline.method.draft import Run, draft_profile
from blade_pipeline.method.draft.yaml_text import comment, scalar
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.profiles import load_profile, profile_of
from blade_pipeline.models import Profile
from blade_pipeline.tables import EXPECTED_ROLLOUTS
from blade_pipeline_tests.builders import aligned

NOTHING = EXPECTED_ROLLOUTS.empty_table()

HOSTILE = [
    "a: b",
    "x # y",
    "it's",
    'say "no"',
    "{{ braces }}",
    "- item",
    "!tag",
    "*alias",
    "&anchor",
    "%percent",
    "a\nfunnel: 7",
    "tab\tbed",
    "\x1b[31m",
    "\x00",
    "\u2028line",
    "\u0085next",
    "\u202eright",
    "yes",
    "null",
    "1e5",
    "~/x",
    "/a/b",
    "$.path",
    "a~b",
    "emoji \U0001f600",
    "'; drop table samples; --",
    "",
    " ",
    "z" * 5000,
]


def _draft(rows: list[dict[str, Any]], expected: pa.Table = NOTHING) -> str:
    samples = aligned(rows)
    _, document = failure_modes(samples, Profile())
    return draft_profile("bench", [Run("m1", samples, expected)], [document])


def _loaded(folder: Path, text: str) -> Profile:
    (folder / "bench.yaml").write_text(text, encoding="utf-8")
    return profile_of(load_profile(folder, "bench"))


def _rows() -> list[dict[str, Any]]:
    """Eight tasks of two repeats: tasks 0 to 3 pass twice, the others fail; 4 and 5 for want of a patch."""
    rows = []
    for task in range(8):
        good = task < 4
        fields = {
            "category": "north" if task % 2 else "south",
            "case_id": f"c{task}",
            "extracted_answer": "" if task == 7 else str(task),
            "patch_found": task not in (4, 5),
            "verdict": "right" if good else "no patch" if task < 6 else "wrong",
        }
        rows += [{"task": task, "repeat": n, "score": float(good), "verifier": fields, "order": task} for n in (0, 1)]
    return rows


def test_every_proposal_comes_with_its_counts(tmp_path: Path) -> None:
    text = _draft(_rows())
    profile = _loaded(tmp_path, text)
    assert profile.reward_range == (0.0, 1.0)
    assert (profile.answer_key, profile.slices) == ("extracted_answer", ("category",))
    assert (profile.task_id_field, profile.expected_repeats) == ("case_id", 2)
    for line in (
        "# reward is a finite number on 16 of 16 rows",
        "# binary: 0 on 8, 1 on 8",
        "# extracted_answer on 16 of 16 rows",
        "# category: 2 values over 8 tasks",
        "# case_id: 8 values over 8 tasks",
        "# rows of all runs, repeats: 2 of 8 tasks",
        "# rows: verdict (text) on 16 of 16, 3 different values",
    ):
        assert line in text.splitlines(), line


def test_phases_are_what_every_passed_rollout_has_and_some_other_lacks(tmp_path: Path) -> None:
    """The patch lacks in 4 of 16 rollouts, the answer in 2; the verdict is passing under another name."""
    text = _draft(_rows())
    profile = _loaded(tmp_path, text)
    assert [phase.phase for phase in profile.funnel] == ["gave an answer", "patch_found holds", "passed"]
    assert "  # 14 of 16 rollouts, 8 of 8 passed, 6 of 8 failed" in text
    assert "  # 12 of 16 rollouts, 8 of 8 passed, 4 of 8 failed" in text
    assert [phase["reached"] for phase in funnel(aligned(_rows()), profile)["phases"]] == [16, 16, 14, 10, 8]


def test_phases_that_would_replace_a_longer_generic_funnel_stand_in_comments(tmp_path: Path) -> None:
    """Four of eight tasks fail, two of them without a tool: the draft has two phases, the generic funnel four."""
    rows = [
        {"task": task, "repeat": n, "score": float(task < 4), "tool_calls": 0 if task > 5 else 3, "output_items": 2}
        for task in range(8)
        for n in (0, 1)
    ]
    text = _draft(rows)
    assert "# The generic funnel has 4 phases against these 2: responded, used a tool, measured, passed." in text
    assert '#   # 12 of 16 rollouts, 8 of 8 passed, 4 of 8 failed\n#   - phase: "called a tool"\n' in text
    profile = _loaded(tmp_path, text)
    assert profile.funnel == ()
    found = funnel(aligned(rows), profile)["phases"]
    assert [phase["phase"] for phase in found if phase["source"] == "generic"] == [
        "responded",
        "used a tool",
        "measured",
        "passed",
    ]


def test_a_value_of_the_failed_alone_becomes_a_mode_and_the_rarest_wins(tmp_path: Path) -> None:
    """No patch in 5 of 8 failed rollouts, wrong in 3: of equal counts the first name has the lower severity."""
    rows = _rows()
    rows[-1]["verifier"] = rows[-1]["verifier"] | {"verdict": "no patch", "patch_found": False}
    profile = _loaded(tmp_path, _draft(rows))
    assert {rule.code: (rule.when, rule.severity) for rule in profile.failure_modes} == {
        "patch_found_false": ("verifier->>'patch_found' = 'false'", 10),
        "verdict_no_patch": ("verifier->>'verdict' = 'no patch'", 20),
        "verdict_wrong": ("verifier->>'verdict' = 'wrong'", 30),
    }


def test_a_draft_leaves_the_scores_alone_and_its_rules_run(tmp_path: Path) -> None:
    profile = _loaded(tmp_path, _draft(_rows()))
    unchanged = Profile()
    assert (profile.score, profile.pass_threshold) == (unchanged.score, unchanged.pass_threshold)
    table, document = failure_modes(aligned(_rows()), profile)
    assert document["total_failed"] == table.num_rows == 8


@pytest.mark.parametrize("name", HOSTILE)
def test_no_field_name_breaks_the_draft(tmp_path: Path, name: str) -> None:
    rows = [
        {"task": task, "repeat": n, "score": float(task < 4), "verifier": {name: value, f"{name}_id": str(task)}}
        for task in range(8)
        for n in (0, 1)
        for value in ["low" if (task + n) % 2 else "high" if task < 4 else "none"]
    ]
    text = _draft(rows)
    assert all(sign == "\n" or sign.isprintable() for sign in text)
    profile = _loaded(tmp_path, text)
    failure_modes(aligned(rows), profile)
    funnel(aligned(rows), profile)


@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_breaks_the_draft(tmp_path: Path, value: str) -> None:
    rows = [
        {"task": task, "repeat": n, "score": float(n == 0), "verifier": {"verdict": "ok" if n == 0 else value}}
        for task in range(4)
        for n in (0, 1, 2)
    ]
    rows[1]["verifier"] = {"verdict": "other"}
    profile = _loaded(tmp_path, _draft(rows))
    failure_modes(aligned(rows), profile)


def test_secrets_stay_out_of_the_draft() -> None:
    secret = "nvapi-Abcdefghijkl1234567890"
    rows = [
        {"task": t, "repeat": n, "score": float(n), "verifier": {"note": secret if n else "x"}}
        for t in (0, 1, 2)
        for n in (0, 1)
    ]
    assert "Abcdefghij" not in _draft(rows)
    assert "Abcdefghij" not in _draft([row | {"verifier": {secret: "x"}} for row in rows])


@pytest.mark.parametrize(
    ("scores", "lines"),
    [
        ([0.0, 1.0], ["score: reward", "reward_range: [0, 1]", "pass_threshold: 1"]),
        ([0.0, 0.5, 1.0], ["reward_range: [0, 1]", "# pass_threshold: 1"]),
        ([-1.0, 1.0], ["# reward_range: [-1, 1]", "pass_threshold: 1"]),
        ([0.0, 100.0], ["# reward_range: [0, 100]", "pass_threshold: 100"]),
        ([0.0, 37.5, 100.0], ["# reward_range: [0, 100]", "# pass_threshold: 1"]),
    ],
)
def test_the_scale_is_proposed_only_where_it_is_certain(scores: list[float], lines: list[str]) -> None:
    """What lies outside a range is not scored, so a range of values seen is a question, not a proposal."""
    rows = [{"task": task, "repeat": n, "score": score} for task in range(8) for n, score in enumerate(scores)]
    drafted = _draft(rows).splitlines()
    assert [line for line in lines if line not in drafted] == []


def test_a_run_without_rows_gives_a_profile_too(tmp_path: Path) -> None:
    text = _draft([{"task": 0, "outcome": "missing"}])
    assert "# reward is a finite number on 0 of 0 rows" in text
    assert _loaded(tmp_path, text).funnel == ()


def test_planned_repeats_come_from_the_inputs() -> None:
    rows = [{"task": "0", "repeat": str(n), "agent": "agent", "stage": 0, "line_class": "row"} for n in range(4)]
    expected = pa.Table.from_pylist(rows, schema=EXPECTED_ROLLOUTS)
    drafted = _draft([{"task": 0, "score": 1.0}], expected).splitlines()
    assert "# materialized inputs of all runs, repeats: 4 of 1 tasks" in drafted
    assert "expected_repeats: 4" in drafted


@pytest.mark.parametrize("text", HOSTILE)
def test_a_scalar_is_read_as_the_text_that_it_was(text: str) -> None:
    written = scalar(text)
    assert "\n" not in written
    assert yaml.safe_load(f"a: {written}") == {"a": text}


def test_a_comment_is_one_line() -> None:
    assert comment("a\nb: \x1b[1m \u2028") == "# a[U+000A]b: [U+001B][1m [U+2028]"
