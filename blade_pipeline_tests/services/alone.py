"""What one machine alone makes of some runs, to hold the same work on other engines against."""

from dataclasses import dataclass
from pathlib import Path

from blade_pipeline.assets.settings import Settings
from blade_pipeline.storage import Cell, Store


@dataclass(frozen=True)
class Alone:
    """A folder with ``runs`` and the ``store`` that was made of them."""

    folder: Path

    @property
    def settings(self) -> Settings:
        return self.with_store(str(self.folder / "store"))

    def with_store(self, store: str) -> Settings:
        """The same runs with another store."""
        names = ("runs", "profiles", "references", "labels")
        runs, profiles, references, labels = (str(self.folder / name) for name in names)
        return Settings(runs, store, profiles, references, labels)


def versions_in(root: str) -> dict[tuple[str, Cell], str]:
    """Data version of every artifact of a store, read from its own file."""
    store = Store(root)
    return {(asset, cell): store.read(asset, cell).version for asset, cell in store.artifacts()}
