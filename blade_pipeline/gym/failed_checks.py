"""Which of several checks a rollout failed, where its verifier lists them one by one.

It does so as flags beside as many names (``follow_instruction_list`` and ``instruction_id_list``), or as objects that
each hold a name and a flag or a word such as ``Failed``: the instructions of a prompt, the criteria of a rubric.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from blade_pipeline.gym.values import clean_text

FAILED_CHECK = "failed_check"
"""Field under which the name of a failed check stands among the telling lines of a row."""

MOST_CHECKS = 8
"""Different failed checks kept of one rollout."""

_LISTED = 200
_LONGEST_NAME = 100
_NAMES = (
    "instruction_id instruction check criterion criteria requirement constraint rule rubric test name title "
    "description id"
).split()
_FLAGS = (
    "passed pass is_passed followed is_followed met is_met criteria_met satisfied is_satisfied fulfilled success ok "
    "correct is_correct status result verdict"
).split()
_NO = frozenset({"false", "fail", "failed", "no", "not met", "unmet", "violated"})
_SAID = _NO | {"true", "pass", "passed", "yes", "met", "satisfied", "followed"}


def failed_checks(row: dict[str, Any], fields: Iterable[str]) -> list[list[str]]:
    """``FAILED_CHECK`` and the name of each check that came out false, at most 8 different ones in their order."""
    lists = [(name, row[name]) for name in fields if type(row[name]) is list and row[name]]
    if not lists:
        return []
    names = (name for field, checks in lists for name in _failed(field, checks, lists))
    return [[FAILED_CHECK, name] for name in islice(dict.fromkeys(filter(None, names)), MOST_CHECKS)]


def _failed(field: str, checks: list[Any], lists: list[tuple[str, list[Any]]]) -> Iterator[str]:
    for name, said in islice(_named(field, checks, lists), _LISTED):
        if type(name) is str and (said is False or (type(said) is str and said.lower() in _NO)):
            yield _short(name)


def _named(field: str, checks: list[Any], lists: list[tuple[str, list[Any]]]) -> Iterator[tuple[Any, Any]]:
    kinds = {type(check) for check in checks}
    if kinds == {bool}:
        yield from zip(_names_of(field, checks, lists), checks, strict=False)
    elif kinds == {dict} and (keys := _keys(checks[0])) is not None:
        yield from ((check.get(keys[0]), check.get(keys[1])) for check in checks)


def _names_of(field: str, flags: list[Any], lists: list[tuple[str, list[Any]]]) -> list[Any]:
    """The list of as many names that belongs to the flags: the only one, or the one that shares a word with them."""
    found = {
        name: texts
        for name, texts in lists
        if len(texts) == len(flags) and all(type(text) is str and len(text) <= _LONGEST_NAME for text in texts)
    }
    if len(found) > 1:
        words = set(field.split("_"))
        found = {name: texts for name, texts in found.items() if words & set(name.split("_")) - {"list"}}
    return next(iter(found.values())) if len(found) == 1 else []


def _keys(check: dict[str, Any]) -> tuple[str, str] | None:
    """The keys of an object's name and of what was found, null where it lacks either."""
    name = next((key for key in _NAMES if type(check.get(key)) is str), None)
    said = next((key for key in _FLAGS if _is_said(check.get(key))), None)
    return None if name is None or said is None else (name, said)


def _is_said(value: Any) -> bool:
    return type(value) is bool or (type(value) is str and value.lower() in _SAID)


def _short(name: str) -> str:
    return clean_text(name.strip().partition("\n")[0])[:_LONGEST_NAME]
