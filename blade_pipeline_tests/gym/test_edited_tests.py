"""Which test files a rollout changed, by its patch or its edits."""

import json
from typing import Any

import pytest

from blade_pipeline.gym.edited_tests import is_test
from blade_pipeline.gym.trajectory import trajectory

CHANGED = "--- a/tests/test_parse.py\n+++ b/tests/test_parse.py\n@@ -1 +1 @@\n-a\n+b\n"
SOURCE = "--- a/src/parse.py\n+++ b/src/parse.py\n@@ -1 +1 @@\n-a\n+b\n"
ADDED = "--- /dev/null\n+++ b/tests/test_more.py\n@@ -0,0 +1 @@\n+b\n"
DELETED = "diff --git a/pkg/util.spec.ts b/pkg/util.spec.ts\n--- a/pkg/util.spec.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"


def _edited(row: dict[str, Any], *calls: tuple[str, dict[str, Any]]) -> int | None:
    items = [
        {"type": "function_call", "call_id": f"c{n}", "name": tool, "arguments": json.dumps(arguments)}
        for n, (tool, arguments) in enumerate(calls)
    ]
    return trajectory(row, {"output": items}).edited_tests


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_a.py", True),
        ("pkg/a_test.go", True),
        ("src/__tests__/a.js", True),
        ("web/a.test.tsx", True),
        ("conftest.py", True),
        ("src/latest.py", False),
        ("src/contest/a.py", False),
        ("src/attestation.py", False),
    ],
)
def test_paths_of_tests(path: str, expected: bool) -> None:
    assert is_test(path) is expected


@pytest.mark.parametrize(
    ("patch", "count"), [(CHANGED, 1), (SOURCE, 0), (ADDED, 0), (DELETED, 1), (CHANGED + SOURCE + DELETED, 2)]
)
def test_a_patch_changes_the_tests_that_were_there(patch: str, count: int) -> None:
    assert _edited({"model_patch": patch}) == count


def test_the_task_s_own_patches_are_not_the_rollout_s() -> None:
    assert _edited({"patch": CHANGED, "test_patch": CHANGED, "golden_patch": CHANGED}) == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "count"),
    [
        ("edit_file", {"path": "tests/test_a.py", "new_str": "x"}, 1),
        ("edit_file", {"path": "src/a.py", "new_str": "# see tests/test_a.py"}, 0),
        ("view_file", {"path": "tests/test_a.py"}, 0),
        ("create_file", {"path": "tests/test_a.py"}, 0),
        ("str_replace_based_edit_tool", {"command": "view", "path": "tests/test_a.py"}, 0),
        ("str_replace_based_edit_tool", {"command": "create", "path": "tests/test_a.py"}, 0),
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "tests/test_a.py"}, 1),
        ("apply_patch", {"input": "*** Update File: tests/test_a.py\n@@"}, 1),
        ("bash", {"command": "sed -i 's/1/2/' tests/test_a.py"}, 1),
        ("bash", {"command": "pytest tests/test_a.py"}, 0),
    ],
)
def test_a_call_changes_a_test(tool: str, arguments: dict[str, Any], count: int) -> None:
    assert _edited({}, (tool, arguments)) == count


def test_a_patch_speaks_for_what_is_left_of_the_edits() -> None:
    assert _edited({"model_patch": SOURCE}, ("edit_file", {"path": "tests/test_a.py"})) == 0


def test_without_an_output_nothing_is_known() -> None:
    assert trajectory({}, {}).edited_tests is None
