"""Words of a text, as the public BLADE helper counts them."""

import re

_WORD = re.compile(r"[a-z][a-z0-9_]{2,}")
_COMMON = frozenset(
    "about above after again against also because before between could every from have into more most only other "
    "report same should than that their there these this through with without would".split()
)


def words(text: str) -> frozenset[str]:
    """Distinct lower-case words of three characters or more that begin with a letter, without 31 common ones."""
    return frozenset(_WORD.findall(text.lower())) - _COMMON


def overlap(part: str, whole: str) -> float:
    """Share of the words of ``part`` that ``whole`` has too; 0 when ``part`` has none."""
    wanted = words(part)
    return len(wanted & words(whole)) / len(wanted) if wanted else 0.0
