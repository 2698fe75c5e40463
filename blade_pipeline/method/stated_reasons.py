"""Messages by which a verifier turns away right answers that it read: another reason than a wrong answer."""

import re
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.failed_checks import FAILED_CHECK
from blade_pipeline.gym.open_errors import MET_ERROR, TOOL_ERROR
from blade_pipeline.method.clusters import Cluster
from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.rejected import TO_THE_LETTER, UP_TO_NOTATION
from blade_pipeline.method.telling_fields import FLAG_DOWN

_REASONS = r"(^|_)(errors?|exception|kind|reason|message|cause|violations?|diagnosis|termination)(_|$)"
"""Names of fields that hold why a rollout failed."""

_OPINIONS = r"(^|_)(judg\w*|grader\w*|comment|feedback|rationale|explanation)(_|$)"
"""Names of what a judge says to its verdict: such words on a right answer are the verdict that is in doubt."""

_COMPARES = (
    r"\b(expected|wanted|want|reference|gold)\b.*\b(got|found|but|received|actual|predicted|was)\b"
    r"|\b(got|found|received)\b.*\b(expected|want|instead)\b"
    r"|\b(does not|doesn't) (equal|match)\b|\bdiffers from\b|\bnot equal to\b|!="
)
"""A message that sets one value against another says that the answer is wrong."""


def other_reasons(found: Iterable[Cluster], rejected: pa.ChunkedArray, failed: Mask) -> Mask:
    """Marks of the rows whose right answer was turned away for a reason that the verifier states, or by another check.

    Such a message stands at least twice as often on failed rollouts whose extracted answer is right as on other failed
    ones; else it is this verifier's word for a wrong answer. Where the right answer stands in the final text alone the
    verifier did not read it, so that nothing it says of that answer is another reason.

    Args:
        found: the run's clusters of messages.
        rejected: how the answer of each row is known to be right, of the signals table.
        failed: marks of the failed rows.
    """
    equal = pc.or_(pc.ends_with(rejected, TO_THE_LETTER), pc.ends_with(rejected, UP_TO_NOTATION))
    read = np.asarray(pc.fill_null(equal, False), dtype=np.bool_)
    marks = np.zeros_like(failed)
    right, others = int((read & failed).sum()), int((failed & ~read).sum())
    for cluster in found:
        with_right, with_others = int((cluster.hits & read).sum()), int((cluster.hits & failed & ~read).sum())
        if _names_reason(cluster) and with_right * others >= LIFT * with_others * right:
            marks |= cluster.hits & read
    return marks


def _names_reason(cluster: Cluster) -> bool:
    field, _, said = cluster.code.partition(":")
    if said == FLAG_DOWN or field == FAILED_CHECK:
        return True
    named = re.search(_REASONS, field) and not re.search(_OPINIONS, field) and field not in (TOOL_ERROR, MET_ERROR)
    return bool(named) and not re.search(_COMPARES, cluster.label.lower())
