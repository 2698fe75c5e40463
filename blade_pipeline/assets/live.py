"""The world as one pass sees it: run directories, the team's files, and the artifacts that are there."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from blade_pipeline.assets.stage import Folder, Stage
from blade_pipeline.gym import DigestCache, RunDirectory, source_digest
from blade_pipeline.method.comparison import baseline_of
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell, SourceMemo, Store, Stored, digest_of, stamp_of

ABSENT = "absent"
UNREAD = "unread:"


@dataclass
class Live:
    """Live runs by cell, the team's folders and the store.

    ``here`` are those below the folder that was asked for; the others were found by earlier passes elsewhere.
    ``waiting`` says which runs are still being written and why; ``vanished`` where a run's directory was. With
    ``stat_only`` no file is read for its digest: one whose stamp is new gets a version that equals no other. With
    ``verifying`` artifacts are held against their record.
    """

    store: Store
    folders: Mapping[Folder, Path]
    runs: dict[Cell, RunDirectory] = field(default_factory=dict)
    here: set[Cell] = field(default_factory=set)
    waiting: dict[Cell, str] = field(default_factory=dict)
    vanished: dict[Cell, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    memo: SourceMemo = field(kw_only=True)
    stat_only: bool = False
    verifying: bool = False

    def __post_init__(self) -> None:
        self._digests = DigestCache()
        self._by_benchmark: dict[str, list[Cell]] = {}
        for cell in sorted(self.runs, key=lambda cell: cell.order):
            self._by_benchmark.setdefault(cell.benchmark, []).append(cell)
        self._places = {kind: folder.resolve() for kind, folder in self.folders.items()}
        self.refresh()

    def refresh(self) -> None:
        """Looks again at what the store holds, after others may have written."""
        self._artifacts = self.store.artifacts()
        self._published = self.store.published()
        self._manifests: dict[Cell, Stored] = {}
        self.memo.refresh()

    def benchmarks(self) -> list[str]:
        """Benchmarks with a live run, or with an analysed one whose directory vanished: their pages must say so."""
        gone = {cell.benchmark for _, cell in self._artifacts if cell in self.vanished} if self.vanished else set()
        return sorted(gone | set(self._by_benchmark))

    def known(self) -> list[Cell]:
        """Every run that is or was there."""
        return [*self.runs, *self.vanished]

    def cells(self, stage: Stage, benchmark: str) -> list[Cell]:
        """The live cells of a stage in one benchmark, in order."""
        return [Cell(benchmark)] if stage.level == "benchmark" else self.cells_of(benchmark)

    def cells_of(self, benchmark: str) -> list[Cell]:
        """The live runs of a benchmark, in order."""
        return list(self._by_benchmark.get(benchmark, ()))

    def without_newcomers(self) -> "Live":
        """The same world without the waiting runs that were never analysed."""
        new = {cell for cell in self.waiting if not any(of == cell for _, of in self._artifacts)}
        runs = {cell: run for cell, run in self.runs.items() if cell not in new}
        return replace(self, runs=runs, here=self.here - new)

    def directory(self, cell: Cell) -> RunDirectory:
        """The run directory of a cell.

        Raises:
            BladeError: the cell has none, or it vanished.
        """
        if cell in self.runs:
            return self.runs[cell]
        if cell in self.vanished:
            raise BladeError(
                f"The directory of {cell} is gone (it was {self.vanished[cell]}); put it back to analyse it."
            )
        raise BladeError(f"There is no run directory for {cell}; this cell of the grid has no data.")

    def has(self, asset: str, cell: Cell) -> bool:
        """Whether the artifact's file is there."""
        return (asset, cell) in self._artifacts

    def complete(self, stage: Stage, cell: Cell) -> bool:
        """Whether the artifact and everything it publishes is there."""
        if not self.has(stage.name, cell) or (stage.shares and not self.store.is_shared(stage.name, cell)):
            return False
        return all(f"{cell}/{name}" in self._published for name in stage.publishes)

    def read(self, asset: str, cell: Cell, columns: Collection[str] | None = None) -> Stored:
        """An artifact with its version; of a large table only the ``columns`` named."""
        return self.store.read(asset, cell, columns)

    def wrote(self, stage: Stage, cell: Cell) -> None:
        """Notes an artifact that was just written."""
        self._artifacts[stage.name, cell] = ""
        self._published.update(f"{cell}/{name}" for name in stage.publishes)
        if stage.name == "run_manifest":
            self._manifests.pop(cell, None)

    def ready_runs(self, benchmark: str, assets: Iterable[str]) -> list[str]:
        """Live runs of a benchmark that have all these artifacts, in order."""
        needed = list(assets)
        return [str(cell.run) for cell in self.cells_of(benchmark) if all(self.has(asset, cell) for asset in needed)]

    def gone_runs(self, benchmark: str, assets: Iterable[str]) -> list[str]:
        """Runs of a benchmark whose directory vanished and whose artifacts are still there, in order."""
        needed = list(assets)
        gone = (cell for cell in self.vanished if cell.benchmark == benchmark)
        return sorted(str(cell.run) for cell in gone if all(self.has(asset, cell) for asset in needed))

    def baseline(self, cell: Cell, assets: Iterable[str]) -> tuple[str | None, str]:
        """The run that a run is compared with, and why; chosen among the runs that have these artifacts."""
        manifests = {run: self._manifest(Cell(cell.benchmark, run)) for run in self.ready_runs(cell.benchmark, assets)}
        profile = profile_of(self.read("benchmark_profile", cell.of_benchmark).artifact.document or {})
        return baseline_of(str(cell.run), manifests, profile)

    def _manifest(self, cell: Cell) -> dict[str, Any]:
        if cell not in self._manifests:
            self._manifests[cell] = self.read("run_manifest", cell)
        return dict(self._manifests[cell].artifact.document or {})

    def source_version(self, stage: Stage, cell: Cell) -> str:
        """Digest of the bytes that a reading stage reads; ``absent`` when there are none.

        Raises:
            BladeError: the cell has no directory, or a file cannot be read.
        """
        paths = self._source_paths(stage, cell)
        if not any(path.is_file() for path in paths):
            return ABSENT
        name, stamp = f"{stage.name}/{cell}", stamp_of(paths)
        known = self.memo.get(name, stamp)
        if known is not None:
            return known
        if self.stat_only:
            return UNREAD + stamp
        digest = self._digest(stage, cell, paths)
        if stamp_of(paths) == stamp:
            self.memo.put(name, stamp, digest)
        return digest

    def has_unread(self, stage: Stage, cell: Cell) -> bool:
        """Whether a reading stage's files have a stamp that no pass has read yet."""
        paths = self._source_paths(stage, cell)
        present = any(path.is_file() for path in paths)
        return present and self.memo.get(f"{stage.name}/{cell}", stamp_of(paths)) is None

    def stamp(self, stage: Stage, cell: Cell) -> str:
        """The stamp of the files that a reading stage reads."""
        return stamp_of(self._source_paths(stage, cell))

    def _source_paths(self, stage: Stage, cell: Cell) -> list[Path]:
        """Full paths, so that a file has one stamp however its folder was written."""
        if stage.folder is not None:
            return [self._places[stage.folder] / f"{cell}.yaml"]
        return [file.path for file in self.directory(cell).having(*stage.reads)]

    def _digest(self, stage: Stage, cell: Cell, paths: list[Path]) -> str:
        if stage.folder is None:
            return source_digest(self.directory(cell), stage.reads, self._digests)
        return digest_of([self._digests.sha256(path) for path in paths])
