"""What changed since the previous report of the run: its files, the code, the team's files, the numbers."""

from collections.abc import Iterator
from typing import Any

from blade_pipeline.reporting.blocks import Block, Bullets, Heading, Paragraph, Row, Text, cells, code, link, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, percent
from blade_pipeline.reporting.view.evidence import names

_READ = (
    ("Rollouts and their outcomes", "aligned_samples"),
    ("Benchmark profile", "benchmark_profile"),
    ("Analyst labels", "analyst_labels"),
)
_SHARES = (
    ("pass@1, mean over tasks", "pass_at_1"),
    ("pass@1, over rollouts", "pass_at_1_micro"),
    ("coverage", "coverage"),
    ("measured of expected", "measured_share"),
)
_COUNTS = (
    ("tasks", "total_tasks"),
    ("always-pass tasks", "always_pass_tasks"),
    ("sometimes-pass tasks", "sometimes_pass_tasks"),
    ("never-pass tasks", "always_fail_tasks"),
    ("indeterminate tasks", "indeterminate_tasks"),
)
_OUTCOMES = ("expected", "measured", "masked", "unscored", "failed", "missing")
_ABSENT = object()


def changes(edition: Json, previous: Json | None) -> Iterator[Block]:
    """What differs from the previous edition, or that there is none."""
    yield Heading(say("What changed since the previous report"))
    if previous is None:
        yield Paragraph(say("This is the first report of this run in this store."))
        return
    yield Bullets(
        (_files(previous, edition), *_read(previous, edition), _code(previous, edition), _numbers(previous, edition))
    )
    rows = [Row(cells(*row)) for row in _headline(previous, edition) if row[1] != row[2]]
    if rows:
        yield table("Headline values, before and now", "Value | Before | Now", rows, "Before | Now")


def _files(before: Json, now: Json) -> Text:
    old, new = before["files"], now["files"]
    found = (
        ("changed", [name for name in old.keys() & new.keys() if old[name] != new[name]]),
        ("new", new.keys() - old.keys()),
        ("gone", old.keys() - new.keys()),
    )
    told = [say(f" {said}: ", names(sorted(those), 6), ".") for said, those in found if those]
    return say("Files of the run:", *(told or [say(" the same names and sizes.")]))


def _read(before: Json, now: Json) -> Iterator[Text]:
    for title, asset in _READ:
        same = before["read"].get(asset) == now["read"].get(asset)
        yield say(f"{title}: {'the same' if same else 'changed'}.")


def _code(before: Json, now: Json) -> Text:
    if before["code"] == now["code"]:
        return say("Code of the analysis: the same.")
    was, is_now = (say(f"{edition['version']} (", code(edition["code"]), ")") for edition in (before, now))
    return say("Code of the analysis: changed, from ", was, " to ", is_now, ".")


def _numbers(before: Json, now: Json) -> Text:
    old, new = dict(_leaves(before["metrics"])), dict(_leaves(now["metrics"]))
    changed = sum(old.get(path, _ABSENT) != new.get(path, _ABSENT) for path in old.keys() | new.keys())
    metrics, kept = (link(name, name) for name in ("metrics.json", "previous_metrics.json"))
    if not changed:
        return say("Numbers: all ", count(len(new)), " values of ", metrics, " are the same.")
    return say(
        "Numbers: ", count(changed), " values of ", metrics, " differ from ", kept, ", which keeps the former ones."
    )


def _headline(before: Json, now: Json) -> Iterator[tuple[str, Text, Text]]:
    for name in ("verdict", "baseline"):
        yield name, _named(before[name]), _named(now[name])
    old, new = before["metrics"], now["metrics"]
    for title, key in _SHARES:
        yield title, say(percent(old.get(key))), say(percent(new.get(key)))
    for title, key in _COUNTS:
        yield title, say(count(old.get(key))), say(count(new.get(key)))
    for key in _OUTCOMES:
        yield f"{key} rollouts", say(count(old["accounting"][key])), say(count(new["accounting"][key]))


def _named(name: str | None) -> Text:
    return say(code(name)) if name else say("none")


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every number, word and null of a document with the keys that lead to it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path, value
        return
    for key, item in items:
        yield from _leaves(item, (*path, str(key)))
