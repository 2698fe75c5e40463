"""Compares what artifacts were made from with what is there now."""

from collections.abc import Callable

from blade_pipeline.assets.keys import BASELINE, GONE, PREVIOUS, RUNS, SHARE_KEY, SOURCE, key_of, parse_key
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.perform import Made
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.automation.recordmemo import Record
from blade_pipeline.automation.records import Records
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell, digest_of, mark_of, share_key


class State:
    """The world and the records side by side."""

    def __init__(self, live: Live, graph: Graph, records: Records) -> None:
        self.live = live
        self.graph = graph
        self.records = records
        self._special: dict[str, Callable[[Stage, Cell], str]] = {
            SOURCE: live.source_version,
            SHARE_KEY: lambda *_: mark_of(share_key(live.store)),
            RUNS: lambda stage, cell: digest_of(live.ready_runs(cell.benchmark, graph.run_assets(stage))),
            GONE: lambda stage, cell: digest_of(live.gone_runs(cell.benchmark, graph.run_assets(stage))),
            PREVIOUS: self._own_record,
            BASELINE: lambda stage, cell: digest_of(list(live.baseline(cell, graph.run_assets(stage)))),
        }

    def why_outdated(self, stage: Stage, cell: Cell) -> str | None:
        """Why the artifact does not follow from what is there now; None when it does.

        Only what the stage read last time is compared: a stage is a function of what it read, and which further
        inputs it asks for follows from those.
        """
        record = self.records.get((stage.name, cell))
        if record is None or record.inputs is None:
            return "never made"
        if not self.live.complete(stage, cell):
            return "its file is missing"
        if self.live.verifying and self.live.read(stage.name, cell).version != record.data_version:
            return "its file is not the recorded one"
        if record.code_version != stage.code_version:
            return "its code changed"
        changed = [key for key, version in record.inputs.items() if self.current(stage, cell, key) != version]
        return f"changed: {', '.join(sorted(changed))}" if changed else None

    def fingerprint(self, stage: Stage, cell: Cell) -> str:
        """Digest of the stage's code and of the current versions of what it reads or read."""
        record = self.records.get((stage.name, cell))
        keys = set(record.inputs or {}) if record is not None else set()
        keys |= {key_of(*above) for above in self.graph.stands_on(stage, cell)}
        if stage.reads or stage.folder:
            keys.add(SOURCE)
        return digest_of([stage.code_version, {key: self.current(stage, cell, key) for key in keys}])

    def current(self, stage: Stage, cell: Cell, key: str) -> str | None:
        """The version that an input has now; None when it is not there."""
        if key in self._special:
            try:
                return self._special[key](stage, cell)
            except BladeError:
                return None
        asset, of = parse_key(key)
        record = self.records.get((asset, of))
        return record.data_version if record is not None and self.live.has(asset, of) else None

    def _own_record(self, stage: Stage, cell: Cell) -> str:
        """What a report followed when it was made: only making it again can change that."""
        return (self.records[stage.name, cell].inputs or {})[PREVIOUS]

    def takes_over(self, made: Made) -> None:
        """Makes a fresh artifact's record the latest one."""
        self.records[made.stage.name, made.cell] = Record(made.version, made.stage.code_version, made.inputs)

    def is_waiting(self, stage: Stage, cell: Cell) -> bool:
        """Whether the stage reads a directory that is still being written."""
        return bool(stage.reads) and cell in self.live.waiting

    def lacks(self, stage: Stage, cell: Cell) -> str | None:
        """The first artifact without which the cell cannot be made and that is not there."""
        for name, of in self.graph.stands_on(stage, cell):
            if not self.live.has(name, of):
                return name
        of_runs = self.graph.run_assets(stage) if stage.level == "benchmark" else []
        if not of_runs:
            return None
        some = self.live.ready_runs(cell.benchmark, of_runs) or self.live.gone_runs(cell.benchmark, of_runs)
        return None if some else of_runs[0]
