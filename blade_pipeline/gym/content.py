"""Content identity: digests of what a task is, apart from the method that was applied to it.

A task is the user's side of the conversation and the dataset's own fields. System prompt, tools, sampling,
model, agent and server stamps, indices, seeds and paths belong to the method or to bookkeeping and stay out,
so that runs at different temperatures still pair. Digests are the first 32 hex digits of SHA-256.
"""

import hashlib
import re
from typing import Any, NamedTuple

from blade_pipeline.gym.values import canonical_bytes, typed_id

ANSWER_FIELDS = (
    "expected_answer",
    "expected_answers",
    "ground_truth",
    "reference_answer",
    "gold_answer",
    "golden_answer",
    "target",
    "answer",
)
"""Fields that hold the expected answer; the first one present counts."""

PROMPT_FIELDS = ("question", "problem", "prompt", "instruction", "query", "text", "sql_prompt", "original_problem")

ID_FIELDS = ("_ng_task_id", "task_id", "problem_id", "instance_id", "id")
"""Fields that hold the dataset's id of a task; the first one present counts."""

_OTHER_IDS = ("uuid", "uid", "question_id", "sample_id", "example_id", "case_id", "scenario_id", "source_id")
_DESCRIPTIONS = (
    "category",
    "subcategory",
    "difficulty",
    "domain",
    "subject",
    "language",
    "level",
    "split",
    "subset",
    "source",
    "dataset",
    "dataset_name",
    "answer_type",
    "answer_format",
    "choices",
    "options",
    "reference",
    "reference_solution",
    "provenance_id",
    "row_id",
    "task_name",
    "label",
)

ROW_FIELDS = tuple(sorted({*ANSWER_FIELDS, *PROMPT_FIELDS, *ID_FIELDS[1:], *_OTHER_IDS, *_DESCRIPTIONS}))
"""Dataset fields that verifiers are known to echo into a rollout row."""

_NEVER_TASK = frozenset(
    "responses_create_params agent_ref task_source skills_ref task_input seed seeds index idx task_index rollout_index "
    "row_index line_number model model_name temperature top_p top_k max_tokens max_output_tokens tools system_prompt "
    "system num_repeats agent agent_name server reasoning reasoning_effort".split()
)
_PATH_KEY = re.compile(r"(?:^|_)(?:f?paths?|file_?paths?|dirs?|directory|directories)$")
_WEAK_FIELDS = frozenset({*ANSWER_FIELDS, *_DESCRIPTIONS} - {"provenance_id", "row_id", "task_name", "reference"})
_SYSTEM_ROLES = frozenset({"system", "developer"})

Messages = list[tuple[str, str]]


class Content(NamedTuple):
    """Digests of one row's content; null where the row does not hold it."""

    task_digest: str | None
    prompt_digest: str | None
    answer_key_digest: str | None
    system_digest: str | None
    tools_digest: str | None
    dataset_id: str | None


def digest(data: bytes) -> str:
    """First 32 hex digits of SHA-256."""
    return hashlib.sha256(data).hexdigest()[:32]


def row_content(row: dict[str, Any]) -> Content:
    """Content of a rollout row, from the dataset fields that verifiers echo."""
    fields = {name: row[name] for name in ROW_FIELDS if name in row}
    return _content(row, {name: value for name, value in fields.items() if value is not None}, row.get("response"))


def input_content(row: dict[str, Any]) -> Content:
    """Content of a materialized input row, from all its dataset fields."""
    return _content(row, task_fields(row), None)


def task_fields(row: dict[str, Any]) -> dict[str, Any]:
    """The dataset's own fields of a row: everything but method, bookkeeping and paths."""
    return {
        name: _without_paths(value)
        for name, value in row.items()
        if name not in _NEVER_TASK and name[:1] != "_" and value is not None and not _PATH_KEY.search(name)
    }


def text_of(content: Any) -> str:
    """Text of a message's content, whether it is a string or a list of parts; media stand as short marks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(_part_text, content))
    return "" if content is None else canonical_bytes(content).decode("utf-8")


def dataset_id(row: dict[str, Any]) -> str | None:
    """Typed id that the dataset gives the task, at the top level or in ``verifier_metadata``."""
    for holder in (row, row.get("verifier_metadata")):
        if isinstance(holder, dict):
            for name in ID_FIELDS:
                if name in holder and (found := typed_id(holder[name])) is not None:
                    return found
    return None


def _content(row: dict[str, Any], fields: dict[str, Any], response: Any) -> Content:
    params = row.get("responses_create_params")
    params = params if isinstance(params, dict) else {}
    system, messages = _split_messages(params)
    answer = next((row[name] for name in ANSWER_FIELDS if row.get(name) is not None), None)
    if not messages:
        prompt = next((row[name] for name in PROMPT_FIELDS if isinstance(row.get(name), str)), None)
        stated: Messages = [("user", prompt)] if prompt else []
    else:
        stated = messages
    known = bool(messages) or not fields.keys() <= _WEAK_FIELDS
    return Content(
        digest(canonical_bytes([messages, fields])) if known else None,
        digest(canonical_bytes([stated, answer])) if stated else None,
        None if answer is None else digest(canonical_bytes(answer)),
        digest(canonical_bytes(system)) if system else None,
        _tools_digest(params, response),
        dataset_id(row),
    )


def _split_messages(params: dict[str, Any]) -> tuple[list[str], Messages]:
    """System texts, and the other turns of the request as (role, text)."""
    instructions = params.get("instructions")
    system = [instructions] if isinstance(instructions, str) and instructions else []
    items = params.get("input")
    if isinstance(items, str):
        return system, [("user", items)] if items else []
    messages: Messages = []
    for item in items if isinstance(items, list) else ():
        role, text = _turn(item)
        if role in _SYSTEM_ROLES:
            system.append(text)
        else:
            messages.append((role, text))
    return system, messages


def _turn(item: Any) -> tuple[str, str]:
    if not isinstance(item, dict):
        return "user", text_of(item)
    role = item.get("role")
    if isinstance(role, str):
        return role, text_of(item.get("content"))
    kind = str(item.get("type"))
    if kind == "function_call":
        return kind, f"{item.get('name')}({item.get('arguments')})"
    return kind, text_of(item.get("output", item.get("summary")))


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    text = part.get("text", part.get("refusal"))
    if isinstance(text, str):
        return text
    return f"[{part.get('type')}:{digest(canonical_bytes(_media(part)))}]"


def _media(part: dict[str, Any]) -> list[str]:
    """Embedded data in full; of an address or a path only the file's name."""
    found = []
    for name in ("image_url", "file_data", "file_url", "input_audio", "data", "file_id"):
        value = part.get(name)
        value = value.get("url", value.get("data")) if isinstance(value, dict) else value
        if isinstance(value, str):
            found.append(value if value.startswith("data:") else value.split("?")[0].rsplit("/", 1)[-1])
    return found


def _without_paths(value: Any, depth: int = 0) -> Any:
    if depth > 20:
        return value
    if isinstance(value, dict):
        return {name: _without_paths(item, depth + 1) for name, item in value.items() if not _PATH_KEY.search(name)}
    return value


def _tools_digest(params: dict[str, Any], response: Any) -> str | None:
    tools = params.get("tools")
    if not tools and isinstance(response, dict):
        tools = response.get("tools")
    if not isinstance(tools, list) or not tools:
        return None
    return f"{len(tools)}:{digest(canonical_bytes(_without_nulls(tools)))[:16]}"


def _without_nulls(value: Any, depth: int = 0) -> Any:
    if depth > 50:
        return value
    if isinstance(value, dict):
        return {name: _without_nulls(item, depth + 1) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item, depth + 1) for item in value]
    return value
