"""The optional ``run.yaml`` beside the rollouts: what a team calls the run."""

import difflib
from datetime import date
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from blade_pipeline.models import BladeError

_SIZE_CAP = 2**20


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, (int, float, date)) and not isinstance(value, bool) else value


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str) else value


_Text = Annotated[str, BeforeValidator(_as_text)]


class RunYaml(BaseModel):
    """Names of a run; every key is optional and what is absent comes from the folders' names.

    ``rollouts`` is a file name or pattern, or a list of them, relative to the folder of the ``run.yaml``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: _Text | None = None
    model_run: _Text | None = None
    model: _Text | None = None
    rollouts: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = ()
    notes: _Text | None = None


def read_run_yaml(path: Path) -> RunYaml:
    """The checked content of a ``run.yaml``; an empty file is an empty one.

    Raises:
        BladeError: it cannot be read, is no YAML mapping, or has an unknown key or a wrong type.
    """
    try:
        with path.open("rb") as stream:
            text = stream.read(_SIZE_CAP + 1)
    except OSError as error:
        raise BladeError(f"{path} cannot be read ({error.strerror}); restore the file or its permissions.") from error
    if len(text) > _SIZE_CAP:
        raise BladeError(f"{path} is larger than 1 MiB; keep only benchmark, model_run, model, rollouts and notes.")
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BladeError(f"{path} is not readable YAML{_place(error)}; mend it or remove it.") from error
    if value is None:
        return RunYaml()
    if not isinstance(value, dict):
        raise BladeError(f"{path} must be a mapping with benchmark and model_run, not a {type(value).__name__}.")
    try:
        return RunYaml.model_validate(value)
    except ValidationError as error:
        raise BladeError(f"{path}: {_first_mistake(error)}") from error


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return "" if mark is None else f" (line {mark.line + 1})"


def _first_mistake(error: ValidationError) -> str:
    mistake = error.errors(include_url=False)[0]
    key = ".".join(map(str, mistake["loc"]))
    if mistake["type"] != "extra_forbidden":
        return f"{key}: {mistake['msg'].lower()}; mend that key."
    known = difflib.get_close_matches(key, RunYaml.model_fields, 1)
    hint = f"did you mean {known[0]!r}?" if known else f"known keys are {', '.join(RunYaml.model_fields)}."
    return f"unknown key {key!r}; {hint}"
