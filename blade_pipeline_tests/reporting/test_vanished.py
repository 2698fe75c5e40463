"""The mark on the report of a run whose directory is gone."""

from functools import cache

from blade_pipeline.reporting import build_report, mark_vanished
from blade_pipeline_tests.reporting.samples import mixed_run

SINCE = "2026-10-22T08:00:00+00:00"


@cache
def files() -> dict[str, bytes]:
    return build_report(mixed_run())


def test_both_forms_say_since_when_and_nothing_else_changes() -> None:
    marked = mark_vanished(files(), SINCE)
    assert marked.keys() == files().keys()
    for name, content in marked.items():
        if name not in ("report.html", "report.md"):
            assert content == files()[name]
            continue
        text = content.decode()
        assert text.count("The directory of this run is gone.") == 1
        assert f"records it as missing since {SINCE}" in text
        assert text.index("is gone.") < text.index(
            "Executive Summary</h2>" if name == "report.html" else "## Executive"
        )
        assert len(text.splitlines()) - len(files()[name].decode().splitlines()) in (1, 2)


def test_marking_twice_is_marking_once_and_the_mark_comes_off() -> None:
    marked = mark_vanished(files(), SINCE)
    assert mark_vanished(marked, SINCE) == marked
    assert mark_vanished(marked, None) == files()
    assert mark_vanished(files(), None) == files()


def test_a_later_time_replaces_the_mark() -> None:
    assert mark_vanished(mark_vanished(files(), SINCE), "later") == mark_vanished(files(), "later")


def test_a_hostile_time_stays_text() -> None:
    marked = mark_vanished(files(), "<script>alert(1)</script>\n## x")
    assert b"<script>alert(1)" not in marked["report.html"]
    assert not [line for line in marked["report.md"].decode().splitlines() if line.startswith("## x")]
