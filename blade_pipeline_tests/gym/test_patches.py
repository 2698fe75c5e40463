"""How many files a row's own patch changes, with patches written by hand."""

from typing import Any

import pytest

from blade_pipeline.gym.patches import patched_files
from blade_pipeline.gym.shape import shape_of

CHANGED = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n"
DELETED = "diff --git a/old.c b/old.c\n--- a/old.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"


def _added(path: str) -> str:
    return f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+b\n"


@pytest.mark.parametrize(
    ("row", "files"),
    [
        ({"model_patch": CHANGED}, 1),
        ({"model_patch": CHANGED + DELETED + _added("src/b.py")}, 3),
        ({"metadata": {"model_patch": CHANGED}, "instance_id": "x"}, 1),
        ({"model_patch": CHANGED, "metadata": {"model_patch": CHANGED}}, 1),
        ({"model_patch": ""}, 0),
        ({"metadata": {"model_patch": " \n"}}, 0),
        ({"model_patch": None}, None),
        ({"metadata": {"patch": CHANGED, "golden_patch": CHANGED}}, None),
        ({"metadata": "model_patch"}, None),
        ({}, None),
        ({"git_diff": "Binary files a/x.png and b/x.png differ"}, 1),
        ({"model_patch": _added("AGENTS.md") + _added("state.json")}, 0),
        ({"model_patch": _added("AGENTS.md") + CHANGED}, 2),
        ({"model_patch": _added("AGENTS.md") + _added("run.sh")}, 2),
        ({"model_patch": _added("state.json")}, 1),
        ({"model_patch": CHANGED.replace("src/a.py", "docs/a.md")}, 1),
    ],
)
def test_files_of_a_patch(row: dict[str, Any], files: int | None) -> None:
    assert patched_files([row], [shape_of(tuple(row))]) == [files]
