"""The shallow baseline of a report: what is left when all reasoning is taken out.

The rules are those of the public BLADE helper's ``make-shallow``.
"""

import re
from collections.abc import Iterator
from typing import Literal

from blade_pipeline.method.package.lines import outside_code

NOTE = (
    "What is left of the report without its reasoning: headings and the headline tables. It should score low;\n"
    "read it before you calibrate with it."
)

_NUMBERED = re.compile(r"^\d+[).:-]?\s*")
_OTHER = re.compile(r"[^a-z0-9]+")


def shallow_baseline(report: str, name: str) -> str:
    """The headings of the first two levels, and the tables right below an aggregate or funnel section.

    Args:
        report: Markdown.
        name: what the title calls the report.
    """
    lines = [f"# Shallow Baseline: {name}", "", *NOTE.splitlines(), "", *_kept(report)]
    return "\n".join(lines).rstrip() + "\n"


def _kept(report: str) -> Iterator[str]:
    keeping = after_row = False
    for line in outside_code(report):
        text = line.strip()
        if text.startswith("#"):
            level = len(text) - len(text.lstrip("#"))
            keeping = level == 2 and _has_headline_tables(text)
            if level <= 2:
                yield line
        elif text.startswith("|") and keeping:
            yield line
            after_row = True
            continue
        elif after_row and not text:
            yield ""
        elif not text.startswith("|"):
            continue
        after_row = False


def _has_headline_tables(heading: str) -> bool:
    title = _NUMBERED.sub("", heading.lstrip("#").strip().lower())
    return _kind(_OTHER.sub(" ", title)) is not None


def _kind(title: str) -> Literal["aggregate", "workflow"] | None:
    if "aggregate" in title and ("result" in title or "metric" in title):
        return "aggregate"
    return "workflow" if "workflow" in title and ("funnel" in title or "phase" in title) else None
