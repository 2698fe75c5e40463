"""The folders that Dagster's assets, jobs and sensors work with."""

import dagster as dg

from blade_pipeline.assets.live import Live
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.world import see


class Workspace(dg.ConfigurableResource[None]):
    """Folders of run directories, of the team's own files, and the store."""

    runs: str
    store: str
    profiles: str
    references: str
    labels: str

    @property
    def settings(self) -> Settings:
        """The folders as plain data."""
        return Settings(self.runs, self.store, self.profiles, self.references, self.labels)

    def see(self, *, trusted: bool = True, stat_only: bool = False) -> Live:
        """The live runs and the store, as they are now."""
        return see(self.settings, trusted=trusted, stat_only=stat_only)
