"""Tasks that lose score, and the root causes that are proposed for them."""

from typing import Any

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

ANSWERED = {"output_items": 1, "answer_length": 20, "total_tokens": 50}

SILENT = {"output_items": 0, "answer_length": 0, "total_tokens": 0}

SAME = {"response_digest": "d", "answer_length": 200}

CUT = {"incomplete_reason": "max_output_tokens"}


def task_of(task: Any, *repeats: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"task": task, "repeat": n, **ANSWERED, **row} for n, row in enumerate(repeats)]


def failed(**extra: Any) -> dict[str, Any]:
    return {"score": 0.0, **extra}


PASS: dict[str, Any] = {"score": 1.0}

ANCHOR = task_of(99, PASS, PASS)


def causes_of(
    rows: list[dict[str, Any]], labels: list[dict[str, Any]] | None = None, profile: Profile | None = None
) -> dict[str, Any]:
    samples, profile = aligned(rows), profile or Profile()
    modes, _ = failure_modes(samples, profile)
    return root_causes(samples, buckets_of(samples), modes, {"labels": labels or []}, profile)
