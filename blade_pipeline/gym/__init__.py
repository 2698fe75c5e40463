"""Reads what NeMo Gym writes: run directories, their rows, inputs, failures, health and provenance.

Names are loaded when they are first used, so that a process which only parses lines loads no more than that.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blade_pipeline.gym.aggregate import read_aggregates
    from blade_pipeline.gym.digests import DigestCache, source_digest
    from blade_pipeline.gym.discovery import Discovery, discover, signature
    from blade_pipeline.gym.expected import read_expected
    from blade_pipeline.gym.failures import read_failures
    from blade_pipeline.gym.files import RunDirectory, RunFile
    from blade_pipeline.gym.health import read_health
    from blade_pipeline.gym.manifest import read_manifest
    from blade_pipeline.gym.rollouts import read_rollouts, rollout_batches
    from blade_pipeline.gym.settling import Settled, settled

_MODULES = {
    "DigestCache": "digests",
    "Discovery": "discovery",
    "RunDirectory": "files",
    "RunFile": "files",
    "Settled": "settling",
    "discover": "discovery",
    "read_aggregates": "aggregate",
    "read_expected": "expected",
    "read_failures": "failures",
    "read_health": "health",
    "read_manifest": "manifest",
    "read_rollouts": "rollouts",
    "rollout_batches": "rollouts",
    "settled": "settling",
    "signature": "discovery",
    "source_digest": "digests",
}

__all__ = [
    "DigestCache",
    "Discovery",
    "RunDirectory",
    "RunFile",
    "Settled",
    "discover",
    "read_aggregates",
    "read_expected",
    "read_failures",
    "read_health",
    "read_manifest",
    "read_rollouts",
    "rollout_batches",
    "settled",
    "signature",
    "source_digest",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
