"""What a test, build or checker printed of an environment that gave way.

Only logs under names that transcripts have as well are read: of the others a row keeps the text, or the telling lines.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from blade_pipeline.gym.gave_way import environment_line, may_have_given_way
from blade_pipeline.gym.logs import is_log
from blade_pipeline.gym.shape import is_transcript
from blade_pipeline.gym.values import clean_text

_TAIL = 400
"""Characters at a log's end that are read: what kills a program is the last thing that its log holds."""

_KEYS = 20


def given_way_in_logs(row: dict[str, Any], names: Iterable[str]) -> list[list[str]]:
    """``[field, line]`` of each log that ends with what gave way.

    Args:
        row: the rollout.
        names: its fields that may hold what a test or build printed.
    """
    texts = list(_logs(row, names))
    if not texts or not may_have_given_way(text for _, text in texts):
        return []
    lines = ((name, environment_line(text, None)) for name, text in texts)
    return [[name[:100], clean_text(line)] for name, line in lines if line is not None]


def _logs(row: dict[str, Any], names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        if not (is_log(name) and is_transcript(name)):
            continue
        value = row[name]
        if type(value) is str and value:
            yield name, value[-_TAIL:]
        elif type(value) is dict:
            for key, text in islice(value.items(), _KEYS):
                if type(text) is str and text and is_log(key):
                    yield f"{name}_{key}", text[-_TAIL:]
