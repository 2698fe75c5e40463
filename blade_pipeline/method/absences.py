"""Symptoms that a run could have shown and did not."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method.sql import query

_ABSENCES = """
    select
        count(*) filter (items is not null and (incomplete is not null or status is not null or finish is not null))
            as output_limit_seen,
        count(*) filter (incomplete is not null or finish in ('length', 'max_tokens')) as output_limit,
        count(*) filter (tool_calls > 0) as tool_errors_seen, count(*) filter (tool_errors > 0) as tool_errors,
        count(*) filter (answer_field is not null) as no_answer_seen, count(*) filter (unextracted is not null)
            as no_answer
    from marks where outcome = 'measured'
"""

_SENTENCES = {
    "output_limit": "was cut short by a token limit",
    "tool_errors": "had a tool output that looks like an error",
    "no_answer": "was left without an extracted answer",
}


def absences(marks: pa.Table) -> list[dict[str, Any]]:
    """``{code, what, rollouts}``: of so many measured rollouts whose rows could show it, none did."""
    counted = query(_ABSENCES, marks=marks).to_pylist()[0]
    return [
        {"code": code, "what": what, "rollouts": counted[f"{code}_seen"]}
        for code, what in _SENTENCES.items()
        if counted[f"{code}_seen"] > 0 and counted[code] == 0
    ]
