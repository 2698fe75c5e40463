"""``k of n`` with its percentage: the arithmetic, whatever k and n are."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.figures import Figure

N = r"[+-]?\d[\d,]*(?:\.\d+)?"
_RATIO = re.compile(rf"(?<![\w.@^/])(?P<k>{N})(?P<sign> of (?:the |all )?|/| / | out of )(?P<n>{N})(?![\w@]|\.\d|/\d)")
_BEFORE = re.compile(rf"(?P<p>{N}) ?%\s*\(\s*$")
_AFTER = re.compile(rf"^[^()%;:⟦\d]{{0,60}}\(\s*(?P<p>{N}) ?%")
_NOUN = re.compile(r"^\s*(?P<noun>[A-Za-z][A-Za-z-]*(?: [A-Za-z][A-Za-z-]*){0,4})?(?P<rest>.?)")


class Ratio(NamedTuple):
    """``k of n``: both figures, the percentage beside it if any, the words after it, and where it stands."""

    part: Figure
    whole: Figure
    percent: Figure | None
    after: str
    start: int
    end: int


def ratios(text: str, figures: Mapping[int, Figure]) -> Iterator[Ratio]:
    """Every ratio of a text whose two numbers are figures."""
    for found in _RATIO.finditer(text):
        part, whole = figures.get(found.start("k")), figures.get(found.start("n"))
        if part is None or whole is None or whole.unit or part.unit:
            continue
        percent = _percent(text, found, figures)
        yield Ratio(part, whole, percent, text[found.end() :], found.start(), found.end())


def arithmetic(ratio: Ratio) -> list[Claim]:
    """The percentage follows from k and n, whatever digits of k were rounded away."""
    k, n = ratio.part.value, ratio.whole.value
    if ratio.percent is None or not n:
        return []
    slip = 0.5 * 10.0**-ratio.part.decimals if ratio.part.decimals else 0.0
    nearest = min(max(ratio.percent.value, 100 * (k - slip) / n), 100 * (k + slip) / n)
    return claim(ratio.percent, exactly(nearest, f"{k:g} of {n:g}"))


def noun_of(ratio: Ratio) -> tuple[str, str]:
    """Up to five words after the ratio, lower-case, and the sign that follows them."""
    found = _NOUN.match(ratio.after)
    return ("", "") if found is None else ((found["noun"] or "").lower(), found["rest"])


def _percent(text: str, found: re.Match[str], figures: Mapping[int, Figure]) -> Figure | None:
    before = _BEFORE.search(text[: found.start()])
    if before:
        return figures.get(before.start("p"))
    after = _AFTER.match(text[found.end() :])
    return figures.get(found.end() + after.start("p")) if after else None
