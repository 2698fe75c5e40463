"""Names under which verifiers leave the answer that they found, and the one that they expected."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

ANSWER_FIELDS = "|".join(
    [
        r"(?i)^extracted(_|$)",
        r"^(model_|raw_)?(preds?|prediction|predicted|guess)$|^answer_?(extracted|parsed|given|pred|found)$",
        r"^(pred|prediction|predicted|parsed|extracted)_?"
        r"(answer|value|option|choice|label|letter|class|result|number|index|move|action|sql|query|code|json)s?$",
        r"^(final|chosen|selected|submitted|model|given|candidate)_?(answer|option|choice|label|letter)s?$",
    ]
)
"""Fields in which a verifier leaves the answer that it found."""

FOUND_FIELDS = r"(?i)^(extracted|parsed)(_|$)"
"""Those of them that hold what was read from the text, before it is held against options or a scale."""

EXPECTED_FIELDS = (
    r"^(expected|reference|gold|golden|correct|target)_(answer|value|label|output|result|option)$"
    r"|^(expected|reference|gold|ground_?truth|answer_key|label)$"
)

LIKELY_EXPECTED = r"(?i)^(answer|solution|target|key|truth|gold_\w+|correct_\w+|expected_\w+|label)$"
"""Fields that hold the expected answer in some benchmarks."""


class AnswerPair(NamedTuple):
    """Field and value of the expected and of the extracted answer."""

    expected_field: str
    expected: Any
    extracted_field: str
    extracted: Any


def answer_pair(fields: Mapping[str, Any]) -> AnswerPair | None:
    """The expected answer and the one found, where the fields hold both; what was found may be empty.

    Of several found ones the first that is filled counts, one that ends on the same word before others; flags say
    nothing.
    """
    found = _named(fields, ANSWER_FIELDS)
    wanted = [*_named(fields, EXPECTED_FIELDS), *_named(fields, LIKELY_EXPECTED)]
    wanted = [name for name in wanted if name not in found and not _empty(fields[name])]
    if not found or not wanted:
        return None
    last = wanted[0].rpartition("_")[2]
    best = min(found, key=lambda name: (_empty(fields[name]), not name.endswith(last)))
    return AnswerPair(wanted[0], fields[wanted[0]], best, fields[best])


def _empty(value: Any) -> bool:
    return value in (None, [], {}) or (isinstance(value, str) and not value.strip())


def _named(fields: Mapping[str, Any], pattern: str) -> list[str]:
    return [name for name, value in fields.items() if not isinstance(value, bool) and re.search(pattern, name)]
