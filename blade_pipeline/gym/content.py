"""Content identity: digests of what a task is, apart from the method that was applied to it.

A task is the user's side of the conversation and the dataset's own fields. System prompt, tools, sampling,
model, agent and server stamps, indices, seeds and paths belong to the method or to bookkeeping and stay out,
so that runs at different temperatures still pair. Digests are the first 32 hex digits of SHA-256, but for those of a
row's own line and answer, which are fingerprints.
"""

from hashlib import sha256
from typing import Any, NamedTuple

import orjson
from xxhash import xxh3_128_hexdigest

from blade_pipeline.gym.shape import ANSWER_FIELDS, DESCRIPTIONS, Shape, is_path, is_task_field, shape_of
from blade_pipeline.gym.values import canonical_bytes, typed_id

_WEAK_FIELDS = frozenset({*ANSWER_FIELDS, *DESCRIPTIONS})
_SYSTEM_ROLES = frozenset({"system", "developer"})
_MEDIA_FIELDS = ("image_url", "file_data", "file_url", "input_audio", "data", "file_id")
_REMEMBERED_BYTES = 16 * 2**20

Row = dict[str, Any]
Turns = list[tuple[str, str]]
_Key = str | tuple[tuple[str, ...], bytes]


class Content(NamedTuple):
    """Digests of one row's content; null where the row does not hold it."""

    task_digest: str | None
    prompt_digest: str | None
    answer_key_digest: str | None
    system_digest: str | None
    tools_digest: str | None
    dataset_id: str | None
    opening_digest: str | None
    system_role: str | None


def short_digest(text: str) -> str:
    """Twelve hexadecimal digits that tell long texts apart where they are shown."""
    return digest(text.encode("utf-8", "surrogatepass"))[:12]


def digest(data: bytes) -> str:
    """First 32 hex digits of SHA-256."""
    return sha256(data).hexdigest()[:32]


def fingerprint(data: bytes | memoryview) -> str:
    """XXH3 of 128 bits as 32 hex digits: tells the lines and answers of one run apart, many times faster than SHA-256.

    It finds copies and changes, not forgeries: what is compared between runs or files has a ``digest``.
    """
    return xxh3_128_hexdigest(data)


def text_digest(text: str) -> str:
    """The ``fingerprint`` of a text."""
    return xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


class Contents:
    """Contents of rollout rows; what all repeats of a task share is digested once.

    A row whose request, tools and dataset fields are the same JSON as in the task's row before has the same digests;
    for rows without an index any row before counts.
    """

    def __init__(self) -> None:
        self._known: dict[_Key, tuple[bytes, tuple[str, ...], Content]] = {}
        self._size = 0

    def of_row(self, row: Row, params: Row, response: Row, shape: Shape, task: str | None) -> Content:
        """Content of a row, from the dataset fields that verifiers echo; ``task`` is its typed id."""
        echoed = shape.echoed
        tools = params.get("tools") or response.get("tools")
        try:
            stated = orjson.dumps(
                (params.get("input"), params.get("instructions"), tools, [row[name] for name in echoed])
            )
        except TypeError:
            return _content(row, params, tools, _echoed(row, shape), shape)
        key = (echoed, stated) if task is None else task
        known = self._known.get(key)
        if known is not None and known[0] == stated and known[1] == echoed:
            content = known[2]
        else:
            content = _content(row, params, tools, _echoed(row, shape), shape)
            self._remember(key, stated, echoed, content)
        return content._replace(dataset_id=_dataset_id(row, shape)) if shape.unechoed_ids else content

    def _remember(self, key: _Key, stated: bytes, echoed: tuple[str, ...], content: Content) -> None:
        self._size += len(stated)
        if self._size > _REMEMBERED_BYTES:
            self._known.clear()
            self._size = len(stated)
        self._known[key] = stated, echoed, content


def _echoed(row: Row, shape: Shape) -> Row:
    return {name: value for name in shape.echoed if (value := row[name]) is not None}


def input_content(row: Row) -> Content:
    """Content of a materialized input row, from all its dataset fields."""
    params = row.get("responses_create_params")
    params = params if isinstance(params, dict) else {}
    return _content(row, params, params.get("tools"), task_fields(row), shape_of(tuple(row)))


def task_fields(row: Row) -> Row:
    """The dataset's own fields of a row: everything but method, bookkeeping and paths."""
    return {
        name: _without_paths(value) if isinstance(value, dict) else value
        for name, value in row.items()
        if value is not None and is_task_field(name)
    }


def text_of(content: Any) -> str:
    """Text of a message's content, whether it is a string or a list of parts; media stand as short marks."""
    if type(content) is str:
        return content
    if type(content) is list:
        if len(content) == 1:
            part = content[0]
            if type(part) is dict and type(text := part.get("text")) is str:
                return text
        return "".join(map(_part_text, content))
    return "" if content is None else canonical_bytes(content).decode("utf-8")


def _content(row: Row, params: Row, tools: Any, fields: Row, shape: Shape) -> Content:
    """Digests are nested: the turns are hashed once and stand for themselves in the two digests that hold them."""
    system, turns, roles = _split(params)
    answer = next((row[name] for name in shape.answers if row[name] is not None), None)
    answer_bytes = b"" if answer is None else canonical_bytes(answer)
    said = _hash(turns) if turns else b""
    task = None
    if said or not fields.keys() <= _WEAK_FIELDS:
        task = digest(said + canonical_bytes(fields))
    stated = said or _stated(row, shape)
    return Content(
        task,
        digest(stated + answer_bytes) if stated else None,
        digest(answer_bytes) if answer_bytes else None,
        digest(_hash(system)) if system else None,
        _tools_digest(tools) if tools else None,
        _dataset_id(row, shape) if shape.ids or "verifier_metadata" in shape.present else None,
        _opening_digest(turns, said) if turns else None,
        roles or None,
    )


def _opening_digest(turns: str, said: bytes) -> str:
    """Digest of the first turn, which often is the only one."""
    end = turns.find("\x1e")
    return digest(said if end < 0 else _hash(turns[:end]))


def _stated(row: Row, shape: Shape) -> bytes:
    """Hash of the task's statement where the request holds no turns; empty when there is none."""
    prompt = next((row[name] for name in shape.prompts if isinstance(row[name], str) and row[name]), None)
    return b"" if prompt is None else _hash(_joined([("user", prompt)]))


def _dataset_id(row: Row, shape: Shape) -> str | None:
    """Typed id that the dataset gives the task, at the top level or in ``verifier_metadata``."""
    for name in shape.ids:
        if (found := typed_id(row[name])) is not None:
            return found
    nested = row.get("verifier_metadata")
    if not isinstance(nested, dict):
        return None
    ids = shape_of(tuple(nested)).ids
    return next((found for name in ids if (found := typed_id(nested[name])) is not None), None)


def _split(params: Row) -> tuple[str, str, str]:
    """System texts, and the other turns of the request with their roles, each as one string; the system texts' roles.

    The same text is the same system prompt in whatever role it is given.
    """
    instructions = params.get("instructions")
    system = [("instructions", instructions)] if instructions and isinstance(instructions, str) else []
    items = params.get("input")
    if isinstance(items, str):
        items = [items] if items else []
    turns: Turns = []
    for item in items if isinstance(items, list) else ():
        turn = _turn(item)
        (system if turn[0] in _SYSTEM_ROLES else turns).append(turn)
    roles = " and ".join(dict.fromkeys(role for role, _ in system))
    return _joined([("", text) for _, text in system]), _joined(turns), roles


def _turn(item: Any) -> tuple[str, str]:
    if type(item) is not dict:
        return "user", text_of(item)
    role = item.get("role")
    if type(role) is str:
        return role, text_of(item.get("content"))
    kind = str(item.get("type"))
    if kind == "function_call":
        return kind, f"{item.get('name')}({item.get('arguments')})"
    return kind, text_of(item.get("output", item.get("summary")))


def _joined(turns: Turns) -> str:
    return "\x1e".join([f"{role}\x1f{text}" for role, text in turns])


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _part_text(part: Any) -> str:
    if type(part) is dict:
        text = part.get("text", part.get("refusal"))
        return text if type(text) is str else f"[{part.get('type')}:{digest(canonical_bytes(_media(part)))}]"
    return part if type(part) is str else ""


def _media(part: Row) -> list[str]:
    """Embedded data in full; of an address or a path only the file's name."""
    found = []
    for name in _MEDIA_FIELDS:
        value = part.get(name)
        value = value.get("url", value.get("data")) if isinstance(value, dict) else value
        if isinstance(value, str):
            found.append(value if value.startswith("data:") else value.split("?")[0].rsplit("/", 1)[-1])
    return found


def _without_paths(value: Row, depth: int = 0) -> Row:
    return {
        name: _without_paths(item, depth + 1) if isinstance(item, dict) and depth < 20 else item
        for name, item in value.items()
        if not is_path(name)
    }


def _tools_digest(tools: Any) -> str | None:
    """Number of tools and digest of their definitions without nulls; null for none."""
    if not isinstance(tools, list):
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
