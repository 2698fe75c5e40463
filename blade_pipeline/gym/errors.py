"""Error messages that a row carries about itself."""

import re
from typing import Any

from blade_pipeline.gym.bounded import shortened
from blade_pipeline.gym.content import text_of
from blade_pipeline.gym.shape import Shape
from blade_pipeline.gym.values import integer, listed, mapping, scalar_text

ERROR_LIMIT = 300

_AN_ERROR = re.compile(
    r"^\W*(?:\w+ ){0,2}(?:[Ee]rror|ERROR|[Ee]xception|[Ff]ailed)\s*[:(]|\b[A-Z]\w+(?:Error|Exception|Refused|Timeout)\b"
)
_BAD_STATUS = ("failed", "error", "cancelled")


def error_text(row: dict[str, Any], response: dict[str, Any], shape: Shape) -> str | None:
    """What the row and its response say went wrong, joined by "; ", at most 300 characters; null for nothing.

    The last model call counts when it failed: a run that ends on a provider's error did not end by itself. So does what
    a judge wrote that left no verdict, and an error that a harness wrote in the model's place.
    """
    error = response.get("error") or _in_place_of_an_answer(response)
    calls_recorded = "ng_trajectory" in row or "ng_model_call_capture" in row
    unjudged = bool(shape.judge_texts and shape.judge_verdicts) and all(row[n] is None for n in shape.judge_verdicts)
    if not error and not calls_recorded and not shape.errors and not unjudged:
        return None
    found = [_told(row[name]) for name in shape.errors if row[name]]
    if unjudged:
        found += [_told(row[name]) for name in shape.judge_texts if row[name]]
    if error:
        found.append(_told(error))
    if calls_recorded:
        found.append(_last_call_error(row))
    parts = [part for part in found if part and part not in ("False", "false", "true")]
    return "; ".join(dict.fromkeys(parts))[:ERROR_LIMIT] or None


def _in_place_of_an_answer(response: dict[str, Any]) -> str | None:
    """The one short message of a response without a token of output, where it reads like an error."""
    usage = response.get("usage")
    if type(usage) is not dict or usage.get("output_tokens", usage.get("completion_tokens")) != 0:
        return None
    output = response.get("output")
    text = text_of(mapping(output[0]).get("content")) if type(output) is list and len(output) == 1 else ""
    return text if len(text) <= ERROR_LIMIT and _AN_ERROR.search(text) else None


def _told(value: Any) -> str | None:
    return shortened(value, ERROR_LIMIT) if isinstance(value, str) and value else scalar_text(value, ERROR_LIMIT)


def _last_call_error(row: dict[str, Any]) -> str | None:
    calls = listed(mapping(row.get("ng_trajectory")).get("model_calls"))
    calls = calls or listed(mapping(row.get("ng_model_call_capture")).get("calls"))
    last = calls[-1] if calls else None
    if not isinstance(last, dict):
        return None
    codes = (integer(last.get(name)) for name in ("status", "http_status", "status_code"))
    http = next((code for code in codes if code is not None and code >= 400), None)
    category = scalar_text(last.get("error_category"), 80)
    state = last.get("response_status")
    state = state if state in _BAD_STATUS else None
    reasons = [str(reason) for reason in (http, category, state) if reason is not None]
    return f"last model call failed: {' '.join(reasons)}" if reasons else None
