"""The model's own tests beside the verifier's verdict: two columns that are never merged."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method.sql import records

_FIELDS = r"^(self|own|model|agent)_?(check|test|tests|verif\w*|eval\w*)(s?_?(passed|ok|success|succeeded|result))?$"

_SELF_CHECKS = """
    select entry.key as field, count(*) as rollouts,
        count(*) filter (entry.value >= 1 and passed) as both,
        count(*) filter (entry.value >= 1 and not passed) as self_only,
        count(*) filter (entry.value < 1 and passed) as verifier_only,
        count(*) filter (entry.value < 1 and not passed) as neither
    from (select passed, unnest(map_entries(numbers)) as entry from samples where outcome = 'measured')
    where regexp_matches(entry.key, $fields) and entry.value between 0 and 1 group by field order by field
"""


def self_checks(aligned: pa.Table) -> list[dict[str, Any]]:
    """Measured rollouts by self-check and verifier, per field that names a check of the model's own."""
    samples = aligned.select(["outcome", "passed", "numbers"])
    return records(_SELF_CHECKS, {"fields": _FIELDS}, samples=samples)
