"""What every section needs: the inputs, the facts to cite, and where a rollout stands in the files."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.reporting.blocks import Piece, Text, code, listed, say
from blade_pipeline.reporting.inputs import Json, ReportInputs
from blade_pipeline.reporting.metrics import value_of

COLUMNS = [
    "agent", "stage", "task", "repeat", "rank", "order", "outcome", "reason", "passed", "file", "line", "rollout_id",
    "response_status", "incomplete_reason", "output_tokens", "tool_calls", "failure_class",
]  # fmt: skip

BUCKET_WORDS = {
    "always_pass": "always pass",
    "sometimes_pass": "sometimes pass",
    "always_fail": "never pass",
    "indeterminate": "indeterminate",
    "missing": "missing",
    "masked": "masked",
}
ONCE_WORDS = BUCKET_WORDS | {"always_pass": "passed its only rollout", "always_fail": "failed its only rollout"}
"""What a bucket says of a task that ran once: nothing about other attempts."""
BUCKET_LETTERS = {
    "always_pass": "A",
    "sometimes_pass": "S",
    "always_fail": "N",
    "indeterminate": "I",
    "missing": "X",
    "masked": "M",
}


class Evidence:
    """One run's inputs with the look-ups that the sections share."""

    def __init__(self, inputs: ReportInputs):
        self.inputs = inputs
        self.accounting: Json = inputs.coverage["accounting"]
        self.facts: list[Json] = inputs.facts["facts"]

    @property
    def expected_known(self) -> bool:
        """Whether materialized inputs say which rollouts were expected."""
        return self.accounting["expected"] is not None

    @property
    def measured(self) -> int:
        """Rollouts with a valid score."""
        return int(self.inputs.scores["num_rollouts"])

    @cached_property
    def repeats(self) -> int:
        """The largest number of repeats that a task has, planned or seen."""
        planned = pc.max(self.inputs.buckets["planned"]).as_py() or 0
        ranks = pc.max(self.inputs.aligned["rank"]).as_py()
        return max(int(planned), 0 if ranks is None else int(ranks) + 1)

    @property
    def bucket_words(self) -> dict[str, str]:
        """The names of the buckets, which promise no more than one rollout where each task ran once."""
        return ONCE_WORDS if self.repeats == 1 else BUCKET_WORDS

    @cached_property
    def several_agents(self) -> bool:
        """Whether task ids need the agent's name beside them."""
        return bool(pc.count_distinct(self.inputs.buckets["agent"]).as_py() > 1)

    @cached_property
    def roles(self) -> set[str]:
        """The roles that the files of the run directory play."""
        return {file["role"] for file in self.inputs.manifest["files"]}

    @cached_property
    def has_steps(self) -> bool:
        """Whether any row holds a trajectory."""
        known = pc.drop_null(self.inputs.aligned["steps"])
        return bool(pc.any(pc.not_equal(known, "[]")).as_py())

    def model_words(self) -> Text:
        """The model's name, or that the artifacts do not name one."""
        model = value_of(self.inputs.manifest, "model")
        return say(", model ", code(model)) if model is not None else say(", model unknown")

    def cite(self, *kinds: str, naming: str = "") -> Text:
        """Marks of the facts whose evidence is of one of these kinds and, where given, about ``naming``."""
        found = [
            fact
            for fact in self.facts
            if fact["evidence"].get("kind") in kinds and (not naming or fact["evidence"].get("about") == naming)
        ]
        return say(" ", *cited(fact["id"] for fact in found[:2])) if found else ()

    def task_name(self, row: Json) -> Text:
        """A task's id, with stage and agent where the run has several."""
        parts: list[str | Piece] = [code(row["task"])]
        if row.get("stage"):
            parts.append(f" stage {row['stage']}")
        if self.several_agents and row.get("agent") is not None:
            parts += [" of ", code(row["agent"])]
        return say(*parts)

    @cached_property
    def _labels(self) -> dict[str, list[Json]]:
        found: dict[str, list[Json]] = {}
        for label in self.inputs.causes["labels"]:
            found.setdefault(str(label["task"]), []).append(label)
        return found

    def label_of(self, task: Json) -> Json | None:
        """The label of a task; null when no evidence decided and no analyst read it."""
        candidates = self._labels.get(str(task["task"]), [])
        return next((x for x in candidates if is_decided(x) and same_task(x, task)), None)

    def rollouts(self, tasks: Iterable[str], *more: str) -> list[Json]:
        """The aligned rows of some tasks, in dataset and repeat order, with ``more`` columns than the usual ones."""
        table = self.inputs.aligned.select([*COLUMNS, *more])
        chosen = table.filter(pc.is_in(table["task"], value_set=pa.array(sorted(set(tasks)), pa.string())))
        keys = [("stage", "ascending"), ("order", "ascending"), ("agent", "ascending"), ("rank", "ascending")]
        rows: list[Json] = chosen.sort_by(keys).to_pylist()
        return rows


def is_decided(label: Json) -> bool:
    """Whether somebody labelled the task: an analyst, if only as read and not decided, or a rule."""
    return bool(label["label"] != "unlabelled" or label["by"] == "analyst")


def cited(ids: Iterable[Any]) -> list[Piece]:
    """Marks that lead to the facts with these ids."""
    return [Piece("fact", str(name)) for name in ids]


def place(row: Json) -> Text:
    """``rollout`` with the file and line that hold it."""
    name = code(row["rollout_id"] or f"{row['task']}-{row['repeat']}")
    if row.get("file") is None:
        return say(name, " (no row)")
    return say(name, " (", code(row["file"]), f" line {row['line']})")


def same_task(row: Json, other: Json) -> bool:
    """Whether two rows speak of the same agent, stage and task, as far as both say."""
    keys = ("agent", "stage", "task")
    return all(row.get(key) is None or other.get(key) is None or row[key] == other[key] for key in keys)


def names(values: Iterable[object], limit: int = 8) -> Text:
    """Ids in a row; what exceeds the limit is counted."""
    items = list(values)
    shown = listed([code(item) for item in items[:limit]])
    rest = len(items) - limit
    return say(shown, f" and {rest} more") if rest > 0 else shown
