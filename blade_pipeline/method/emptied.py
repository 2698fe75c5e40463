"""Fields that the verifier leaves empty in failed rollouts only: it found nothing there to judge."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.rejected import ANSWER_FIELDS
from blade_pipeline.method.sql import query

LABEL = "left empty"
_HELD_BY_PASSED, _HELD_BY_FAILED = 5, 2
"""Rollouts that must hold a value: enough passed ones to miss it, and failed ones, else it is the verdict once more."""

_EMPTY = """
    with entries as (
        select position, passed, entry.key as field,
            entry.type = 'NULL' or entry.value in ('""', '[]', '{}') as empty
        from samples, json_each(samples.verifier) as entry where outcome = 'measured'
        union all
        select position, passed, name, type = 'NULL' or text = '' from nested join samples using (position)
    )
    select field, list(position) filter (empty) as positions from entries
    where not regexp_matches(field, $answers) and not regexp_matches(field, $errors)
    group by field
    having count(*) filter (empty and not passed) > 0 and count(*) filter (empty and passed) = 0
        and count(*) filter (not empty and passed) >= $passed and count(*) filter (not empty and not passed) >= $failed
    order by field
"""
_ERRORS = r"(?i)(^|_)(errors?|exception|failure|reason|message|warnings?|notes?|logs?|stderr|feedback|comment)(_|$)"


def emptied(
    samples: pa.Table, nested: pa.Table, beyond_chance: Callable[[NDArray[np.int64]], bool]
) -> dict[tuple[str, str], NDArray[np.int64]]:
    """Rows by field and label, for fields that hold a value in every passed rollout and none in some failed ones.

    Args:
        samples: rows with ``position``, ``outcome``, ``passed`` and ``verifier``.
        nested: the values inside their lists and objects.
        beyond_chance: whether rows are told from the passed ones.
    """
    parameters: dict[str, object] = {
        "answers": ANSWER_FIELDS,
        "errors": _ERRORS,
        "passed": _HELD_BY_PASSED,
        "failed": _HELD_BY_FAILED,
    }
    slim = samples.select(["position", "outcome", "passed", "verifier"])
    table = query(_EMPTY, parameters, samples=slim, nested=nested)
    groups = {
        (field, LABEL): np.unique(np.asarray(rows.values))
        for field, rows in zip(table["field"].to_pylist(), table["positions"], strict=True)
    }
    return {key: rows for key, rows in groups.items() if beyond_chance(rows)}
