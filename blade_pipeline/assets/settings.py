"""The folders that one analysis works with, from arguments or the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from blade_pipeline.assets.stage import Folder
from blade_pipeline.models import UsageProblem

_DEFAULT_QUIET = 60.0

DEFAULTS = {
    "runs": ("BLADE_RUNS", "data/runs"),
    "store": ("BLADE_STORE", "data/store"),
    "profiles": ("BLADE_PROFILES", "data/benchmarks"),
    "references": ("BLADE_REFERENCES", "data/references"),
    "labels": ("BLADE_LABELS", "data/labels"),
}
"""Environment variable and default of every folder."""


def default_of(name: str) -> str:
    """A folder as the environment sets it, else its default below the current folder."""
    variable, fallback = DEFAULTS[name]
    return os.environ.get(variable) or fallback


@dataclass(frozen=True)
class Settings:
    """Where run directories, the store and the team's own files are; the store may be a URL."""

    runs: str
    store: str
    profiles: str
    references: str
    labels: str

    @classmethod
    def from_environment(cls) -> "Settings":
        """Every folder as the environment sets it, else its default."""
        return cls(**{name: default_of(name) for name in DEFAULTS})

    @property
    def folders(self) -> Mapping[Folder, Path]:
        """The team's folders by kind."""
        return {
            "profiles": Path(self.profiles),
            "references": Path(self.references),
            "labels": Path(self.labels),
        }


def quiet_seconds() -> float:
    """How long a directory must be quiet: ``BLADE_QUIET_SECONDS``, else a minute.

    Raises:
        UsageProblem: the variable is no number of seconds.
    """
    written = os.environ.get("BLADE_QUIET_SECONDS", "")
    try:
        return float(written) if written else _DEFAULT_QUIET
    except ValueError:
        raise UsageProblem(f"BLADE_QUIET_SECONDS is {written!r}; give a number of seconds.") from None
