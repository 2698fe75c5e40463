"""What a row measured: its reward and whether it is masked, judge and sampling as the row names them."""

from typing import Any, NamedTuple

import orjson

from blade_pipeline.gym.content import short_digest
from blade_pipeline.gym.shape import Shape
from blade_pipeline.gym.values import canonical_json, integers, mapping, numbers, text_or_none
from blade_pipeline.rewards import ABSENT, LARGEST, RewardStatus, reward_status

_ARGUMENTS, _LONGEST = "chat_template_kwargs", 250
_LATEST = 1e11
"""Seconds since 1970 that no run has seen: more of them are milliseconds or finer."""

JUDGE_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "max_tokens", "max_output_tokens", "reasoning", "seed")
"""Keys of a judge's request that say how it samples."""

Row = dict[str, Any]


class Reward(NamedTuple):
    """A row's reward: a number where it is ``scored``, else null, and why."""

    value: float | None
    status: RewardStatus


class Sampling(NamedTuple):
    """Sampling settings of one row; null where it names none."""

    temperature: float | None
    top_p: float | None
    max_output_tokens: int | None
    reasoning_effort: str | None
    chat_template: str | None


def reward_columns(rows: list[Row]) -> tuple[list[float | None], list[str]]:
    """Values and statuses of ``Reward`` over many rows; the usual case of finite floats takes the short way."""
    values: list[Any] = [row.get("reward") for row in rows]
    if set(map(type, values)) == {float} and all(-LARGEST < value < LARGEST for value in values):
        return values, ["scored"] * len(values)
    rewards = list(map(reward_of, rows))
    return [reward.value for reward in rewards], [reward.status for reward in rewards]


def reward_of(row: Row) -> Reward:
    """Reward of a row; booleans count as 0 and 1."""
    value = row.get("reward", ABSENT)
    status = reward_status(value)
    return Reward(float(value) if status == "scored" else None, status)


def mask_of(row: Row) -> tuple[bool, str | None]:
    """Whether a row is masked, and the key that says so.

    A true boolean or non-zero number masks. Any other value (``"false"``, ``"true"``, a list) masks nothing and its
    key is returned with a ``!``. ``instance_config.mask_sample`` counts only when the top level has no such key, or
    null.
    """
    if row.get("mask_sample") is not None:
        return _mask(row["mask_sample"], "mask_sample")
    nested = row.get("instance_config")
    if isinstance(nested, dict) and "mask_sample" in nested:
        return _mask(nested["mask_sample"], "instance_config.mask_sample")
    return False, None


def sampling_columns(params: list[Row], responses: list[Row]) -> dict[str, list[Any]]:
    """Columns of ``Sampling`` over many rows: as requested, else as the response echoes it.

    A response that echoes ``top_p: 0`` was filled with zeros by its server and says nothing.
    """
    echoes = [response if response.get("top_p") != 0 else {} for response in responses]

    def asked(name: str) -> list[Any]:
        return [row.get(name) for row in params]

    def echoed(name: str) -> list[Any]:
        return [row.get(name) for row in echoes]

    budgets = [budget or None for budget in integers(echoed("max_output_tokens"))]
    efforts = [row.get("reasoning") or answer.get("reasoning") for row, answer in zip(params, responses, strict=True)]
    return {
        "temperature": _either(numbers(asked("temperature")), numbers(echoed("temperature"))),
        "top_p": _either(numbers(asked("top_p")), numbers(echoed("top_p"))),
        "max_output_tokens": _either(integers(asked("max_output_tokens")), budgets),
        "reasoning_effort": [text_or_none(mapping(effort).get("effort")) if effort else None for effort in efforts],
        "chat_template": list(map(_template_arguments, params)),
    }


def sampling_of(params: Row, response: Row) -> Sampling:
    """Sampling of one row, as ``sampling_columns`` says."""
    return Sampling(**{name: values[0] for name, values in sampling_columns([params], [response]).items()})


def _either(values: list[Any], others: list[Any]) -> list[Any]:
    return [other if value is None else value for value, other in zip(values, others, strict=True)]


def _template_arguments(params: Row) -> str | None:
    """Chat-template arguments that the request itself sets, as JSON or "none"; null without a request."""
    if not params:
        return None
    metadata = params.get("metadata")
    if not isinstance(metadata, dict):
        return "none"
    extra = metadata.get("extra_body")
    named = _object(extra).get(_ARGUMENTS) if _ARGUMENTS in str(extra) else None
    found = _object(metadata.get(_ARGUMENTS)) | _object(named)
    return _settings(found)


def _settings(found: Row) -> str:
    """Settings as JSON, "none" without any; long ones stand as their digest under one key."""
    text = canonical_json(found) if found else "none"
    if len(text) <= _LONGEST:
        return text
    return canonical_json({"all": f"{len(text)} characters, digest {short_digest(text)}"})


def _object(value: Any) -> Row:
    """A JSON object, or the text of one, as the tool's requests hold it."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return mapping(value)


def judge_of(row: Row, shape: Shape) -> str | None:
    """Judge model that the row itself names."""
    for name in shape.judges:
        value = row[name]
        if isinstance(value, str):
            if value and name.startswith("judge_model"):
                return text_or_none(value)
            continue
        holder = value[0] if isinstance(value, list) and value else value
        if isinstance(holder, dict):
            for source in (holder, mapping(holder.get("response"))):
                if found := text_or_none(source.get("model")) or text_or_none(source.get("name")):
                    return found
    return None


def judge_sampling_of(row: Row, shape: Shape) -> str | None:
    """Sampling of the judge's first request that the row holds, as JSON or "none"; null without such a request."""
    for name in shape.judges:
        value = row[name]
        params = mapping(value[0] if isinstance(value, list) and value else value).get("responses_create_params")
        if isinstance(params, dict):
            return _settings({key: _setting(params[key]) for key in JUDGE_SAMPLING if params.get(key) is not None})
    return None


def _setting(value: Any) -> str | int | float | bool:
    """A scalar with whole numbers as such; an object as the JSON of what it sets."""
    if isinstance(value, dict):
        return canonical_json({key: item for key, item in value.items() if item is not None})
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, (str, int, float)) else canonical_json(value)


def seconds_of(moments: list[Any]) -> list[float | None]:
    """Seconds since 1970 of creation times; zero means unset, finer units are told by their size."""
    return [None if moment is None or moment <= 0 else _seconds(moment) for moment in numbers(moments)]


def _seconds(moment: float) -> float:
    while moment > _LATEST:
        moment /= 1000
    return moment


def token_columns(usages: list[Row]) -> dict[str, list[int | None]]:
    """Input, output, total and reasoning tokens under the Responses or the chat completion names."""
    details = [usage.get("output_tokens_details") or usage.get("completion_tokens_details") for usage in usages]
    return {
        "input_tokens": integers([usage.get("input_tokens", usage.get("prompt_tokens")) for usage in usages]),
        "output_tokens": integers([usage.get("output_tokens", usage.get("completion_tokens")) for usage in usages]),
        "total_tokens": integers([usage.get("total_tokens") for usage in usages]),
        "reasoning_tokens": integers([mapping(part).get("reasoning_tokens") if part else None for part in details]),
    }


def _mask(value: Any, source: str) -> tuple[bool, str | None]:
    if value is None or value is False:
        return False, None
    if isinstance(value, (bool, int, float)) and value == value:
        return (True, source) if value else (False, None)
    return False, f"{source}!"
