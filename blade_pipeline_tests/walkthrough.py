"""Follows a page of docs/ as a reader would: runs its commands, writes its files, compares what it shows.

A block ``sh`` holds commands, one a line. A block ``text`` below it shows what they print, standard output first; a
line ``...`` stands for any lines, and at the end of a line for its rest. A block ``yaml`` whose first line is
``# path/of/a/file`` is written to that file.
"""

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from blade_pipeline_tests.conftest import PROJECT

Command = Callable[[list[str]], str]
"""Runs ``blade`` with some arguments and answers what it printed; fails where it does not exit 0."""

_BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> Iterator[tuple[str, list[str]]]:
    """Kind and lines of every fenced block of a page below docs/; a block that nobody follows may have no kind."""
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    for kind, body in _BLOCK.findall(text):
        yield kind, [line.strip() if kind == "sh" else line for line in body.splitlines()]


def follow(page: str, folder: Path, blade: Command) -> None:
    """Does in a folder what the page tells its reader to do there."""
    said = ""
    for kind, lines in blocks(page):
        if kind == "sh":
            said = "".join(_run(line, folder, blade) for line in lines)
        elif kind == "text":
            assert shows(said, lines), f"{page} shows\n{chr(10).join(lines)}\nand the commands print\n{said}"
        elif kind == "yaml" and lines[0].startswith("# data/"):
            path = folder / lines[0].removeprefix("# ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(line: str, folder: Path, blade: Command) -> str:
    program, *arguments = shlex.split(line)
    if program == "tar":
        subprocess.run([program, *arguments], cwd=folder, check=True)
        return ""
    assert program == "blade", f"a page may use blade and tar: {line}"
    return blade(arguments)


def shows(said: str, lines: list[str]) -> bool:
    """Whether a text holds lines one after the other; blanks at their ends and runs of blanks do not count."""
    wanted = "".join(r"(?:.*\n)*?" if line == "..." else _pattern(_plain(line)) for line in lines)
    return re.search(f"^{wanted}", "".join(f"{_plain(line)}\n" for line in said.splitlines()), re.MULTILINE) is not None


def _pattern(line: str) -> str:
    open_ended = line.endswith(" ...")
    return re.escape(line.removesuffix("...")) + (r".*\n" if open_ended else r"\n")


def _plain(line: str) -> str:
    return " ".join(line.split())
