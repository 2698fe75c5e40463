"""What rollouts do otherwise in one of two runs: how they fail, and which tools they call."""

from typing import Any, NamedTuple

import pyarrow as pa

from blade_pipeline.method.comparison.moved_modes import Failures, moved_modes
from blade_pipeline.method.comparison.moved_tools import moved_tools, tool_uses
from blade_pipeline.method.comparison.shares import on_common_tasks
from blade_pipeline.method.comparison.side import Side


class Behaviour(NamedTuple):
    """A run with its failure modes, and the tools that its rollouts call (``tool_uses``)."""

    side: Side
    failures: Failures
    tools: pa.Table

    @classmethod
    def of(cls, side: Side, aligned: pa.Table, failures: Failures) -> "Behaviour":
        """The run whose samples are ``ALIGNED_SAMPLES``."""
        return cls(side, failures, tool_uses(aligned, failures.table))


def moved_behaviour(a: Behaviour, b: Behaviour) -> dict[str, dict[str, Any]]:
    """``modes`` and ``tools``: failure modes and tools of two runs on their common tasks, ``b`` minus ``a``."""
    both = on_common_tasks(a.side, b.side)
    return {"modes": moved_modes(both, a.failures, b.failures), "tools": moved_tools(both, a.tools, b.tools)}
