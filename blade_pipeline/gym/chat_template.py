"""The chat template: the server's flag, the arguments that the config gives it, and those that single requests add."""

import json

from blade_pipeline.gym.config import Config, Value, instances, key_path
from blade_pipeline.gym.named_settings import NONE, settings_value, told
from blade_pipeline.gym.values import canonical_json

FLAG = "--chat-template"


def chat_template(flag: Value | None, gym: Config, requests: Value | None) -> Value | None:
    """The arguments in force, as a request overrides the config; with the template itself where a flag names one.

    "none" only where both the config of the policy's server and the requests are known and set nothing.
    """
    if requests is not None and requests.final:
        return requests
    configured = _configured(gym)
    sources = {
        FLAG: flag if flag is not None and flag.value is not None else None,
        "config": configured if configured is not None and configured.value != NONE else None,
        "requests": requests if requests is not None and requests.value != NONE else None,
    }
    known = [value for value in sources.values() if value is not None]
    if not known:
        return Value(NONE, f"{configured.source}; {requests.source}") if configured and requests else flag
    if len(known) == 1:
        return known[0]
    return _together(sources)


def _configured(gym: Config) -> Value | None:
    for instance, implementation, server in instances(gym.tree, "responses_api_models"):
        if instance == "policy_model":
            place = key_path(instance, "responses_api_models", implementation, "chat_template_kwargs")
            given = server.get("chat_template_kwargs")
            kwargs = given if isinstance(given, dict) else {}
            found = {str(key): {told(gym, str(key), value)} for key, value in kwargs.items() if value is not None}
            return settings_value(found, f"{gym.name} {place}")
    return None


def _together(sources: dict[str, Value | None]) -> Value:
    """Arguments of the requests over those of the config, under the flag's template."""
    found: dict[str, object] = {}
    for name, value in sources.items():
        if value is None:
            continue
        try:
            held = json.loads(str(value.value)) if name != FLAG else {FLAG: value.value}
        except ValueError:
            held = {f"arguments of the {name}": value.value}
        found |= held
    source = "; ".join(str(value.source) for value in sources.values() if value is not None)
    return settings_value({key: {_scalar(value)} for key, value in found.items()}, source)


def _scalar(value: object) -> str | int | float | bool:
    return value if isinstance(value, (str, int, float, bool)) else canonical_json(value)
