"""What a stage is given: the artifacts it may read, each handed out with a note of its version."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa

from blade_pipeline.assets.keys import BASELINE, GONE, PREVIOUS, RUNS, SHARE_KEY, SOURCE, key_of, parse_key
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.gym import RunDirectory
from blade_pipeline.storage import Artifact, Cell, digest_of, mark_of, share_key


class Inputs:
    """Hands out what one stage may read for one cell, and records the version of everything it hands out.

    The versions come from the very files that were read, so the record cannot speak of other content.
    """

    def __init__(
        self, stage: Stage, cell: Cell, live: Live, graph: Graph, versions: dict[str, str] | None = None
    ) -> None:
        self.stage = stage
        self.cell = cell
        self.versions: dict[str, str] = {} if versions is None else versions
        self._live = live
        self._graph = graph

    def table(self, asset: str, columns: Collection[str] | None = None) -> pa.Table:
        """The table of an artifact that the stage depends on; of a large one only these columns are sure to be there.

        A stage names them where it needs few of many: whole tables of millions of rollouts do not fit.
        """
        return self._read(asset, columns).table

    def document(self, asset: str) -> dict[str, Any]:
        """The document of an artifact that the stage depends on."""
        return dict(self._read(asset).document or {})

    def of(self, run: str) -> "Inputs":
        """The same stage's view of another run of the benchmark."""
        return Inputs(self.stage, Cell(self.cell.benchmark, run), self._live, self._graph, self.versions)

    @property
    def run_directory(self) -> RunDirectory:
        """The run directory of a stage that reads files of it."""
        self._record_source()
        return self._live.directory(self.cell)

    @property
    def directory(self) -> RunDirectory:
        """The run directory of a stage that reads rows by the digest of their bytes, which its inputs hold."""
        return self._live.directory(self.cell)

    @property
    def folder(self) -> Path:
        """The team's folder of a stage that reads a file of it."""
        assert self.stage.folder is not None
        self._record_source()
        return self._live.folders[self.stage.folder]

    @property
    def live_runs(self) -> list[str]:
        """The benchmark's live runs that have every artifact this stage reads of a run."""
        runs = self._live.ready_runs(self.cell.benchmark, self._graph.run_assets(self.stage))
        self.versions[RUNS] = digest_of(runs)
        return runs

    @property
    def gone_runs(self) -> list[str]:
        """The benchmark's runs whose directory vanished, and whose results stay readable."""
        runs = self._live.gone_runs(self.cell.benchmark, self._graph.run_assets(self.stage))
        self.versions[GONE] = digest_of(runs)
        return runs

    @property
    def baseline(self) -> tuple[str | None, str]:
        """The run that this run is compared with, or None, and why; only the choice is recorded, not who stood by."""
        choice = self._live.baseline(self.cell, self._graph.run_assets(self.stage))
        self.versions[BASELINE] = digest_of(list(choice))
        return choice

    @property
    def share_key(self) -> bytes:
        """The project's key for pseudonyms; only its mark is recorded."""
        key = share_key(self._live.store)
        self.versions[SHARE_KEY] = mark_of(key)
        return key

    @property
    def assets_read(self) -> dict[str, str]:
        """The version of every artifact handed out so far, by asset."""
        return {parse_key(key)[0]: version for key, version in self.versions.items() if "/" in key}

    def follows(self, previous: object) -> None:
        """Records what the stage made before as an input; it is never news, since only the stage itself changes it."""
        self.versions[PREVIOUS] = digest_of(previous)

    def previous(self) -> Artifact | None:
        """What this stage made last time: for memoised parts, or, when told to ``follows``, to say what changed."""
        here = self._live.has(self.stage.name, self.cell)
        return self._live.read(self.stage.name, self.cell).artifact if here else None

    def _read(self, asset: str, columns: Collection[str] | None = None) -> Artifact:
        if asset not in self.stage.deps:
            raise LookupError(f"{self.stage.name} does not declare that it reads {asset}")
        cell = self.cell if self._graph.is_run_level(asset) else self.cell.of_benchmark
        stored = self._live.read(asset, cell, columns)
        self.versions[key_of(asset, cell)] = stored.version
        return stored.artifact

    def _record_source(self) -> None:
        if SOURCE not in self.versions:
            self.versions[SOURCE] = self._live.source_version(self.stage, self.cell)
