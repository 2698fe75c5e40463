"""Whether a rollout checks its last change of a file before it ends: by tests, a checker, or a run of the program."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson

_CHANGES = re.compile(r"edit|replace|patch|modif|update|insert|delete|overwrite|write|create", re.IGNORECASE)
_PATH = re.compile(r'"(?:(?:target_|relative_)?(?:file_?)?path|file_?name|file|target_file)"\s*:\s*"([^"]+)"', re.I)
_VIEW = re.compile(r'"command"\s*:\s*"view"')
_PROSE = re.compile(r"\.(?:md|rst|txt)$", re.IGNORECASE)
_REDIRECTED = re.compile(r">>?\s*(?!/dev/null|&)([\w./~$-]+)")
_TEED = re.compile(r"tee\s+(?:-a\s+)?([\w./~$-]+)")
_PRINTS = re.compile(r"\b(?:cat|echo|printf)\b[^|;&]*\s$")
_IN_PLACE = ("sed -i", "git apply", "patch -p", "*** Update File", "*** Add File", "*** Delete File")
"""What changes files wherever it stands in a command."""
_SHELL = re.compile(r"^\s*(?:/(?:usr/)?bin/)?(?:ba|z|da)?sh\s+-l?c\s+[\"']?")
_HEREDOC = re.compile(r"<<-?\s*[\"'\\]?(\w+)")
_NEXT = re.compile(r"&&|\|\||[;|\n]")
_BEFORE = r"^\s*(?:(?:sudo|time|env|exec|xvfb-run|(?:uv|poetry|pipenv) run|timeout\s+\S+|\w+=\S+)\s+)*"
_CHECK = re.compile(
    _BEFORE + r"(?:"
    r"(?:pytest|py\.test|tox|nox|nosetests|ctest|(?:npx\s+)?(?:jest|vitest|mocha|eslint|tsc)|rspec|phpunit|mypy|pyright"
    r"|pylint|flake8|ruff|shellcheck|sphinx-build|javac|gcc|g\+\+|clang(?:\+\+)?|rustc|iverilog|verilator)\b"
    r"|(?:npm|yarn|pnpm|bun|go|cargo|mvn|gradle|dotnet|make|bazel|rake|mix|sbt|lake|swift)\b.{0,60}?\b"
    r"(?:tests?|check|build|vet|clippy|verify|lint|run)\b"
    r"|(?:python[\d.]*|node|ruby|perl|php|java|lua|Rscript|julia|bash|sh)\s+(?!-m\s+(?:pip|venv)\b|--?v)\S"
    r"|curl\b.*(?:localhost|127\.0\.0\.1)|(?!/(?:usr/)?s?bin/)\.{0,2}/[\w./-]+)",
    re.IGNORECASE,
)
_CHECKING_TOOL = re.compile(r"(?:^|_)(?:tests?|checks?|verif\w*|validat\w*|lint|compile|build)(?:_|$)", re.IGNORECASE)
_START = 1000
"""Characters of a call in which what it does is looked for; a longer one writes a text."""
_REACH = 200
"""Characters before a ``>`` in which the command that prints is looked for."""
_COMMANDS = ("command", "cmd", "keystrokes", "script", "commands")


class Checks:
    """The tool calls of one rollout, one after the other."""

    __slots__ = ("_changed", "_checked")

    def __init__(self) -> None:
        self._changed = False
        self._checked = False

    def call(self, tool: str | None, arguments: str) -> None:
        """Note a call; one that changes a file and then runs it counts as checked."""
        if _is_change(tool, arguments):
            self._changed, self._checked = True, False
        if self._changed and not self._checked:
            self._checked = _is_check(tool, arguments)

    @property
    def checked(self) -> bool | None:
        """Whether a check follows the last change; null where no call changed a file, notes in prose left out."""
        return self._checked if self._changed else None


def _is_change(tool: str | None, arguments: str) -> bool:
    if tool is not None and _may_change(tool) and (found := _PATH.search(arguments)) is not None:
        return not (_PROSE.search(found[1]) or _VIEW.search(arguments))
    start = arguments[:_START]
    return any(words in start for words in _IN_PLACE) or any(_PROSE.search(path) is None for path in _written(start))


def _written(command: str) -> Iterator[str]:
    """Files into which a shell command prints."""
    if "tee " in command:
        yield from (found[1] for found in _TEED.finditer(command))
    for found in _REDIRECTED.finditer(command):
        if _PRINTS.search(command[max(0, found.start() - _REACH) : found.start()]):
            yield found[1]


def _is_check(tool: str | None, arguments: str) -> bool:
    if tool is not None and _may_check(tool):
        return True
    return any(_CHECK.match(part) for command in _commands(arguments) for part in _parts(command))


@lru_cache(maxsize=1024)
def _may_change(tool: str) -> bool:
    return _CHANGES.search(tool) is not None


@lru_cache(maxsize=1024)
def _may_check(tool: str) -> bool:
    return _CHECKING_TOOL.search(tool) is not None


def _parts(command: str) -> list[str]:
    """The simple commands of a shell command, without texts that it writes."""
    if "<<" in command:
        command = "\n".join(_around_texts(command))
    return _NEXT.split(_SHELL.sub("", command[:_START]))


def _around_texts(command: str) -> Iterator[str]:
    """What stands before and after each text that a shell command holds between ``<<WORD`` and ``WORD``."""
    start = 0
    while (found := _HEREDOC.search(command, start)) is not None:
        yield command[start : found.start()]
        end = command.find(f"\n{found[1]}", found.end())
        start = len(command) if end < 0 else end + 1 + len(found[1])
    yield command[start:]


def _commands(arguments: str) -> Iterator[str]:
    """Shell commands among the arguments of a call."""
    try:
        values: Any = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        values = {"command": arguments}
    for name in _COMMANDS if isinstance(values, dict) else ():
        value = values.get(name)
        for command in value if isinstance(value, list) else [value]:
            if isinstance(command, str):
                yield command
