"""The columns of ``ALIGNED_SAMPLES`` and ``RAW_ROLLOUTS`` that a stage needs: of a large table no others are read.

A column holds from 4 to 80 bytes of a rollout, a whole row some 800.
"""

from blade_pipeline.models import Profile
from blade_pipeline.tables import ALIGNED_SAMPLES

ROWS = frozenset(ALIGNED_SAMPLES.names) | {"line_class", "payload_digest", "system_digest", "masked"}
"""Of the rows, what becomes a column of the samples, and what tells duplicates and contents apart."""

LINES = frozenset({"file", "line", "line_class"})
"""Of the rows, what the accounting of lines needs."""

SCORED_ROWS = LINES | frozenset("agent server task repeat indexed masked reward numbers usage perf verifier".split())
"""Of the rows, what NeMo Gym's own numbers need."""

_IDENTITY = frozenset("agent stage task order rank outcome expected family slices dataset_id file line".split())

OF_TASKS = _IDENTITY | frozenset(
    "passed score score_low score_high pair_digest prompt_digest answer_key_digest opening_digest".split()
)
"""What one row per task, and its bucket, need."""

OF_SCORES = OF_TASKS | {"output_items", "response_digest"}

_OF_NO_SYMPTOM = frozenset(
    "offset length attempt reward_status task_digest prompt_digest answer_key_digest opening_digest pair_digest "
    "response_digest answer_digest".split()
)
"""Where a row lies, and digests of what it holds: a quarter of the bytes, and no sign of what happened."""


def of_symptoms(profile: Profile) -> frozenset[str]:
    """What accounting, funnel and failure modes need: all but digests that no expression of the profile names."""
    rules = [phase.when.lower() for phase in profile.funnel] + [mode.when.lower() for mode in profile.failure_modes]
    return frozenset(
        name for name in ALIGNED_SAMPLES.names if name not in _OF_NO_SYMPTOM or any(name in rule for rule in rules)
    )
