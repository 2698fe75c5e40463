"""What a report says of the files and the properties of a run, held against its manifest."""

import re
from collections.abc import Iterator
from typing import Any

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.figures import SCALES
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.restated import restated
from blade_pipeline.method.verification.sentences import Sentence

_PROPERTIES = re.compile(
    rf"^(?P<part>{N}) of (?P<whole>{N}) properties (?:of the run )?are (?P<status>known|unknown)\b"
)
_FILES = re.compile(rf"^(?:{N} of )?(?P<files>{N}) files? in the run directory\b")


class Inventory:
    """The files and properties that the run's manifest lists."""

    def __init__(self, evidence: Evidence) -> None:
        manifest = evidence.documents.get("run_manifest") or {}
        self._files: list[dict[str, Any]] = manifest.get("files") or []
        self._values: dict[str, dict[str, Any]] = manifest.get("values") or {}
        self._findings = [finding.get("detail") for finding in manifest.get("findings") or []]
        reasons: dict[str, list[str]] = {}
        for key, entry in self._values.items():
            reasons.setdefault(entry.get("reason") or "", []).append(f"`{key}`")
        self._unknown = [f"unknown: {reason}: {', '.join(keys)}" for reason, keys in reasons.items()]
        self._disturbing = list(_disturbing(evidence.documents.get("coverage") or {}))

    def of_sentence(self, sentence: Sentence) -> Iterator[Claim]:
        """How many files and properties there are, and why a property is unknown."""
        if self._values and (found := _PROPERTIES.match(sentence.text)):
            known = sum(entry.get("value") is not None for entry in self._values.values())
            part = known if found["status"] == "known" else len(self._values) - known
            right = {"part": part, "whole": len(self._values)}
            yield from named(found, sentence.figures, right, f"properties, {found['status']} ones")
        if self._files and (found := _FILES.match(sentence.text)):
            yield from named(found, sentence.figures, {"files": len(self._files)}, "of the run directory")
        yield from restated(sentence.text, sentence.figures, [*self._unknown, *self._findings], "the manifest")
        yield from restated(sentence.text, sentence.figures, self._disturbing, "the accounting")

    def of_cell(self, cell: Cell) -> Iterator[Claim]:
        """Where a property was read, and how large a file is."""
        if cell.heading == "read from":
            source = (self._values.get(cell.name) or {}).get("source")
            yield from restated(cell.said.text, cell.figures, [source], f"the source of {cell.name}")
        elif cell.heading == "size" and cell.lone is not None:
            sizes = [file["size"] for file in self._files if file["name"] == cell.name and file.get("size") is not None]
            for size in sizes:
                yield from claim(cell.lone, exactly(size / SCALES[cell.lone.unit], f"the size of {cell.name}"))


def _disturbing(coverage: dict[str, Any]) -> Iterator[str]:
    """What the accounting assumed, and what disturbs the numbers, alone and with its kind before it."""
    yield from coverage.get("assumptions") or []
    for finding in coverage.get("findings") or []:
        kind, told = finding["kind"], finding["sentence"]
        yield from (told, f"Caution: {told}", f"{kind[:1].upper()}{kind[1:]}. {told}")
