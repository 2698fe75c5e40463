"""A deterministic proxy for the judge's score of a report, and its calibration.

The formula is the public BLADE helper's. It counts words, so a list of the right words passes it; ``strict`` asks
for each fact in one passage of prose, with the fact's own figures.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from blade_pipeline.method.package.passages import figures, passages
from blade_pipeline.method.package.words import overlap, words

Json = dict[str, Any]

MET = 0.35
GOLDEN_AT_LEAST, SHALLOW_AT_MOST, SPREAD_AT_LEAST = 0.85, 0.40, 0.50
_HEADING = re.compile(r"^##\s+", re.MULTILINE)
_ROW = re.compile(r"^\|", re.MULTILINE)
_EVIDENCE = re.compile(r"\b(?:task|rollout|trajectory|stderr|verifier|log|tool call|example)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\b\d+(?:\.\d+)?%?|\bpass@[k1]\b", re.IGNORECASE)
_NOTE = "A proxy that counts words, headings and figures; a judge's score may differ."


def score_report(report: str, golden: str, facts: Iterable[Any], *, strict: bool = False) -> Json:
    """The proxy's score of ``report`` against a golden report and its anchor facts, in [0, 1], rounded to 4 digits."""
    structure, quantitative = _full(_HEADING, report, 8), _full(_FIGURE, report, 20)
    evidence, tables = _full(_EVIDENCE, report, 20), _full(_ROW, report, 20)
    hits = _strict_hits(report, facts) if strict else [_hit(fact, report) for fact in records(facts)]
    covered = sum(hit["met"] for hit in hits) / max(1, len(hits))
    alike = overlap(golden, report)
    checklist = 0.2 * structure + 0.2 * quantitative + 0.2 * evidence + 0.4 * covered
    holistic = 0.2 * evidence + 0.2 * alike + 0.5 * covered + 0.1 * tables
    return {
        "final_score": round((checklist + holistic) / 2, 4),
        "checklist": {
            "score": round(checklist, 4),
            "structure": round(structure, 4),
            "quantitative": round(quantitative, 4),
            "evidence": round(evidence, 4),
            "anchor_coverage": round(covered, 4),
        },
        "holistic": {
            "normalized_score": round(holistic, 4),
            "golden_overlap": round(alike, 4),
            "table_score": round(tables, 4),
        },
        "anchor_hits": hits,
        "note": _NOTE,
    }


def calibration(golden: str, shallow: str, facts: Sequence[Any], *, strict: bool = False) -> dict[str, Json]:
    """The scores of a golden report against itself and of its shallow baseline, and a summary of both.

    Keys: ``golden-vs-self``, ``shallow-vs-golden`` and ``summary``.
    """
    own = score_report(golden, golden, facts, strict=strict)
    bare = score_report(shallow, golden, facts, strict=strict)
    return {"golden-vs-self": own, "shallow-vs-golden": bare, "summary": _summary(own, bare)}


def misses(summary: Json, min_spread: float, *, strict: bool = False) -> list[str]:
    """The targets that a calibration misses, one sentence each; only ``strict`` asks for all three."""
    golden, shallow = summary["golden_vs_self"], summary["shallow_vs_golden"]
    told = [] if golden - shallow >= min_spread else [f"The spread {summary['spread']} is below {min_spread}."]
    if strict and golden < GOLDEN_AT_LEAST:
        told.append(f"The golden report scores {golden} against itself, below {GOLDEN_AT_LEAST}.")
    if strict and shallow > SHALLOW_AT_MOST:
        told.append(f"The shallow baseline scores {shallow}, above {SHALLOW_AT_MOST}.")
    return told


def records(document: Any) -> list[Any]:
    """The anchor facts of a document: an object with ``anchor_facts``, or a bare list."""
    found = document.get("anchor_facts", []) if isinstance(document, dict) else document
    return found if isinstance(found, list) else []


def _summary(own: Json, bare: Json) -> Json:
    golden, shallow = own["final_score"], bare["final_score"]
    return {
        "golden_vs_self": golden,
        "shallow_vs_golden": shallow,
        "spread": round(golden - shallow, 4),
        "targets": {
            "golden_vs_self_min": GOLDEN_AT_LEAST,
            "shallow_vs_golden_max": SHALLOW_AT_MOST,
            "spread_min": SPREAD_AT_LEAST,
        },
        "note": _NOTE,
    }


def _full(pattern: re.Pattern[str], report: str, enough: int) -> float:
    return min(1.0, len(pattern.findall(report)) / enough)


def _hit(record: Any, report: str) -> Json:
    fact = _text(record)
    score = overlap(fact, report)
    return {"id": _id(record), "score": score, "met": score >= MET, "fact": fact}


def _strict_hits(report: str, facts: Iterable[Any]) -> list[Json]:
    found = [(words(passage), figures(passage)) for passage in passages(report)]
    return [_strict_hit(record, found) for record in records(facts)]


def _strict_hit(record: Any, found: Sequence[tuple[frozenset[str], frozenset[str]]]) -> Json:
    """The best passage that states the fact's figures, if the fact has any."""
    fact = _text(record)
    wanted, numbers = words(fact), figures(fact)
    shares = [len(wanted & had) / len(wanted) for had, stated in found if wanted and numbers <= stated]
    score = max(shares, default=0.0)
    anywhere = frozenset[str]().union(*(stated for _, stated in found))
    hit = {"id": _id(record), "score": score, "met": score >= MET, "fact": fact}
    return hit | {"figures_absent": sorted(numbers - anywhere)}


def _text(record: Any) -> str:
    return str(record.get("fact", "")) if isinstance(record, dict) else ""


def _id(record: Any) -> Any:
    return record.get("id") if isinstance(record, dict) else None
