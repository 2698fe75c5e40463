"""One rollout row as the values of the ``RAW_ROLLOUTS`` columns."""

import re
from typing import Any, NamedTuple

from blade_pipeline.gym.bounded import bounded_json, response_json
from blade_pipeline.gym.content import row_content
from blade_pipeline.gym.errors import error_text
from blade_pipeline.gym.identity import identity
from blade_pipeline.gym.trajectory import trajectory
from blade_pipeline.gym.values import integer, mapping, number, scalar_text, text_or_none

Pairs = list[tuple[str, float]]

_NOT_SCORES = frozenset({"reward", "mask_sample"})
_NOT_VERIFIER = frozenset(
    "response responses_create_params agent_ref task_source skills_ref ng_perf ng_trajectory "
    "ng_agent_observations ng_model_call_capture".split()
)
_TRANSCRIPT_NAMES = frozenset(
    "prompt question problem instruction instructions query text input inputs messages conversation generation "
    "output outputs completion transcript trajectory model_output extracted_model_output judged_response_text "
    "original_problem translation reference_solution rubric golden_patch_output all_attempts model_patch".split()
)
_TRANSCRIPT_ENDINGS = re.compile(r"_(?:prompt|question|response|response_text|text|output|generation|messages|stdout)$")


class Reward(NamedTuple):
    """A row's reward: finite or null, and ``scored`` or why not."""

    value: float | None
    status: str


def reward_of(row: dict[str, Any]) -> Reward:
    """Reward of a row; booleans count as 0 and 1."""
    if "reward" not in row:
        return Reward(None, "invalid_absent")
    value = row["reward"]
    if value is None:
        return Reward(None, "invalid_null")
    if isinstance(value, bool):
        return Reward(float(value), "scored")
    if not isinstance(value, (int, float)):
        return Reward(None, "invalid_type")
    if value != value:
        return Reward(None, "invalid_nan")
    finite = number(value)
    return Reward(None, "invalid_inf") if finite is None else Reward(finite, "scored")


def mask_of(row: dict[str, Any]) -> tuple[bool, str | None]:
    """Whether a row is masked, and the key that says so.

    A true boolean or non-zero number masks. Any other value (``"false"``, ``"true"``, a list) masks nothing and its
    key is returned with a ``!``. ``instance_config.mask_sample`` counts only when the top level has no such key.
    """
    if "mask_sample" in row:
        return _mask(row["mask_sample"], "mask_sample")
    nested = row.get("instance_config")
    if isinstance(nested, dict) and "mask_sample" in nested:
        return _mask(nested["mask_sample"], "instance_config.mask_sample")
    return False, None


def _mask(value: Any, source: str) -> tuple[bool, str | None]:
    if value is None or value is False:
        return False, None
    if isinstance(value, (bool, int, float)) and value == value:
        return (True, source) if value else (False, None)
    return False, f"{source}!"


def row_values(row: dict[str, Any]) -> tuple[Any, ...]:
    """Values of every column from ``agent`` to ``steps``, without ``payload_digest``, which needs the bytes."""
    reward = reward_of(row)
    masked, mask_source = mask_of(row)
    found = row.get("response")
    response = found if isinstance(found, dict) else None
    path = trajectory(row, response)
    numbers, verifier = _verifier_fields(row)
    perf = row.get("ng_perf")
    return (
        *identity(row),
        *row_content(row),
        *reward,
        masked,
        mask_source,
        scalar_text(row.get("failure_kind"), 200),
        scalar_text(row.get("failure_reason"), 200),
        error_text(row, response),
        *_response_facts(row, response or {}),
        *path[:6],
        numbers,
        _numeric_pairs(response.get("usage")) if response else None,
        _numeric_pairs(perf) if isinstance(perf, dict) else None,
        bounded_json(verifier) if verifier else None,
        response_json(response) if response else None,
        path.steps,
    )


def _response_facts(row: dict[str, Any], response: dict[str, Any]) -> tuple[Any, ...]:
    """Columns from ``response_status`` to ``reasoning_tokens``."""
    params = mapping(row.get("responses_create_params"))
    created = number(response.get("created_at"))
    return (
        text_or_none(response.get("status")),
        text_or_none(mapping(response.get("incomplete_details")).get("reason")),
        text_or_none(response.get("model")),
        *sampling(params, response),
        judge_of(row),
        _seconds(created),
        *_tokens(mapping(response.get("usage"))),
    )


def sampling(params: dict[str, Any], response: dict[str, Any]) -> tuple[Any, ...]:
    """Temperature, top_p, max_output_tokens and reasoning effort: as requested, else as the response echoes them.

    A response that echoes ``top_p: 0`` was filled with zeros by its server and says nothing.
    """
    temperature, top_p = number(params.get("temperature")), number(params.get("top_p"))
    budget = integer(params.get("max_output_tokens"))
    effort = text_or_none(mapping(params.get("reasoning")).get("effort"))
    if response and response.get("top_p") != 0:
        temperature = number(response.get("temperature")) if temperature is None else temperature
        top_p = number(response.get("top_p")) if top_p is None else top_p
        budget = (integer(response.get("max_output_tokens")) or None) if budget is None else budget
    return temperature, top_p, budget, effort or text_or_none(mapping(response.get("reasoning")).get("effort"))


def judge_of(row: dict[str, Any]) -> str | None:
    """Judge model that the row itself names."""
    for name in ("judge_model", "judge_model_name"):
        if found := text_or_none(row.get(name)):
            return found
    for name in ("judge", "judge_evaluations", "judge_evaluation", "judge_response"):
        value = row.get(name)
        holder = value[0] if isinstance(value, list) and value else value
        if isinstance(holder, dict):
            inner = holder.get("response")
            for source in (holder, inner if isinstance(inner, dict) else {}):
                if found := text_or_none(source.get("model")) or text_or_none(source.get("name")):
                    return found
    return None


def _tokens(usage: dict[str, Any]) -> tuple[int | None, ...]:
    """Input, output, total and reasoning tokens under the Responses or the chat completion names."""
    if not usage:
        return None, None, None, None
    details = usage.get("output_tokens_details") or usage.get("completion_tokens_details")
    return (
        integer(usage.get("input_tokens", usage.get("prompt_tokens"))),
        integer(usage.get("output_tokens", usage.get("completion_tokens"))),
        integer(usage.get("total_tokens")),
        integer(mapping(details).get("reasoning_tokens")),
    )


def _verifier_fields(row: dict[str, Any]) -> tuple[Pairs, dict[str, Any]]:
    """Numeric top-level fields, and all the fields a benchmark's expression may use."""
    numbers: Pairs = []
    fields: dict[str, Any] = {}
    for name, value in row.items():
        if name[:1] == "_" or name in _NOT_SCORES:
            continue
        if isinstance(value, (bool, int, float)):
            numbers += _pair(name, value)
            fields[name] = value
        elif name not in _NOT_VERIFIER and (value is None or not _is_transcript(name)):
            fields[name] = value
    return numbers, fields


def _is_transcript(name: str) -> bool:
    return name in _TRANSCRIPT_NAMES or _TRANSCRIPT_ENDINGS.search(name) is not None


def _numeric_pairs(value: Any) -> Pairs | None:
    if not isinstance(value, dict):
        return None
    return [pair for name, item in value.items() for pair in _pair(name, item)]


def _pair(name: str, value: Any) -> Pairs:
    found = float(value) if isinstance(value, bool) else number(value)
    return [] if found is None else [(name, found)]


def _seconds(created: float | None) -> float | None:
    """Seconds since 1970; zero means unset and values beyond the year 5000 are milliseconds."""
    if created is None or created <= 0:
        return None
    return created / 1000 if created > 1e11 else created
