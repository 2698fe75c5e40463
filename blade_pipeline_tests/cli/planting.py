"""Plants errors in a finished report: one figure or id of every kind that a report holds."""

import random
import re
from collections import defaultdict

Spot = tuple[int, int, int]
"""Line, and where in it the figure or id stands."""

_ANYWHERE = {
    "task id": r"\b[Tt]ask `([^`]+)`",
    "rollout id": r"\brollout `([^`]+)`|^- (?:Passing|Failing): `([^`]+)`|^\| `(\d+-\d+)` \(`",
}
_IN_SECTIONS = [
    ("share", "Executive Summary", r"pass@1 (?:is )?(\d+\.\d)%|(\d+\.\d)% \(\d+ of"),
    ("k of n", "Executive Summary", r"(\d+) of \d+ (?:measured|expected|failed) rollouts"),
    ("interval end", "Executive Summary", r": (\d+\.\d)% to \d|% to (\d+\.\d)% \("),
    (
        "comparison",
        "Cross-Model",
        r"^\| (?:difference|95% interval|bounds) \| [+-]?(\d+\.\d) points|^Tasks gained: (\d+)",
    ),
]
_IN_TABLES = [
    ("count", "| Outcome | Rollouts", r"^\| (?:measured|masked|unscored|failed|missing) \| (\d+)"),
    ("table total", "| Outcome | Rollouts", r"^\| sum \| (\d+)"),
    ("pass@k", "| k | pass@k", r"^\| \d+ \| (\d+\.\d)% \|"),
    ("bucket", "| Bucket |", r"^\| [A-Z] +[a-z ]+ \| (\d+) "),
    ("mode count", "| Mode | Symptom", r"^\| `[^`]+` \| [^|]* \| [\d.]+% \((\d+) of"),
]
KINDS = frozenset({*_ANYWHERE, *(kind for kind, *_ in (*_IN_SECTIONS, *_IN_TABLES))})


def spots(lines: list[str]) -> dict[str, list[Spot]]:
    """Where a report holds something of each kind."""
    found: dict[str, list[Spot]] = defaultdict(list)
    section = header = ""
    for number, line in enumerate(lines):
        section = line[3:] if line.startswith("## ") else section
        header = "" if not line.startswith("|") else header or line
        wanted = [*_ANYWHERE.items()]
        wanted += [(kind, pattern) for kind, title, pattern in _IN_SECTIONS if section.startswith(title)]
        wanted += [(kind, pattern) for kind, start, pattern in _IN_TABLES if header.startswith(start)]
        for kind, pattern in wanted:
            for match in re.finditer(pattern, line):
                found[kind].append((number, *match.span(match.lastindex or 0)))
    return found


def planted(lines: list[str], spot: Spot) -> list[str]:
    """The report with the figure raised beyond its precision, or with an id that no run has."""
    number, start, end = spot
    line, was = lines[number], lines[number][start:end]
    digits = len(was.partition(".")[2])
    put = f"{float(was) + 3:.{digits}f}" if re.fullmatch(r"[\d.]+", was) and line[start - 1] != "`" else f"{was}-97"
    return [*lines[:number], line[:start] + put + line[end:], *lines[number + 1 :]]


def chosen(lines: list[str], seed: int) -> dict[str, Spot]:
    """One place of each kind, drawn by the seed."""
    draw = random.Random(seed)
    return {kind: draw.choice(places) for kind, places in sorted(spots(lines).items())}
