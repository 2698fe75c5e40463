"""Symptoms that a run could have shown and did not."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.modes import Mode, outcome_masks

_SENTENCES = {
    "output_limit": "was cut short at its output limit",
    "tool_errors": "had a tool output that looks like an error",
    "infrastructure": "names a service, sandbox, network or storage that gave way in its error fields, in the "
    "verifier's messages and logs, in outputs of tools that look like errors or in a brief final message",
    "no_answer": "was left without an extracted answer",
}


def absences(marks: pa.Table, found: list[Mode]) -> list[dict[str, Any]]:
    """``{code, what, among, rollouts}``: of so many failed or measured rollouts that could show it, none did.

    Args:
        marks: the signals table.
        found: the run's modes, of which the generic ones are looked at.
    """
    failed, passed = outcome_masks(marks)
    measured = failed | passed
    hits = {mode.code: mode.hits for mode in found if mode.source == "rule"}
    hits["tool_errors"] = _true(pc.greater(marks["tool_errors"], 0))
    hits["infrastructure"] = hits["infrastructure"] | _true(_named(marks))
    stopped = _true(pc.is_valid(pc.coalesce(marks["incomplete"], marks["status"], marks["finish"])))
    could = {
        "output_limit": measured & stopped,
        "tool_errors": measured & _true(pc.greater(marks["tool_calls"], 0)),
        "infrastructure": failed & _true(marks["limits_known"]),
        "no_answer": measured & _true(pc.is_valid(marks["answer_field"])),
    }
    return [
        {
            "code": code,
            "what": what,
            "among": "failed" if code == "infrastructure" else "measured",
            "rollouts": int(could[code].sum()),
        }
        for code, what in _SENTENCES.items()
        if code in hits and could[code].any() and not (hits[code] & measured).any()
    ]


def _named(marks: pa.Table) -> pa.ChunkedArray:
    """Whether any text of a row names an environment that gave way, whatever became of it."""
    told = pc.fill_null(pc.not_equal(marks["infrastructure_text"], ""), False)
    for name in ("environment_error", "environment_answer", "environment_met", "log_gave_way"):
        told = pc.or_(told, pc.is_valid(marks[name]))
    return told


def _true(column: pa.ChunkedArray) -> Mask:
    return np.asarray(column.fill_null(False), dtype=np.bool_)
