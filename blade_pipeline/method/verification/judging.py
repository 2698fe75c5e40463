"""What is made of a figure and its claims: confirmed, contradicted with the right value, or unplaced."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from blade_pipeline.method.verification.claims import Claim
from blade_pipeline.method.verification.figures import Figure

Json = dict[str, Any]
CONFIRMED, CONTRADICTED, UNPLACED = "confirmed", "contradicted", "unplaced"
_CONTEXT = 160


def judged(
    figure: Figure, claims: Iterable[Claim], line: int, context: str, place: Callable[[Figure], str | None]
) -> Json:
    """The record of a figure; one without a claim that it fits is looked up by ``place``."""
    own = [claim for claim in claims if claim.figure.start == figure.start]
    wrong = next((claim for claim in own if claim.firm and claim.borne_out() is None), None)
    told: Json = {"line": line, "text": figure.text, "context": context[:_CONTEXT]}
    if wrong is not None:
        first = wrong.options[0]
        return told | {"status": CONTRADICTED, "right": figure.written(first.right), "by": first.what}
    borne = next((option for claim in own if (option := claim.borne_out()) is not None), None)
    by = borne.what if borne is not None else place(figure)
    return told | {"status": UNPLACED if by is None else CONFIRMED, "right": None, "by": by}


def summed(figures: list[Json], totals: list[Json], ids: list[Json]) -> Json:
    """The result with its counts."""
    statuses = Counter(figure["status"] for figure in figures)
    counts = {status: statuses[status] for status in (CONFIRMED, CONTRADICTED, UNPLACED)}
    counts |= {"wrong_totals": len(totals), "wrong_ids": len(ids)}
    ok = not (counts[CONTRADICTED] or totals or ids)
    return {"ok": ok, "counts": counts, "figures": figures, "totals": totals, "ids": ids}


def wrongs(found: Mapping[str, Json]) -> Json:
    """What is wrong in some files by place and kind, without a value: ``{counts: {file: counts}, wrong: [...]}``.

    Args:
        found: per file name, what a verifier says of it.

    Returns:
        An entry of ``wrong`` is ``{file, line, path, kind, problem}``; a number of a JSON file has a path and no line.
    """
    wrong = [entry | {"file": file} for file, result in found.items() for entry in _wrongs(result)]
    return {"counts": {file: result["counts"] for file, result in found.items()}, "wrong": wrong}


def _wrongs(result: Json) -> Iterator[Json]:
    for figure in result["figures"]:
        if figure["status"] == CONTRADICTED:
            path = figure["context"] if figure["line"] is None else None
            told = {"kind": _kind(figure["text"]), "problem": "is not what the rows say"}
            yield {"line": figure["line"], "path": path} | told
    for total in result["totals"]:
        yield {"line": total["line"], "path": None, "kind": "total", "problem": "is not the sum"}
    for cited in result["ids"]:
        yield {"line": cited["line"], "path": None, "kind": f"{cited['kind']} id", "problem": cited["problem"]}


def _kind(text: str) -> str:
    """Percentage, difference, count or number."""
    if text.endswith("%"):
        return "percentage"
    return "difference" if "p" in text else "count" if text.lstrip("+-").replace(",", "").isdigit() else "number"
