"""The folders that one analysis works with, from arguments or the environment."""

import math
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
    return amount_from("BLADE_QUIET_SECONDS", "seconds", _DEFAULT_QUIET)


def amount_from(variable: str, unit: str, default: float) -> float:
    """A number from 0 on that an environment variable sets.

    Raises:
        UsageProblem: the variable is no such number.
    """
    written = os.environ.get(variable) or str(default)
    try:
        amount = float(written)
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise UsageProblem(f"{variable} is {written!r}; give a number of {unit}.")
    return amount
