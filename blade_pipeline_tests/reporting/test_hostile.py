"""Names and ids that try to break out of a report."""

from dataclasses import fields, replace
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.comparison import Pairs
from blade_pipeline.reporting import ReportInputs, build_benchmark_page, build_report, markdown_summary
from blade_pipeline.reporting.text import published
from blade_pipeline_tests.reporting.pages import Page
from blade_pipeline_tests.reporting.samples import mixed_run

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "closing": "</td></table><img src=x onerror=alert(1)>",
    "style": "</style><script>alert(1)</script>",
    "markdown": "```\n# heading\n| a | b |\n[x](javascript:alert(1))",
    "terminal": "\x1b[2J\x1b]0;title\x07",
    "bidi": "abc\u202edcba\u2066",
    "entity": "&lt;script&gt;&#60;b&#62;",
    "template": "{{ 7 * 7 }}{% raw %}",
    "fence": "`" * 5 + "|" + "`",
    "url": "https://evil.example/x",
}


def poisoned(value: Any, text: str) -> Any:
    """The same inputs with the text put into every free string."""
    if isinstance(value, str):
        return value if value in KEPT or value.isdigit() else f"{value} {text}"
    if isinstance(value, dict):
        return {key: item if key in FIXED else poisoned(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item, text) for item in value]
    return value


KEPT = set(
    """always_pass sometimes_pass always_fail indeterminate missing masked new_tasks these_tasks measured unscored
    failed unexpected row blank same different unknown code benchmark method accounting noise rule analyst generic
    fraction pass@1""".split()
)
"""Words that decide what is shown; a metric of the team's own stays free text."""
FIXED = {"slices", "steps", "numbers", "usage", "perf", "difficulty", "kind"}


def poisoned_run(text: str) -> ReportInputs:
    inputs = mixed_run()
    changed: dict[str, Any] = {}
    for field in fields(inputs):
        value = getattr(inputs, field.name)
        if isinstance(value, pa.Table):
            changed[field.name] = pa.Table.from_pylist(poisoned(value.to_pylist(), text), schema=value.schema)
        else:
            changed[field.name] = poisoned(value, text)
    return replace(inputs, **changed)


SECRET = "sk-proj-abc123DEF456ghi789 https://user:pw@evil.example/x"


def test_no_secret_or_address_reaches_a_published_file() -> None:
    for name, content in build_report(poisoned_run(SECRET)).items():
        assert b"abc123DEF456" not in content, name
        assert b"evil.example" not in content, name


def test_redacted_keys_of_json_stay_distinct() -> None:
    found = published({"Bearer abcdef": 1, "Bearer ghijkl": {"a": "host.lan"}, "b": [0.5]})
    assert found == {"[not shown]": 1, "[not shown] 2": {"a": "[not shown]"}, "b": [0.5]}


@cache
def plain_report() -> dict[str, bytes]:
    return build_report(mixed_run())


@cache
def poisoned_report(kind: str) -> dict[str, bytes]:
    return build_report(poisoned_run(HOSTILE[kind]))


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_a_page_of_hostile_names_stays_inert(kind: str) -> None:
    clean_page = Page(plain_report()["report.html"].decode())
    page = Page(poisoned_report(kind)["report.html"].decode())
    assert page.scripts == clean_page.scripts
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in clean_page.tags}
    names = {name for _, attrs in page.tags for name in attrs}
    assert not any(name.startswith("on") for name in names)
    assert names <= {name for _, attrs in clean_page.tags for name in attrs}
    assert all(target.startswith(("#", "../")) for target in page.attributes("href"))
    assert "alert(1)" not in "".join(page.scripts)


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_hostile_names_begin_no_line_of_markdown(kind: str) -> None:
    plain = plain_report()["report.md"].decode().splitlines()
    lines = poisoned_report(kind)["report.md"].decode().splitlines()
    assert [line[:2] for line in lines] == [line[:2] for line in plain]
    columns = [line.count(" | ") for line in plain if line.startswith("|")]
    assert [line.count(" | ") for line in lines if line.startswith("|")] == columns
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_a_benchmark_page_of_hostile_names_stays_inert(kind: str) -> None:
    text = HOSTILE[kind]
    row = {"run": text, "model": text, "pass_at_1": 0.5, "low": 0.1, "high": 0.9, "num_tasks": 3, "coverage": 1.0}
    inputs = poisoned_run(text)
    board = {"benchmark": text, "leaderboard": [row, {**row, "run": "b"}], "sentence": text}
    page = Page(build_benchmark_page(text, Pairs.of(inputs.comparison["pairs"]), board, [])["index.html"].decode())
    assert len(page.scripts) == 1
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert not any("://" in target or target.startswith("javascript") for target in page.attributes("href"))


def test_the_summary_table_keeps_its_shape() -> None:
    lines = markdown_summary(poisoned_run(HOSTILE["markdown"])).splitlines()
    assert len(lines) == 8
    assert all(line.count(" | ") == 1 for line in lines[2:])
