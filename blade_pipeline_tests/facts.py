"""Runs the query of an anchor fact and holds its answer against the sentence."""

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def printed_numbers(fact: dict[str, Any]) -> set[float]:
    """The numbers of the sentence; names stand in backticks and may hold digits."""
    return {float(number) for number in _NUMBER.findall(re.sub(r"`[^`]*`", "", fact["fact"]))}


def wrong_facts(facts: list[dict[str, Any]], query: Callable[[str], pa.Table]) -> list[str]:
    """What is wrong with the facts' queries: not one row, other numbers than noted, or not those of the sentence."""
    found = []
    for fact in facts:
        evidence = fact["evidence"]
        rows = query(evidence["query"]).to_pylist()
        answer = {name: float(value) for name, value in rows[0].items()} if len(rows) == 1 else {}
        if answer != evidence["numbers"] or not printed_numbers(fact) <= set(answer.values()):
            found.append(f"{fact['fact']} The query gives {rows}: {evidence['query']}")
    return found
