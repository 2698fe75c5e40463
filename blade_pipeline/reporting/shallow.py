"""A deliberately shallow version of a report: its headings and headline tables, without any reasoning."""

import re
from collections.abc import Iterator

DISCLAIMER = "> A shallow baseline: headings and headline tables only. Evidence, examples and causes are left out."
_KEPT = (re.compile(r"aggregate.*(result|metric)"), re.compile(r"workflow.*(funnel|phase)"))


def shallow(report: str) -> str:
    """First and second level headings, and the tables of the aggregate and funnel sections before any subheading."""
    return "\n".join(_lines(report.splitlines())) + "\n"


def _lines(lines: list[str]) -> Iterator[str]:
    keeping, in_table = False, False
    for line in lines:
        if line.startswith("|") and keeping:
            if not in_table:
                yield ""
            yield line
            in_table = True
            continue
        in_table = False
        heading = re.match(r"(#{1,6}) +(.*)", line)
        if heading:
            level, title = len(heading[1]), heading[2].lower()
            keeping = level == 2 and any(pattern.search(title) for pattern in _KEPT)
            yield from _heading(line, level)


def _heading(line: str, level: int) -> Iterator[str]:
    if level == 1:
        yield from (line, "", DISCLAIMER)
    elif level == 2:
        yield from ("", line)
