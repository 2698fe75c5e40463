"""Slices whose score moved between two runs, beyond what chance and the number of comparisons would do."""

from collections.abc import Mapping, Sequence
from typing import Any

from blade_pipeline.method.comparison.amounts import listed, score_text, signed

ALPHA = 0.05


def moved_slices(secondary: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Secondary comparisons of a slice that survive Holm's correction, the clearest first.

    The t test trusts the spread of however few tasks there are: the sign-flip mid-p must reach it too.
    """
    found = [row for row in secondary if row.get("sign_flip_mid_p") is not None]
    beyond = [row for row in found if max(row["holm_p"], row["sign_flip_mid_p"]) <= ALPHA]
    return sorted(beyond, key=lambda row: (row["holm_p"], row["name"]))


def moved_sentence(secondary: Sequence[Mapping[str, Any]], metric: str) -> str:
    """What moved in one sentence, empty where no slice did."""
    found = moved_slices(secondary)
    if not found:
        return ""
    parts = listed([_one(row, metric) for row in found], "slice")
    tests = sum(row["holm_p"] is not None for row in secondary)
    return f"Beyond chance in a slice: {parts} (p after Holm's correction over {tests} tests)."


def _one(row: Mapping[str, Any], metric: str) -> str:
    tasks = f"{row['tasks']} task{'s' * (row['tasks'] != 1)}"
    before, now = (score_text(row[side], metric) for side in ("a", "b"))
    gap = signed(row["value"], metric)
    return f"{row['name']} ({tasks}) went from {before} before to {now}, {gap}, p = {row['holm_p']:.2g}"
