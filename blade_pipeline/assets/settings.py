"""The folders that one analysis works with, from arguments or the environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from blade_pipeline import environment
from blade_pipeline.assets.stage import Folder

PLACES = {
    "runs": environment.RUNS,
    "store": environment.STORE,
    "profiles": environment.PROFILES,
    "references": environment.REFERENCES,
    "labels": environment.LABELS,
}
"""The variable of every folder."""


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
        return cls(**{name: variable.place() for name, variable in PLACES.items()})

    @property
    def folders(self) -> Mapping[Folder, Path]:
        """The team's folders by kind."""
        return {
            "profiles": Path(self.profiles),
            "references": Path(self.references),
            "labels": Path(self.labels),
        }
