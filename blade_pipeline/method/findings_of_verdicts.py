"""Rows whose own verdict differs from what their score says: the pass threshold may not be the benchmark's."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.finding import Finding, finding
from blade_pipeline.method.sql import records

_VERDICT = re.compile(r"(is_)?(won|win|resolved|solved|success|successful|task_?success|correct|passed|accepted)", re.I)
_ALWAYS = re.compile(r"won|win|resolved|solved|task_?success", re.I)
"""Names that are a verdict even where they say the same of every rollout."""

_LOOKED_AT = 50
"""Rows in which fields are looked for; they are counted over all rows."""

_KNOWN = 0.8
"""Share of the measured rollouts that must hold a verdict."""

_COUNTS = """
    with said as (
        select passed, json_extract_string(verifier, $path) as text from samples where outcome = 'measured'
    ), flags as (
        select passed, coalesce(try_cast(text as double), try_cast(text as boolean)::double) as yes from said
    )
    select count(*) filter (yes in (0, 1) and passed) as passed,
        count(*) filter (yes in (0, 1) and not passed) as failed,
        count(*) filter (yes = 1 and not passed) as yes_of_failed, count(*) filter (yes = 0 and passed) as no_of_passed,
        count(*) filter (yes = 1) as yes, count(*) as measured
    from flags
"""


def verdict_findings(aligned: pa.Table, threshold: float) -> Iterator[Finding]:
    """The field of the rows' own whose verdict most rollouts share and some contradict; nothing without one.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        threshold: the score from which on a rollout passes.
    """
    samples = aligned.select(["outcome", "passed", "verifier"])
    texts = samples["verifier"].filter(pc.equal(samples["outcome"], "measured")).drop_null()[:_LOOKED_AT].to_pylist()
    found = []
    for field in sorted(set(_fields(map(json.loads, texts)))):
        path = "$" + "".join(f'."{name}"' for name in field)
        [counts] = records(_COUNTS, {"path": path}, samples=samples)
        if _speaks(field[-1], counts):
            found.append((counts["yes_of_failed"] + counts["no_of_passed"], ".".join(field), counts))
    for _, name, counts in sorted(found, key=lambda each: (-each[0], each[1]))[:1]:
        yield finding(
            "verdicts against the score",
            f"`{name}` says yes of {counts['yes_of_failed']} of {counts['failed']} rollouts that fail by the score and "
            f"no of {counts['no_of_passed']} of {counts['passed']} that pass by it. The score decides here, by "
            f"the pass threshold {threshold:g}; if the field is the benchmark's verdict, change `pass_threshold` or "
            "`score` in the profile.",
            **{key: counts[key] for key in ("yes_of_failed", "failed", "no_of_passed", "passed")},
        )


def _fields(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Names of flags that may be verdicts, at the top of a row or one object deeper."""
    for row in rows:
        for name, value in row.items():
            inside = value.items() if isinstance(value, dict) else ()
            for place, flag in [((name,), value), *(((name, leaf), each) for leaf, each in inside)]:
                if isinstance(flag, bool | int | float) and _VERDICT.fullmatch(place[-1]) and '"' not in name:
                    yield place


def _speaks(name: str, counts: dict[str, int]) -> bool:
    """Whether a flag of most rollouts varies or must be a verdict, and follows the score in most but not all."""
    known = counts["passed"] + counts["failed"]
    against = counts["yes_of_failed"] + counts["no_of_passed"]
    varies = 0 < counts["yes"] < known or _ALWAYS.fullmatch(name) is not None
    return varies and known >= _KNOWN * counts["measured"] and 0 < 2 * against < known
