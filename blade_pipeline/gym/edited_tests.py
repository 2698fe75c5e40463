"""Counts the test files that a rollout changed, by its patch or else by its edits: new files do not count."""

import re
from typing import Any

_OLD_FILE = re.compile(r"^--- (?:a/)?(?!/dev/null)(\S+)", re.MULTILINE)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__)/|(?:^|/)(?:test_[^/]*|conftest)\.\w+$|[._-](?:test|tests|spec)\.\w+$",
    re.IGNORECASE,
)
_EDITS = re.compile(r"edit|replace|patch|modif|update|insert|delete|overwrite", re.IGNORECASE)
_PATH = re.compile(r'"(?:(?:target_|relative_)?(?:file_?)?path|file_?name|file|target_file)"\s*:\s*"([^"]+)"', re.I)
_NO_EDIT = re.compile(r'"command"\s*:\s*"(?:view|create)"')
_UPDATED = re.compile(r"\*\*\* (?:Update|Delete) File: ([^\s\\]+)")
_IN_PLACE = re.compile(r"\bsed -i\b[^|;&\n]*?([\w./-]*test[\w./-]*\.\w+)")


def is_test(path: str) -> bool:
    """Whether a path is that of a test, by the habits of the usual languages."""
    return _TEST.search(path) is not None


def tests_in_patches(row: dict[str, Any], names: tuple[str, ...]) -> int | None:
    """Test files that the row's own patches, under these names, change or delete; null where it holds no patch."""
    patches = [row[name] for name in names if isinstance(row[name], str) and row[name].strip()]
    if not patches:
        return None
    return len({path for patch in patches for path in _OLD_FILE.findall(patch) if is_test(path)})


def edited_test(tool: str | None, arguments: str) -> str | None:
    """The test file that a call changes, by its name and arguments; null for none."""
    if "test" not in arguments and "spec" not in arguments:
        return None
    found = _UPDATED.search(arguments) if "*** " in arguments else None
    if found is None and "sed -i" in arguments:
        found = _IN_PLACE.search(arguments)
    if found is None and tool is not None and _EDITS.search(tool) and not _NO_EDIT.search(arguments):
        found = _PATH.search(arguments)
    return found[1] if found is not None and is_test(found[1]) else None
