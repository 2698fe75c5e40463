"""What the rollouts of a cause cost a run that goes by its mean score, recounted from the rows."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from blade_pipeline.method.verification.claims import Claim, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence

_KEY = ("agent", "stage", "task")
_SEEN = re.compile(
    rf"\((?P<label>[A-Z]{{2}})\), seen in (?P<rollouts>{N}) rollouts? on (?P<tasks>{N}) of (?P<of>{N}) tasks?, "
    rf"at most (?P<gain>{N}) of the mean score"
)
_FACT = re.compile(
    rf"mean score could be recovered from (?P<label>[A-Z]{{2}}): (?P<rollouts>{N}) rollouts? on (?P<tasks>{N}) of "
    rf"(?P<of>{N}) tasks? show it, (?P<gain>{N}) at most"
)


class GradedGains:
    """Counts the measured rollouts of each cause; the best score is as stated, else 1 if none leaves 0 to 1."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    def of_sentence(self, sentence: Sentence) -> Iterator[Claim]:
        """Rollouts and tasks that show a cause; the gain where the best score is known."""
        for found in (*_SEEN.finditer(sentence.text), *_FACT.finditer(sentence.text)):
            yield from named(found, sentence.figures, self._of(found["label"]), f"rollouts that show {found['label']}")

    def _of(self, label: str) -> dict[str, float]:
        causes = zip(*(self._evidence.modes[name].to_pylist() for name in (*_KEY, "repeat", "root_cause")), strict=True)
        own = {tuple(row) for *row, cause in causes if cause == label} & self._scores.keys()
        repeats = Counter(key[:3] for key in self._scores)
        found = {"rollouts": float(len(own)), "tasks": len({key[:3] for key in own}), "of": float(len(repeats))}
        if self._best is not None and repeats:
            lacking = (abs(self._best - self._scores[key]) / repeats[key[:3]] for key in own)
            found["gain"] = math.fsum(lacking) / len(repeats)
        return found

    @cached_property
    def _best(self) -> float | None:
        stated = (self._evidence.documents.get("root_causes") or {}).get("mean_score_gains") or []
        inside = all(0 <= score <= 1 for score in self._scores.values())
        return next((gain["best"] for gain in stated if "best" in gain), 1.0 if inside else None)

    @cached_property
    def _scores(self) -> dict[tuple[Any, ...], float]:
        columns = self._evidence.aligned.select([*_KEY, "repeat", "outcome", "score"]).columns
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        return {tuple(key): score for *key, outcome, score in rows if outcome == "measured"}
