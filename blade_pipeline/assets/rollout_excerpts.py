"""What one passing and one failing rollout of a task did, step by step."""

from collections.abc import Iterator
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline import columns
from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import counted
from blade_pipeline.gym.excerpts import ChangedError, Place, read_row, task_excerpt
from blade_pipeline.gym.files import RunDirectory, role_of
from blade_pipeline.gym.step_excerpts import step_excerpts
from blade_pipeline.method.side_by_side import side_by_side
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Artifact
from blade_pipeline.tables import ROLLOUT_EXCERPTS

SIDES = ("passing", "failing")
_COPIED = ("rollout_id", "repeat", "score", "file", "line", "offset")


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``ROLLOUT_EXCERPTS``; the bytes read are those that were analysed, so they are no input of their own."""
    groups = inputs.document("trajectory_contrasts")["never_pass"]["groups"]
    pairs = side_by_side(inputs.table("aligned_samples"), inputs.table("outcome_buckets"), groups)
    digests = _digests(inputs.table("raw_rollouts"), [pair[side] for pair in pairs for side in SIDES if pair[side]])
    rows = list(_rows(pairs, inputs.directory, digests))
    return Artifact(pa.Table.from_pylist(rows, schema=ROLLOUT_EXCERPTS))


def _digests(raw: pa.Table, rows: list[dict[str, Any]]) -> dict[tuple[str, int], str]:
    """Digest of each chosen row's bytes, by file and line."""
    lines = pa.array(sorted({row["line"] for row in rows}), pa.int64())
    chosen = raw.select(["file", "line", "payload_digest"]).filter(pc.is_in(raw["line"], value_set=lines))
    return {(row["file"], row["line"]): row["payload_digest"] for row in chosen.to_pylist()}


def _rows(
    pairs: list[dict[str, Any]], directory: RunDirectory, digests: dict[tuple[str, int], str]
) -> Iterator[dict[str, Any]]:
    for pair in pairs:
        for side in SIDES:
            row = pair[side]
            if row is not None:
                digest = digests.get((row["file"], row["line"])) or ""
                place = Place(row["file"], row["offset"], row["length"], digest)
                yield {
                    **{name: pair[name] for name in ("agent", "stage", "task", "first_difference", "step")},
                    **{name: row[name] for name in _COPIED},
                    "side": side,
                    "stop": row["incomplete_reason"] or row["response_status"],
                    **_read(directory, place),
                }


def _read(directory: RunDirectory, place: Place) -> dict[str, Any]:
    """The row's question and steps, or why there are none."""
    if role_of(place.file) == "reward_profiling":
        return {"unread": "a reward profile holds no trajectory"}
    try:
        row = read_row(directory.path, place)
    except ChangedError as error:
        raise BladeError(f"{error} Its excerpts are read again next time.") from None
    question = task_excerpt(row)
    return {"question": question.text if question else None, "steps": orjson.dumps(step_excerpts(row)).decode()}


def summary(artifact: Artifact) -> dict[str, object]:
    """How many rollouts can be read side by side."""
    return {"rollouts by side": counted(artifact.table, "side")}


STAGE = Stage(
    name="rollout_excerpts",
    level="run",
    group="excerpts",
    description="One passing and one failing rollout of a task, step by step, with short redacted pieces of text.",
    compute=compute,
    columns=columns.ROLLOUT_EXCERPTS,
    deps=("raw_rollouts", "aligned_samples", "outcome_buckets", "trajectory_contrasts"),
    kinds=("jsonl", "parquet"),
    summary=summary,
)
