"""Names and short texts of a report that are shared only where the profile lets them out."""

from collections.abc import Collection
from typing import Any

from blade_pipeline.method.failure_rules import LATE_RULES, RULES, UNEXPLAINED
from blade_pipeline.reporting.sharing.names import Names

OWN_PHASES = frozenset(
    (
        *("started", "completed", "responded", "used a tool", "a tool answered", "changed a file"),
        *("checked the change", "not cut short", "answered", "judged", "measured", "some credit", "passed"),
    )
)
OWN_MODES = frozenset(rule.code for rule in (*RULES, *LATE_RULES, UNEXPLAINED))
_MODES = {"verifier": ("verifier_messages", "verifier message"), "profile": ("failure_modes", "failure mode")}


class Texts:
    """Words for modes, phases and slices: our own as they are, others quoted or numbered."""

    def __init__(self, names: Names, out: Collection[str]) -> None:
        """``out`` are the profile's ``shareable_texts``."""
        self.names = names
        self._out = out
        self._sources: dict[str, str] = {}

    def learn(self, modes: list[dict[str, Any]]) -> None:
        """Remembers which modes are the team's and which a verifier's message."""
        self._sources |= {mode["code"]: mode["source"] for mode in modes}

    def mode(self, code: str) -> str:
        """A failure mode's name."""
        if code in OWN_MODES:
            return code
        permission, kind = _MODES.get(self._sources.get(code, "verifier"), _MODES["verifier"])
        return self._shown(permission, kind, code)

    def phase(self, phase: str) -> str:
        """A workflow phase's name."""
        return phase if phase in OWN_PHASES else self._shown("phases", "phase", phase)

    def slice(self, field: str, value: str) -> tuple[str, str]:
        """A slice's field and value."""
        return self._shown("slices", "slice", field), self._shown("slices", "value", value, field)

    def note(self, note: str | None) -> str | None:
        """An analyst's note; nothing where the profile keeps notes in."""
        if note and "analyst_notes" in self._out:
            return self.names.quoted(note)
        self.names.take("analyst note", bool(note))
        return None

    def _shown(self, permission: str, kind: str, text: str, within: str = "") -> str:
        return self.names.quoted(text) if permission in self._out else self.names.numbered(kind, text, within)
