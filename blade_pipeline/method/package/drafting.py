"""Draft anchor facts from the sentences of a report, by the public BLADE helper's ``extract-anchor-facts`` rules."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from blade_pipeline.method.package.lines import outside_code

METHOD = "public_heuristic_blade_toolkit"
LONGEST = 60
"""Words of one strict fact; what is longer runs several findings together."""

_SHORTEST_SENTENCE, _SHORTEST_FACT, _KEY = 60, 40, 120
_SIGNS = (
    "root cause",
    *"because caused dominant concentrat passing failing sometimes always-fail trajectory rollout verifier".split(),
    *"simulation mismatch timeout compile error behavior knowledge inconsistent gap pattern".split(),
)
_OF_ROLLOUTS = ("task", "rollout", "trajectory", "tool call", "stderr")
_OF_CAUSES = ("why", "because", "root cause", "diagnosis")
_OF_DISTRIBUTIONS = ("breakdown", "distribution", "rate", "category", "domain", "count")
_INLINE = (r"`([^`]*)`", r"\*\*([^*]*)\*\*", r"\*([^*]*)\*", r"\[([^\]]+)\]\([^)]+\)")
_BULLET = re.compile(r"^[-*]\s+")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`])")
_FIGURES = (
    (re.compile(r"\b\d+(?:\.\d+)?%"), "a measured percentage"),
    (
        re.compile(r"\b\d+(?:\.\d+)?\s*(?:pp|seconds|secs|tokens|rollouts|tasks|files|calls)\b"),
        "a measured quantity",
    ),
    (re.compile(r"\b\d{3,}\b"), "a large count"),
)


def draft_facts(report: str, most: int, *, strict: bool = False) -> list[dict[str, Any]]:
    """At most ``most`` facts (id, fact, difficulty, mean_score), the most telling sentences first.

    With ``strict`` an item of a list, a paragraph and a table are units of their own, so that items never run together
    into one fact; a fact keeps its figures, so that they can be checked, and has at most ``LONGEST`` words.
    """
    sentences = list(_units(report) if strict else _sentences(_joined(report)))
    ranked = sorted(sentences, key=telling, reverse=True)
    worth = [sentence for sentence in ranked if telling(sentence) >= 2]
    facts = _distinct(_spaced(sentence) if strict else without_figures(sentence) for sentence in worth)
    return [_fact(number, fact) for number, fact in enumerate(islice(facts, most), 1)]


def telling(sentence: str) -> int:
    """How many signs of a finding the sentence shows; two more each for rollouts and for causes."""
    text = sentence.lower()
    found = sum(sign in text for sign in _SIGNS)
    return found + 2 * _has(text, _OF_ROLLOUTS) + 2 * _has(text, _OF_CAUSES)


def difficulty_of(fact: str) -> str:
    """``high`` for a fact about rollouts, ``medium`` for one about a distribution, else ``low``."""
    text = fact.lower()
    if _has(text, (*_OF_ROLLOUTS, "passing", "failing")):
        return "high"
    return "medium" if _has(text, _OF_DISTRIBUTIONS) else "low"


def without_figures(sentence: str) -> str:
    """The sentence with percentages, quantities and large counts replaced by words."""
    for figure, words in _FIGURES:
        sentence = figure.sub(words, sentence)
    return _spaced(sentence)


def _fact(number: int, fact: str) -> dict[str, Any]:
    difficulty = difficulty_of(fact)
    return {
        "id": f"B{number}",
        "fact": fact,
        "difficulty": difficulty,
        "mean_score": 3.5 if difficulty == "high" else 3.25,
    }


def _distinct(facts: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for fact in facts:
        key = re.sub(r"[^a-z0-9]+", " ", fact.lower())[:_KEY]
        if len(fact) >= _SHORTEST_FACT and key not in seen:
            seen.add(key)
            yield fact


def _joined(report: str) -> str:
    return " ".join(_plain(line) for line in outside_code(report) if _is_prose(line.strip()))


def _units(report: str) -> Iterator[str]:
    """Sentences that never reach over the end of a list item or paragraph."""
    unit: list[str] = []
    for line in [*outside_code(report), ""]:
        text = line.strip()
        if not _is_prose(text) or _ITEM.match(line):
            yield from _short(_sentences(" ".join(unit)))
            unit = []
        if _is_prose(text):
            unit.append(_plain(_ITEM.sub("", line)))


def _short(sentences: Iterable[str]) -> Iterator[str]:
    return (sentence for sentence in sentences if len(sentence.split()) <= LONGEST)


def _is_prose(text: str) -> bool:
    return bool(text) and not text.startswith(("|", "#")) and bool(set(text) - {"-", " "})


def _sentences(text: str) -> Iterator[str]:
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    return (part for part in parts if len(part) >= _SHORTEST_SENTENCE)


def _plain(line: str) -> str:
    text = line.strip()
    for mark in _INLINE:
        text = re.sub(mark, r"\1", text)
    return _BULLET.sub("", text.strip()).strip()


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _has(text: str, signs: Iterable[str]) -> bool:
    return any(sign in text for sign in signs)
