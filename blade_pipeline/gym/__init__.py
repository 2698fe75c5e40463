"""Reads what NeMo Gym writes: run directories, their rows, inputs, failures, health and provenance."""

from blade_pipeline.gym.aggregate import read_aggregates
from blade_pipeline.gym.digests import DigestCache, source_digest
from blade_pipeline.gym.discovery import Discovery, discover
from blade_pipeline.gym.expected import read_expected
from blade_pipeline.gym.failures import read_failures
from blade_pipeline.gym.files import RunDirectory, RunFile
from blade_pipeline.gym.health import read_health
from blade_pipeline.gym.manifest import read_manifest
from blade_pipeline.gym.rollouts import read_rollouts, rollout_batches
from blade_pipeline.gym.settled import Settled, settled

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
    "source_digest",
]
