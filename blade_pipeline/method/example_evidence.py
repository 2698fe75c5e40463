"""What the rollouts that stand for a failure mode show, in a few redacted words each."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS, answer_pair
from blade_pipeline.gym.excerpts import cut
from blade_pipeline.gym.open_errors import ENVIRONMENT_ERROR, TOOL_ERROR
from blade_pipeline.gym.values import compact_json
from blade_pipeline.method.clusters import line_says
from blade_pipeline.method.declared_evidence import declared_evidence
from blade_pipeline.method.failure_rules import LATE_RULES, PARTIAL, RULES, WRONG
from blade_pipeline.method.modes import Mode
from blade_pipeline.method.sql import query
from blade_pipeline.method.verifier_text import priority, redact, template

LONGEST_ANSWER = 60
"""Characters shown of an expected or extracted answer."""

LONGEST_LINE = 160
"""The same of a line of a log."""

_MESSAGES = 2
_VERDICT = re.compile(r"(^|_)(verdict|outcome|status)(_|$)")

_OF_ANSWERS = (WRONG.code, PARTIAL.code, "right_answer_rejected")
"""Modes whose examples set the expected answer against the extracted one."""


class ExampleEvidence:
    """Evidence of single rows: what a rule shows there, what the verifier said, and both answers."""

    def __init__(self, aligned: pa.Table, marks: pa.Table, positions: Sequence[int], codes: set[str]) -> None:
        self._aligned = aligned
        self._shown = _shown(marks, positions, codes)
        rows = aligned.select(["verifier", "error_lines"]).take(pa.array(positions, pa.int64()))
        self._rows = dict(zip(positions, rows.to_pylist(), strict=True))

    def of(self, mode: Mode, position: int) -> str | None:
        """What the row shows of the mode; null where it shows nothing in words."""
        if mode.source == "profile":
            return _redacted(declared_evidence(mode.rule, self._aligned, position))
        if mode.source == "verifier":
            return self._line(position, mode.label) or redact(mode.label)
        said = [_redacted(self._shown[position].get(mode.code))]
        if mode.code in _OF_ANSWERS:
            said.append(self._answers(position) or self._line(position, None) or self._message(position))
        return ", ".join(filter(None, said)) or None

    def _answers(self, position: int) -> str | None:
        pair = answer_pair(self._fields(position))
        if pair is None:
            return None
        return f"{pair.expected_field}={_answer(pair.expected)}, {pair.extracted_field}={_answer(pair.extracted)}"

    def _line(self, position: int, label: str | None) -> str | None:
        """The line of the row's log that belongs to a cluster's label; without one of any; the longest."""
        lines = [
            f"{field}: {cut(' '.join(text.split()), LONGEST_LINE)}"
            for field, text in self._lines(position)
            if line_says(field, text, label)
        ]
        return max(lines, key=len, default=None)

    def _message(self, position: int) -> str | None:
        """The two most telling short messages of the verifier; without one the answer that it found."""
        flat = dict(_flat(self._fields(position)))
        promised = {name: rank for name in flat if (rank := priority(name)) is not None and not _VERDICT.search(name)}
        told = {name: rank for name, rank in promised.items() if template(flat[name])}
        names = sorted(told, key=lambda name: told[name])[:_MESSAGES]
        names = names or [name for name in flat if re.search(ANSWER_FIELDS, name)][:1]
        return ", ".join(f"{name}={_answer(flat[name])}" for name in names) or None

    def _fields(self, position: int) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self._rows[position]["verifier"] or "{}")
        return fields

    def _lines(self, position: int) -> Iterator[tuple[str, str]]:
        for field, text in json.loads(self._rows[position]["error_lines"] or "[]"):
            yield TOOL_ERROR if field == ENVIRONMENT_ERROR else field, text


def _shown(marks: pa.Table, positions: Sequence[int], codes: set[str]) -> dict[int, dict[str, str | None]]:
    """What the generic rules of these codes show on the given rows."""
    rules = [rule for rule in (*RULES, *LATE_RULES) if rule.code in codes]
    chosen = ["position", *(f"cast({rule.shows} as varchar) as {rule.code}" for rule in rules)]
    rows = query(f"select {', '.join(chosen)} from marks", marks=marks.take(pa.array(positions, pa.int64())))
    return {row["position"]: row for row in rows.to_pylist()}


def _flat(fields: dict[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """Texts of the fields, also inside objects, by their names joined with ``_``."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{place}{name}_")
        elif isinstance(value, str) and value.strip():
            yield place + name, value


def _redacted(text: str | None) -> str | None:
    return redact(text) if text else None


def _answer(value: Any) -> str:
    """One line of at most 60 characters."""
    text = value if isinstance(value, str) else compact_json(value)
    return cut(" ".join(text.split()), LONGEST_ANSWER) or "nothing"
