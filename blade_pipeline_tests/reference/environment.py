"""docs/environment.md: every variable that the program reads."""

from blade_pipeline.environment import VARIABLES

_HEAD = """# Environment variables

What a process reads from its environment. Options of a command win over them. Relative folders are those of the folder
in which the process starts; `blade ui` passes its own on as full paths. This page is written from the code by
`python -m blade_pipeline_tests.reference`.

| variable | sets | without it |
|---|---|---|"""

_TAIL = """
Tests read two more: `BLADE_SHARED` names the folder of worked cases, and `BLADE_NO_SKIP` turns a skipped test into a
failure.
"""


def environment_page() -> str:
    """The whole page."""
    rows = [f"| `{variable}` | {variable.sets} | {variable.without} |" for variable in VARIABLES]
    return "\n".join([_HEAD, *rows, _TAIL])
