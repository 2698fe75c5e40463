"""What the rows and the materialized inputs themselves say about how a run was made."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.config import Value
from blade_pipeline.gym.content import digest
from blade_pipeline.gym.public import shown

_ROW_COLUMNS = {
    "model": ("model", "response.model"),
    "temperature": ("temperature", "responses_create_params.temperature"),
    "top_p": ("top_p", "responses_create_params.top_p"),
    "max_output_tokens": ("max_output_tokens", "responses_create_params.max_output_tokens"),
    "reasoning_effort": ("reasoning_effort", "responses_create_params.reasoning.effort"),
    "judge": ("judge", "judge model"),
    "judge_sampling": ("judge_sampling", "the judge's requests"),
    "chat_template": ("chat_template", "responses_create_params.metadata.chat_template_kwargs"),
}
ROW_KEYS = tuple(_ROW_COLUMNS)
"""Manifest keys that the rows themselves show."""

_INPUT_COLUMNS = ("temperature", "top_p", "max_output_tokens")
_LISTED = 5
DISAGREE = "rows disagree: "
_MODEL_SERVER = "policy_model"


def row_values_of_run(rows: pa.Table) -> tuple[dict[str, Value], list[dict[str, str]]]:
    """Values on which the rows agree, and a finding with counts for each on which they do not."""
    measured = readable(rows)
    values: dict[str, Value] = {}
    findings = []
    for key, (column, name) in _ROW_COLUMNS.items():
        counts = _counts(measured[column])
        total = sum(counts.values())
        source = f"rows {name} ({total} of {measured.num_rows})"
        if key == "model" and list(counts) == [_MODEL_SERVER]:
            values[key] = Value(None, source, f"rows name the server {_MODEL_SERVER}, not the model behind it")
        elif counts:
            values[key] = _agreed(counts, source)
        if len(counts) > 1:
            words = key.replace("_", " ")
            detail = f"{total} of {measured.num_rows} rows name {len(counts)} values of {words}: {_listed(counts)}."
            findings.append({"kind": f"several values of {words} in one run", "detail": detail})
    return values | _agents(measured) | _times(measured), findings


def content_values(rows: pa.Table, expected: pa.Table, expected_name: str) -> dict[str, Value]:
    """System prompt, tools and repeats, of the inputs when there are some, else of the rows."""
    inputs = readable(expected)
    values: dict[str, Value] = {}
    named = [(readable(rows), "rows"), (inputs, expected_name)]
    speaking = [(table, name) for table, name in named if table["prompt_digest"].null_count < table.num_rows]
    if speaking:
        table, name = _first_hand(speaking, "system_digest")
        values["system_prompt"] = _distinct(table, "system_digest", name, "system prompts")
        table, name = _first_hand(speaking, "tools_digest")
        values["tools"] = _distinct(table, "tools_digest", name, "tool sets", _tools)
        values["system_role"] = _roles(speaking)
    if inputs.num_rows:
        for key in _INPUT_COLUMNS:
            if counts := _counts(inputs[key]):
                values[key] = _agreed(counts, f"{expected_name} responses_create_params.{key}")
        values["repeats"] = _repeats(inputs, expected_name)
    return values


def _agreed(counts: dict[Any, int], source: str) -> Value:
    """The value that all rows hold; unknown, with the values, where they hold several."""
    if len(counts) == 1:
        return Value(next(iter(counts)), source)
    several = tuple(counts.items()) if len(counts) <= _LISTED else ()
    return Value(None, source, f"{DISAGREE}{_listed(counts)}", final=True, several=several)


def _listed(counts: dict[Any, int]) -> str:
    text = ", ".join(f"{shown(str(value))} ({count})" for value, count in list(counts.items())[:_LISTED])
    return text + (f" and {len(counts) - _LISTED} more" if len(counts) > _LISTED else "")


def readable(table: pa.Table) -> pa.Table:
    """The rows of a table that came from a readable line."""
    return table.filter(pc.equal(table["line_class"], "row"))


def _counts(column: pa.ChunkedArray) -> dict[Any, int]:
    """Distinct non-null values with their counts, the most frequent first."""
    pairs = [(item["values"], item["counts"]) for item in pc.value_counts(column.drop_null()).to_pylist()]
    return dict(sorted(pairs, key=lambda pair: (-pair[1], str(pair[0]))))


def _agents(rows: pa.Table) -> dict[str, Value]:
    names = _counts(rows["agent"])
    if not names:
        return {}
    return {"agent": Value(", ".join(sorted(names)), f"rows agent_ref.name ({sum(names.values())} of {rows.num_rows})")}


def _times(rows: pa.Table) -> dict[str, Value]:
    bounds: dict[str, float | None] = pc.min_max(rows["created_at"]).as_py()
    named = {"started_at": ("min", "earliest"), "finished_at": ("max", "latest")}
    found = {}
    for key, (bound, word) in named.items():
        if (seconds := bounds[bound]) is not None:
            moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
            found[key] = Value(moment, f"rows response.created_at ({word})")
    return found


def _first_hand(speaking: list[tuple[pa.Table, str]], column: str) -> tuple[pa.Table, str]:
    """The inputs, which know of lost rollouts too, unless the rows hold what no input does; each with its name."""
    first, last = speaking[0], speaking[-1]
    return first if _counts(first[0][column]).keys() - _counts(last[0][column]).keys() else last


def _distinct(
    table: pa.Table, column: str, name: str, plural: str, show: Callable[[str], str] = lambda text: text
) -> Value:
    """One digest, "none", or how many with a digest over all of them."""
    digests = sorted(_counts(table[column]))
    if not digests:
        return Value("none", name)
    if len(digests) == 1 and not table[column].null_count:
        return Value(show(digests[0]), name)
    together = digest("\n".join([*digests, "none" if table[column].null_count else ""]).encode())[:16]
    return Value(f"{len(digests)} {plural}, together {together}", name)


def _roles(speaking: list[tuple[pa.Table, str]]) -> Value:
    """The roles that system prompts have, of the table that ``system_prompt`` is read from."""
    table, name = _first_hand(speaking, "system_digest")
    return Value(", ".join(sorted(_counts(table["system_role"]))) or "none", name)


def _tools(text: str) -> str:
    count, _, content = text.partition(":")
    return f"{count} tools {content}" if count != "1" else f"1 tool {content}"


def _repeats(inputs: pa.Table, name: str) -> Value:
    keys = ["agent", "stage", "task"]
    groups = inputs.select([*keys, "repeat"]).group_by(keys).aggregate([("repeat", "count_distinct")])
    bounds = pc.min_max(groups["repeat_count_distinct"]).as_py()
    source = f"{name} repeats per task"
    if bounds["min"] == bounds["max"]:
        return Value(bounds["min"], source)
    return Value(f"{bounds['min']} to {bounds['max']}", source)
