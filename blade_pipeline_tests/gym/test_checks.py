"""Whether a rollout checks its last change of a file before it ends, in the calls of several harnesses."""

import json
from typing import Any

import pytest

from blade_pipeline.gym.trajectory import trajectory

Call = tuple[str, dict[str, Any]]
EDIT: Call = ("edit", {"filePath": "/testbed/src/core.py", "oldString": "a", "newString": "pytest"})
TEST: Call = ("bash", {"command": "cd /testbed && python -m pytest tests/test_core.py -q", "description": "Run"})
LOOK: Call = ("bash", {"command": "git diff | head -5; cat src/core.py > /dev/null"})


def _checked(*calls: Call) -> bool | None:
    items = [
        {"type": "function_call", "call_id": f"c{n}", "name": tool, "arguments": json.dumps(arguments)}
        for n, (tool, arguments) in enumerate(calls)
    ]
    return trajectory({}, {"output": items}).checked


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((EDIT, TEST), True),
        ((EDIT, TEST, LOOK), True),
        ((EDIT, LOOK), False),
        ((TEST, EDIT), False),
        ((EDIT, TEST, EDIT), False),
        ((TEST, LOOK), None),
        ((), None),
    ],
)
def test_a_check_counts_after_the_last_change(calls: tuple[Call, ...], expected: bool | None) -> None:
    assert _checked(*calls) is expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("str_replace_based_edit_tool", {"command": "create", "path": "a.py", "file_text": "x"}), False),
        (("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}), None),
        (("write_file", {"path": "summary.md", "content": "done"}), None),
        (("bash_command", {"keystrokes": "cat > fit.py << 'EOL'\nimport json\npytest.main()\nEOL\n"}), False),
        (("bash_command", {"keystrokes": "cat > fit.py << 'EOL'\nimport json\nEOL\npython3 fit.py\n"}), True),
        (("bash_command", {"keystrokes": "cat > answer.txt <<'TXT'\nFinal\nTXT"}), None),
        (("exec_command", {"cmd": "/bin/zsh -lc \"sed -i 's/a/b/' core.py\""}), False),
        (("exec_command", {"cmd": ["bash", "-lc", "sed -i 's/a/b/' core.py && make test"]}), True),
        (("shell", {"command": "echo 'x = 1' >> core.py 2>&1"}), False),
        (("shell", {"command": "ls src 2>/dev/null; echo done > /dev/null"}), None),
        (("apply_patch", {"input": "*** Begin Patch\n*** Update File: core.py\n@@\n-a\n+b\n*** End Patch"}), False),
        (("update_order", {"order": "7", "state": "open -> closed"}), None),
    ],
)
def test_what_changes_a_file(call: Call, expected: bool | None) -> None:
    assert _checked(call) is expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("run_tests", {}), True),
        (("terminal", {"command": "PYTHONPATH=. timeout 60 pytest -q"}), True),
        (("terminal", {"command": "go vet ./... && go test ./..."}), True),
        (("terminal", {"command": "npm run lint"}), True),
        (("terminal", {"command": "cargo build --release"}), True),
        (("terminal", {"command": "./solve < input"}), True),
        (("terminal", {"command": "python3 -c 'import core; print(core.f(2))'"}), True),
        (("terminal", {"command": "python -m pip install pytest"}), False),
        (("terminal", {"command": "pip install pytest mypy"}), False),
        (("terminal", {"command": "grep -rn pytest setup.cfg | head"}), False),
        (("terminal", {"command": "/bin/ls tests; python --version"}), False),
        (("read_file", {"path": "tests/test_core.py"}), False),
    ],
)
def test_what_checks_it(call: Call, expected: bool) -> None:
    assert _checked(EDIT, call) is expected


def test_chat_messages_and_turns_are_read_alike() -> None:
    calls = [
        {"id": f"c{n}", "function": {"name": tool, "arguments": json.dumps(given)}}
        for n, (tool, given) in enumerate((EDIT, TEST))
    ]
    chat = [{"role": "assistant", "content": "", "tool_calls": calls}]
    turns = {"turns": [], "tool_calls": [{"name": tool, "arguments": given} for tool, given in (EDIT, LOOK)]}
    assert trajectory({}, {"output": chat}).checked is True
    assert trajectory({"ng_trajectory": turns}, {}).checked is False
