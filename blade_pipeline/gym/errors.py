"""Error messages that a row carries about itself."""

from typing import Any

from blade_pipeline.gym.values import integer, mapping, scalar_text

ERROR_LIMIT = 300

_ERROR_FIELDS = (
    "error",
    "error_message",
    "error_type",
    "error_class",
    "error_kind",
    "error_mode",
    "exception",
    "exception_type",
    "exception_message",
    "agent_error",
    "agent_error_kind",
    "agent_error_message",
    "evaluation_error",
    "verifier_error",
    "judge_error",
)
_BAD_STATUS = frozenset({"failed", "error", "cancelled"})


def error_text(row: dict[str, Any], response: dict[str, Any] | None) -> str | None:
    """What the row and its response say went wrong, joined by "; ", at most 300 characters; null for nothing.

    The last model call counts when it failed: a run that ends on a provider's error did not end by itself.
    """
    found = [scalar_text(row[name], ERROR_LIMIT) for name in _ERROR_FIELDS if row.get(name)]
    if response is not None and response.get("error"):
        found.append(scalar_text(response["error"], ERROR_LIMIT))
    if "ng_trajectory" in row or "ng_model_call_capture" in row:
        found.append(_last_call_error(row))
    parts = [part for part in found if part and part not in ("False", "false")]
    return "; ".join(dict.fromkeys(parts))[:ERROR_LIMIT] or None


def _last_call_error(row: dict[str, Any]) -> str | None:
    calls = mapping(row.get("ng_trajectory")).get("model_calls") or mapping(row.get("ng_model_call_capture")).get(
        "calls"
    )
    last = calls[-1] if isinstance(calls, list) and calls else None
    if not isinstance(last, dict):
        return None
    http = next((code for name in ("status", "http_status", "status_code") if (code := integer(last.get(name)))), None)
    category = scalar_text(last.get("error_category"), 80)
    state = last.get("response_status")
    if (http is None or http < 400) and category is None and state not in _BAD_STATUS:
        return None
    reasons = [str(http) if http and http >= 400 else None, category, state if state in _BAD_STATUS else None]
    return "last model call failed: " + " ".join(reason for reason in reasons if isinstance(reason, str))
