"""D1: the analysis skill of a package."""

import re
from collections.abc import Iterator
from pathlib import Path

from blade_pipeline.method.package.finding import PackageFinding

PLACES = ("skill/SKILL.md", "SKILL.md")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_NAME = re.compile(r"^name:\s*\S", re.MULTILINE)
_DESCRIPTION = re.compile(r"^description:\s*\S", re.MULTILINE)
_SECTION = re.compile(r"^##\s+", re.MULTILINE)
_LINES, _SECTIONS = 50, 3


def check_skill(folder: Path) -> Iterator[PackageFinding]:
    """Whether the skill is there, says what it is, and has substance."""
    path = next((folder / place for place in PLACES if (folder / place).exists()), None)
    if path is None:
        yield PackageFinding(False, f"D1: there is no skill; it belongs in {' or '.join(PLACES)}")
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    yield PackageFinding(True, f"D1: the skill is {path.relative_to(folder).as_posix()}")
    front = _FRONT.match(text)
    if front is None:
        yield PackageFinding(False, "SKILL.md does not open with a block of YAML between two --- lines")
    else:
        yield PackageFinding(bool(_NAME.search(front[1])), "SKILL.md names the skill")
        yield PackageFinding(bool(_DESCRIPTION.search(front[1])), "SKILL.md describes the skill")
    lines, sections = len(text.splitlines()), len(_SECTION.findall(text))
    enough = lines >= _LINES and sections >= _SECTIONS
    yield PackageFinding(enough, f"SKILL.md is worked out: {lines} lines, {sections} sections")
