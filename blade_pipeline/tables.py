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

PAIRS = pa.schema(
    [
        ("run_a", pa.string()),
        ("run_b", pa.string()),
        ("varying", pa.string()),  # the factor under study
        ("verdict", pa.string()),
        ("headline_check", pa.string()),  # id of the check that decided; null where none did
        ("sentence", pa.string()),
        ("headline_label", pa.string()),  # what that check is called
        ("common", pa.int64()),  # tasks that both runs have
        ("only_a", pa.int64()),
        ("only_b", pa.int64()),
        ("metric", pa.string()),  # pass@1 | mean score
        ("tasks", pa.int64()),  # of those in common, measured in both
        ("value", pa.float64()),  # second run minus first, mean over those tasks
        ("higher_is_better", pa.bool_()),
        ("low", pa.float64()),  # interval of the difference for new tasks
        ("high", pa.float64()),
        ("details", pa.string()),  # the pair without its checks, JSON
        ("checks", pa.list_(pa.dictionary(pa.int32(), pa.string()))),  # each check as JSON, in order
    ]
)
"""Every pair of a benchmark's runs, each with the columns that are asked of all; equal checks are held once."""
