"""What counts as a response, an answer and an empty answer: one definition for every stage.

SQL over the columns of ``ALIGNED_SAMPLES``; a row without a recorded response is neither silent nor empty.
A patch is an answer, whatever the last message says: one in the row that changes a
file, else one that the verifier found.
"""

import pyarrow as pa
import pyarrow.compute as pc

LEFT_PATCH = "coalesce(patched_files > 0, list_contains(map_extract(numbers, 'patch_exists'), 1), false)"

SILENT = f"(coalesce(output_items = 0 and coalesce(answer_length, 0) = 0, false) and not {LEFT_PATCH})"
"""The response is on record and holds no output at all. Whoever is not silent has responded."""

EMPTY_ANSWER = (
    f"(coalesce(answer_length = 0 and output_items > 0, false) and not {LEFT_PATCH} "
    "and (coalesce(tool_calls, 0) = 0 or $longest_text > 0))"
)
"""The response holds an output, and its last message no text where text is wanted.

Text is missed only where some rollout of the run holds it, or where no tool was there to act through.
"""


def longest_text(samples: pa.Table) -> int:
    """Characters of the longest last message of a run, the parameter of ``EMPTY_ANSWER``; 0 without any."""
    return int(pc.max(samples["answer_length"]).as_py() or 0)


NOTHING_ANSWERED = f"({SILENT} or {EMPTY_ANSWER})"
"""Silent, or with an empty answer: what comparisons count as an empty answer."""
