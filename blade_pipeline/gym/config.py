"""Values of NeMo Gym's YAML and JSON configs, with interpolations resolved and masked values as unknown.

Only keys that a caller names are ever read; nothing of a config is listed or copied whole.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blade_pipeline.gym.documents import read_json, read_yaml
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.public import redacted, redacted_parts
from blade_pipeline.gym.values import mapping

MASKED = "****"

_INNERMOST = re.compile(r"\$\{([^${}]*)\}")
_DEPTH = 20


class Value(NamedTuple):
    """A value with the file and key it was read from, or why it is unknown.

    ``final`` forbids falling back on another source: this one speaks, but not with one voice; ``several`` are its
    values with the rows that hold each, where they are few.
    """

    value: str | int | float | bool | None
    source: str | None = None
    reason: str | None = None
    final: bool = False
    several: tuple[tuple[str | int | float | bool, int], ...] = ()


@dataclass(frozen=True)
class Config:
    """One config file: its shown ``name``, its ``tree``, and the driver's environment for interpolations."""

    name: str
    tree: dict[str, Any]
    env: Mapping[str, Any] | None = None
    env_name: str = ""

    def at(self, *keys: str) -> Value | None:
        """Value under a path of keys; ``None`` when no such key exists."""
        node: Any = self.tree
        for key in keys:
            if not isinstance(node, dict) or key not in node:
                return None
            node = node[key]
        return self.resolved(node, key_path(*keys))

    def resolved(self, raw: Any, key: str) -> Value | None:
        """A raw scalar as a value; ``None`` for null, lists and objects."""
        source = f"{self.name} {key}"
        if isinstance(raw, str):
            value, via, reason = self._interpolated(raw)
            if reason is None and value == MASKED:
                reason = f"masked in {self.name}"
            if reason is not None:
                return Value(None, source, reason)
            return Value(value, source + via) if isinstance(value, (str, int, float)) else None
        return Value(raw, source) if isinstance(raw, (int, float)) else None

    def _interpolated(self, text: str) -> tuple[Any, str, str | None]:
        """The resolved text, where it went through, and why it could not be resolved."""
        via = ""
        for _ in range(_DEPTH):
            found = _INNERMOST.search(text)
            if found is None:
                return text, via, None
            value, step, reason = self._lookup(found.group(1).strip())
            if reason is not None:
                return None, via, reason
            via += step
            if found.span() == (0, len(text)) and not isinstance(value, str):
                return value, via, None
            if value == MASKED:
                return MASKED, via, None
            text = text[: found.start()] + str(value) + text[found.end() :]
        return None, via, f"interpolations in {self.name} do not end"

    def _lookup(self, expression: str) -> tuple[Any, str, str | None]:
        if expression.startswith("oc.env:"):
            return self._variable(*expression[len("oc.env:") :].partition(",")[::2])
        node: Any = self.tree
        for key in expression.split("."):
            node = node.get(key) if isinstance(node, dict) else None
        expression = redacted_parts(expression)
        if node is None or isinstance(node, (dict, list)):
            return None, "", f"depends on {expression}, which {self.name} does not hold"
        return node, f" via {expression}", None

    def _variable(self, name: str, default: str) -> tuple[Any, str, str | None]:
        name, default = name.strip(), default.strip()
        if self.env is not None and name in self.env:
            value = self.env[name]
            text = value if isinstance(value, str) else str(value)
            if text.startswith(("runtime:", "host:")):
                return None, "", f"depends on the variable {name}, which is known only where the run ran"
            return text.removeprefix("lit:"), f" via {self.env_name} driver.env.{name}", None
        if default and self.env is not None:
            return default.strip("'\""), f" (default of {name}, which driver.env does not set)", None
        missing = "driver.env does not set" if self.env is not None else "no file of the run records"
        return None, "", f"depends on the variable {name}, which {missing}"


@dataclass(frozen=True)
class Configs:
    """The configs of a run; each is empty when its file is absent. ``problems`` names unreadable ones."""

    gym: Config
    submit: Config
    job: Config
    problems: list[str] = field(default_factory=list)


def read_configs(run: RunDirectory) -> Configs:
    """The merged Gym config beside the rollouts, and a submitted job's config and record.

    Raises:
        BladeError: a file cannot be read.
    """
    problems: list[str] = []
    submit_name, submit = _first(run, "submit_config", problems)
    gym_name, gym = _first(run, "resolved_config", problems)
    job_name, job = _first(run, "gym_job", problems)
    env = mapping(mapping(submit.get("driver")).get("env")) if submit else None
    return Configs(
        Config(gym_name, gym, env, submit_name),
        Config(submit_name, submit, env, submit_name),
        Config(job_name, job),
        problems,
    )


def key_path(*keys: str) -> str:
    """Keys of a config as a dotted path; one that names a machine is masked, since inside a path it looks like none."""
    return ".".join(map(redacted, keys))


def instances(tree: dict[str, Any], kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(instance, implementation, settings) of every instance of a kind such as ``resources_servers``."""
    for instance, kinds in tree.items():
        if isinstance(kinds, dict):
            for implementation, settings in mapping(kinds.get(kind)).items():
                if isinstance(settings, dict):
                    yield str(instance), str(implementation), settings


def _first(run: RunDirectory, role: str, problems: list[str]) -> tuple[str, dict[str, Any]]:
    files = run.having(role)
    if not files:
        return "", {}
    path = files[0].path
    tree, problem = read_json(path) if path.suffix == ".json" else read_yaml(path)
    if problem is not None:
        problems.append(problem)
    return path.name, mapping(tree)
