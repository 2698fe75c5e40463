"""What the Gym config and the job's benchmark section say about method, judge, agent and dataset."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from blade_pipeline.gym.config import MASKED, Config, Configs, Value, instances, key_path
from blade_pipeline.gym.judging import SWITCHES, judging_values
from blade_pipeline.gym.public import hidden_reason, shown
from blade_pipeline.gym.values import canonical_json, listed, mapping

_JUDGE_KEYS = ("judge_model_name", "judge_model")
_USER_KEYS = ("user_model_name", "user_simulator_model_name", "user_simulator_model", "user_model", "user_llm")
_USER_SERVERS = ("user_model_server", "user_simulator_model_server", "user_simulator_server")
_TURN_KEYS = ("max_turns", "agent_max_turns", "max_steps", "max_agent_turns")
_TIMEOUT_KEYS = ("timeout", "timeout_s", "timeout_sec", "timeout_secs", "timeout_seconds", "agent_timeout")
_RUN_KEYS = {
    "repeats": "num_repeats",
    "limit": "limit",
    "split": "split",
    "prompt_config": "prompt_config",
    "count_failures_as_zero": "count_failure_classes_as_zero",
    "count_missing_as_zero": "count_missing_rollouts_as_zero",
    "route_failures_to_sidecar": "route_failures_to_sidecar",
}
_SAMPLING = ("temperature", "top_p", "max_output_tokens")


def setting_values(configs: Configs, benchmark: str) -> dict[str, Value]:
    """Values from the merged Gym config, else from the job's section for this benchmark."""
    gym, submit = configs.gym, configs.submit
    run = ("driver", "benchmarks", benchmark, "run")
    found: dict[str, Value | None] = {
        "model": gym.at("policy_model_name") or submit.at(*run, "policy_model_name"),
        "judge": _judge(gym),
        "user_simulator": _user_simulator(gym),
        "reasoning_parser": _reasoning_parser(gym),
        "reasoning_effort": _either(gym, submit, run, "responses_create_params", "reasoning", "effort"),
        "agent": gym.at("agent_name"),
        "harness": _harness(gym),
        "max_turns": _agreed(gym, "responses_api_agents", _TURN_KEYS),
        "timeout": _agreed(gym, "responses_api_agents", _TIMEOUT_KEYS),
        **judging_values(gym),
        **_dataset(gym),
    }
    found |= {key: _number(_either(gym, submit, run, "responses_create_params", key)) for key in _SAMPLING}
    found |= {key: _knob(gym, submit, run, name) or found.get(key) for key, name in _RUN_KEYS.items()}
    return {key: value for key, value in found.items() if value is not None}


def _either(gym: Config, submit: Config, run: tuple[str, ...], *keys: str) -> Value | None:
    first, second = gym.at(*keys), submit.at(*run, *keys)
    return first if first is not None and (first.value is not None or second is None) else second


def _number(value: Value | None) -> Value | None:
    """A number that the config holds as text, such as ``"0.60"``, as the number it is."""
    if value is None or not isinstance(value.value, str):
        return value
    with suppress(ValueError):
        return value._replace(value=float(value.value))
    return value


def _knob(gym: Config, submit: Config, run: tuple[str, ...], name: str) -> Value | None:
    """A run option that may also be a list of classes or a mapping per agent, shown as text."""
    if (scalar := _either(gym, submit, run, name)) is not None:
        return scalar
    for config, keys in ((gym, (name,)), (submit, (*run, name))):
        node: Any = config.tree
        for key in keys:
            node = mapping(node).get(key)
        if isinstance(node, list) and all(isinstance(item, str) for item in node):
            return Value(", ".join(sorted(node)) if node else False, f"{config.name} {key_path(*keys)}")
        if isinstance(node, dict) and node:
            return Value(canonical_json(node), f"{config.name} {key_path(*keys)}")
    return None


def _judge(gym: Config) -> Value | None:
    """Judge model: its name in a resources server, else the model server it points to; "none" when switched off."""
    off: Value | None = None
    named: list[Value] = []
    for place, settings in _placed(gym, "resources_servers"):
        switch = next((name for name in SWITCHES if settings.get(name) is False), None)
        if switch is not None:
            off = Value("none", f"{gym.name} {place}.{switch}")
            continue
        value = _first(gym, place, settings, _JUDGE_KEYS)
        if value is None or value.value is None:
            value = _server_model(gym, place, settings, ("judge_model_server",)) or value
        if value is not None:
            named.append(value)
    return _one(named) or off


def _user_simulator(gym: Config) -> Value | None:
    named = []
    for kind in ("resources_servers", "responses_api_agents", "environment_servers"):
        for place, settings in _placed(gym, kind):
            value = _first(gym, place, settings, _USER_KEYS) or _server_model(gym, place, settings, _USER_SERVERS)
            if value is not None:
                named.append(value)
    return _one(named)


def _server_model(gym: Config, place: str, settings: dict[str, Any], keys: tuple[str, ...]) -> Value | None:
    """Model behind a reference such as ``judge_model_server: {name: judge_model}``."""
    for key in keys:
        name = mapping(settings.get(key)).get("name")
        if not isinstance(name, str):
            continue
        source = f"{gym.name} {place}.{key}.name"
        for instance, implementation, server in instances(gym.tree, "responses_api_models"):
            if instance == name:
                path = key_path(instance, "responses_api_models", implementation)
                found = _first(gym, path, server, ("openai_model", "model"))
                if found is not None and found.value is not None:
                    role = "the policy judges itself: " if name == "policy_model" and key.startswith("judge") else ""
                    return Value(found.value, f"{source} ({role}{found.source})")
        return Value(name, source) if name != MASKED else None
    return None


def _reasoning_parser(gym: Config) -> Value | None:
    for instance, implementation, server in instances(gym.tree, "responses_api_models"):
        if instance == "policy_model" and isinstance(server.get("uses_reasoning_parser"), bool):
            place = key_path(instance, "responses_api_models", implementation, "uses_reasoning_parser")
            return Value("in use" if server["uses_reasoning_parser"] else "none", f"{gym.name} {place}")
    return None


def _harness(gym: Config) -> Value | None:
    """Implementation of the agents; several are joined."""
    found = [
        (implementation, key_path(instance, "responses_api_agents", implementation))
        for instance, implementation, _ in instances(gym.tree, "responses_api_agents")
    ]
    names = sorted({name for name, _ in found})
    return Value(", ".join(names), f"{gym.name} {found[0][1]}") if names else None


def _dataset(gym: Config) -> dict[str, Value | None]:
    """Name (or file name), licence and split of the pinned datasets; several are joined."""
    pinned = [
        (f"{place}.datasets", entry)
        for kind in ("responses_api_agents", "resources_servers", "environment_servers")
        for place, settings in _placed(gym, kind)
        for entry in listed(settings.get("datasets"))
        if isinstance(entry, dict)
    ]
    benchmark = [item for item in pinned if item[1].get("type") == "benchmark"] or pinned
    return {
        "dataset": _joined(gym, benchmark, ("name", "jsonl_fpath")),
        "dataset_license": _joined(gym, benchmark, ("license",)),
        "prompt_config": _joined(gym, benchmark, ("prompt_config",)),
    }


def _joined(gym: Config, entries: list[tuple[str, dict[str, Any]]], names: tuple[str, ...]) -> Value | None:
    found = [value for place, entry in entries if (value := _first(gym, place, entry, names)) is not None]
    known = [value for value in found if value.value is not None]
    if not known:
        return found[0] if found else None
    for value in known:
        if (reason := hidden_reason(str(value.value))) is not None:
            return Value(None, value.source, reason)
    texts = sorted({str(value.value).rsplit("/", 1)[-1] for value in known})
    return Value(", ".join(texts), known[0].source)


def _agreed(gym: Config, kind: str, names: tuple[str, ...]) -> Value | None:
    return _one(
        [value for place, settings in _placed(gym, kind) if (value := _first(gym, place, settings, names)) is not None]
    )


def _placed(gym: Config, kind: str) -> Iterable[tuple[str, dict[str, Any]]]:
    return (
        (key_path(instance, kind, implementation), settings)
        for instance, implementation, settings in instances(gym.tree, kind)
    )


def _first(gym: Config, place: str, settings: dict[str, Any], names: tuple[str, ...]) -> Value | None:
    found = (gym.resolved(settings[name], f"{place}.{name}") for name in names if name in settings)
    return next((value for value in found if value is not None), None)


def _one(values: list[Value]) -> Value | None:
    """The value all sources agree on; several different ones are unknown with their names."""
    known = [value for value in values if value.value is not None]
    if not known:
        return values[0] if values else None
    texts = sorted({shown(str(value.value)) for value in known})
    if len(texts) > 1:
        return Value(None, known[0].source, f"several differ: {', '.join(texts[:5])}")
    return known[0]
