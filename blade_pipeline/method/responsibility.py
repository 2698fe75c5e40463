"""What the failure vocabulary of NeMo Gym says about responsibility, as far as a name or an answer's status can."""

import re

_INFRASTRUCTURE = (
    "agent_request_failed transient infrastructure_error harbor_failed judge_failed judge_unavailable "
    "judge_unreachable judge_overloaded kill_shaped cancelled shutdown persistence_failed cohort_incomplete "
    "environment_server_failed:seed environment_server_failed:admission environment_server_failed:cleanup"
).split()
_INFRASTRUCTURE_PREFIXES = ("provider_", "transport_", "session_")
_TASK = "judge_invalid judge_unparseable permanent verifier_error environment_server_failed:verification".split()
_DATA = "reference_missing eval_missing transport_ineligible skipped incomplete".split()
_BEHAVIOUR = "tau2_malformed_tool_call agent_command_not_allowed".split()

CAUSES: dict[str, str] = (
    dict.fromkeys(_INFRASTRUCTURE, "IR")
    | dict.fromkeys(_TASK, "TI")
    | dict.fromkeys(_DATA, "DA")
    | dict.fromkeys(_BEHAVIOUR, "BI")
)


def cause_of(name: str | None, stage: str | None = None) -> str | None:
    """Label that a failure class or kind proposes, null where a person has to look.

    A namespace before the last colon is ignored, except that the stage decides for ``environment_server_failed``.
    """
    if not name:
        return None
    if stage and (staged := CAUSES.get(f"{name}:{stage}")):
        return staged
    plain = name.rpartition(":")[2].lower()
    if plain.startswith(_INFRASTRUCTURE_PREFIXES):
        return "IR"
    return CAUSES.get(plain)


_REFUSED = re.compile(
    r"(?i)invalid[_ ](request|function|schema|param|type|value)|\bschema\b|"
    r"(unsupported|unknown|unexpected|unrecognized|extra) (param|argument|field|value|key)|"
    r"not (supported|permitted|allowed)|validation error|missing required"
)
_TOO_LONG = re.compile(r"(?i)context[_ ](length|window)|too (long|many tokens)|maximum .{0,30}tokens|max_tokens")
_OF_SERVICE = frozenset((401, 403, 404, 407, 408, 425, 429))
_OF_REQUEST = frozenset((400, 405, 406, 413, 415, 422))


def cause_of_answer(status: int | None, message: str | None) -> str | None:
    """Label that the answer to a request proposes where the failure's class names none.

    A service that is busy, down, gone or closed to its caller is infrastructure; one that refuses the request as it is
    written, a fault of task or harness. A request that grew too long says nothing of who is at fault.
    """
    if status is None:
        return None
    if status in _OF_SERVICE or status >= 500:
        return "IR"
    said = message or ""
    refused = status in _OF_REQUEST and _REFUSED.search(said) and not _TOO_LONG.search(said)
    return "TI" if refused else None
