"""The schema of every table that crosses a room, shared by writer, reader and tests."""

import pyarrow as pa

from blade_pipeline import columns


def _schema(table: columns.Columns) -> pa.Schema:
    return pa.schema([(name, kind) for name, (kind, _) in table.items()])


RAW_ROLLOUTS = _schema(columns.RAW_ROLLOUTS)
EXPECTED_ROLLOUTS = _schema(columns.EXPECTED_ROLLOUTS)
FAILED_ATTEMPTS = _schema(columns.FAILED_ATTEMPTS)
HEALTH_FINDINGS = _schema(columns.HEALTH_FINDINGS)
ALIGNED_SAMPLES = _schema(columns.ALIGNED_SAMPLES)
PASS_AT_K = _schema(columns.PASS_AT_K)
OUTCOME_BUCKETS = _schema(columns.OUTCOME_BUCKETS)
FAILURE_MODES = _schema(columns.FAILURE_MODES)
ROLLOUT_EXCERPTS = _schema(columns.ROLLOUT_EXCERPTS)
"""Rollouts that reports lay side by side, at most two per task, bounded and redacted."""
PAIRED_TASKS = _schema(columns.PAIRED_TASKS)
"""Tasks that a run has in common with its baseline."""
PAIRS = _schema(columns.PAIRS)
"""Every pair of a benchmark's runs, each with the columns that are asked of all; equal checks are held once."""
