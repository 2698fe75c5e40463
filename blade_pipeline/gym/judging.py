"""What the Gym config says of how a judge judges: its prompt with what belongs to it, and its sampling."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from blade_pipeline.gym.config import Config, Value, instances, key_path
from blade_pipeline.gym.measurement import JUDGE_SAMPLING
from blade_pipeline.gym.named_settings import Settings, settings_value, told

SWITCHES = ("should_use_judge", "use_judge")
"""Keys that switch a server's judge off."""

_PREFIX = "judge_"
_NOT_JUDGING = frozenset(
    "model server url uri base api key token secret password header headers host port endpoint concurrency concurrent "
    "parallel timeout retry retries attempts probe cache log dir directory workers enabled".split()
)
_REQUEST = frozenset({"params", "sampling"})
_KINDS = ("resources_servers", "environment_servers")
_OTHER_KINDS = ("responses_api_agents", "responses_api_models")


def judging_values(gym: Config) -> dict[str, Value]:
    """``judge_prompt`` and ``judge_sampling``: settings by key as JSON, or "none"; nothing where no server is named.

    A text of more than one line or 60 characters stands as its digest. A file's path stands for itself, since a run
    does not hold the file. A masked setting stays ``****``, one that cannot be resolved stays as written.
    """
    if not any(True for kind in (*_KINDS, *_OTHER_KINDS) for _ in instances(gym.tree, kind)):
        return {}
    found: dict[str, Settings] = {"judge_prompt": defaultdict(set), "judge_sampling": defaultdict(set)}
    places = []
    for place, name, raw in _judging(gym):
        places.append(place)
        for target, key, value in _settings(name, raw):
            found[target][key].add(told(gym, key, value))
    source = f"{gym.name} {', '.join(dict.fromkeys(places))}".rstrip()
    return {key: settings_value(settings, source) for key, settings in found.items()}


def _judging(gym: Config) -> Iterator[tuple[str, str, Any]]:
    """Place, name and raw value of what servers whose judge is not switched off say about judging."""
    for kind in _KINDS:
        for instance, implementation, settings in instances(gym.tree, kind):
            if any(settings.get(switch) is False for switch in SWITCHES):
                continue
            for name, raw in settings.items():
                parts = str(name).split("_")
                if parts[0] == "judge" and raw is not None and _NOT_JUDGING.isdisjoint(parts):
                    yield key_path(instance, kind, implementation, "judge_*"), str(name), raw


def _settings(name: str, raw: Any) -> Iterator[tuple[str, str, Any]]:
    """Target, key and raw value of one setting; the parameters of the judge's requests are told one by one."""
    if isinstance(raw, dict) and not _REQUEST.isdisjoint(name.split("_")):
        for key, value in raw.items():
            if value is not None and value != []:
                yield "judge_sampling" if key in JUDGE_SAMPLING else "judge_prompt", str(key), value
        return
    bare = name.removeprefix(_PREFIX)
    yield ("judge_sampling", bare, raw) if bare in JUDGE_SAMPLING else ("judge_prompt", name, raw)
