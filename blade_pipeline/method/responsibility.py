"""What the failure vocabulary of NeMo Gym says about responsibility, as far as a name alone can say it."""

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
