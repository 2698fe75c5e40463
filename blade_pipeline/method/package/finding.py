"""What one check of a package said."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PackageFinding:
    """One check of a package: whether it holds, and a sentence with its names and numbers."""

    ok: bool
    message: str

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON shows it."""
        return {"ok": self.ok, "message": self.message}


def told(findings: Iterable[PackageFinding]) -> dict[str, Any]:
    """Findings as a document: ``findings``, ``passed``, ``total``, ``ok``."""
    shown = [finding.as_dict() for finding in findings]
    passed = sum(finding["ok"] for finding in shown)
    return {"findings": shown, "passed": passed, "total": len(shown), "ok": passed == len(shown)}
