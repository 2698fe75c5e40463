"""One finding about a run's numbers."""

from typing import Any

Finding = dict[str, Any]


def finding(kind: str, sentence: str, **numbers: Any) -> Finding:
    """One finding; the numbers are those of its sentence."""
    return {"kind": kind, "sentence": sentence, "numbers": numbers}
