"""One of two runs under comparison."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from blade_pipeline.method.comparison.peer_side import PeerAgent, peer_agents
from blade_pipeline.models import BladeError
from blade_pipeline.tables import ALIGNED_SAMPLES, PASS_AT_K


@dataclass(frozen=True)
class Side:
    """A run as the comparison sees it: its manifest, accounting, scores and samples."""

    run: str
    manifest: Mapping[str, Any]
    coverage: Mapping[str, Any]
    scores: Mapping[str, Any]
    per_task: pa.Table
    aligned: pa.Table

    @classmethod
    def read(
        cls,
        run: str,
        document: Callable[[str], Mapping[str, Any]],
        table: Callable[[str], pa.Table],
        *,
        samples: bool = True,
    ) -> "Side":
        """A side from readers of a run's artifacts by name; without ``samples`` its ``aligned`` has no rows.

        Raises:
            BladeError: an artifact cannot be read, or another version made it.
        """
        side = cls(
            run=run,
            manifest=document("run_manifest"),
            coverage=document("coverage"),
            scores=document("pass_at_k"),
            per_task=table("pass_at_k"),
            aligned=table("aligned_samples") if samples else ALIGNED_SAMPLES.empty_table(),
        )
        for own, schema in ((side.per_task, PASS_AT_K), (side.aligned, ALIGNED_SAMPLES)):
            if not {*schema.names} <= {*own.column_names}:
                raise BladeError(f"{run} was analysed by another version of this package; run blade analyze again.")
        return side

    @cached_property
    def peer_agents(self) -> dict[str, PeerAgent]:
        """The run's agents as ``gym eval compare`` sees them."""
        return peer_agents(self.scores, self.aligned)

    def value(self, key: str) -> Any:
        """A manifest value, or None when it is unknown."""
        return self.manifest["values"].get(key, {}).get("value")

    def source(self, key: str) -> str | None:
        """Where a manifest value was read, or why it is unknown."""
        entry = self.manifest["values"].get(key, {})
        place: str | None = entry.get("source")
        reason: str | None = entry.get("reason")
        return reason or place if entry.get("value") is None else place
