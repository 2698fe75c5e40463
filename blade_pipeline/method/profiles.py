"""What a team writes about its benchmarks: profiles, reference scores and analyst labels.

Every loader answers with a document that says whether the file exists, so that its absence is a fact with a
version and not a special case.
"""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from blade_pipeline.method.expressions import check_expressions
from blade_pipeline.models import AnalystLabel, BladeError, Profile, Reference

Record = TypeVar("Record", bound=BaseModel)


def load_profile(folder: Path | None, benchmark: str) -> dict[str, Any]:
    """The profile document of a benchmark: ``{present, file, profile}``.

    Raises:
        BladeError: the file is no YAML mapping, holds an unknown or ill-typed field, or an expression that does
            not bind to the aligned samples.
    """
    path = _existing(folder, f"{benchmark}.yaml")
    if path is None:
        return {"present": False, "file": None, "profile": Profile().model_dump(mode="json")}
    profile = _validated(Profile, _mapping(path), path)
    _check_rules(profile, path)
    return {"present": True, "file": path.name, "profile": profile.model_dump(mode="json")}


def profile_of(document: Mapping[str, Any]) -> Profile:
    """The typed profile inside a profile document."""
    return Profile.model_validate(document["profile"])


def load_references(folder: Path | None, benchmark: str) -> dict[str, Any]:
    """The reference scores of a benchmark: ``{present, file, references}``.

    Raises:
        BladeError: the file holds something else than a list of references.
    """
    path = _existing(folder, f"{benchmark}.yaml")
    entries = _entries(path, "references", Reference)
    return {"present": path is not None, "file": path.name if path else None, "references": entries}


def load_labels(folder: Path | None, benchmark: str, run: str) -> dict[str, Any]:
    """The analyst's labels of a run: ``{present, file, labels}``.

    Raises:
        BladeError: the file holds something else than a list of labels.
    """
    path = _existing(folder, f"{benchmark}/{run}.yaml")
    entries = _entries(path, "labels", AnalystLabel)
    return {"present": path is not None, "file": path.name if path else None, "labels": entries}


def _existing(folder: Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    path = folder / name
    return path if path.is_file() else None


def _entries(path: Path | None, key: str, model: type[BaseModel]) -> list[dict[str, Any]]:
    if path is None:
        return []
    content = _yaml(path)
    entries = content.get(key) if isinstance(content, dict) else content
    if not isinstance(entries, list):
        raise BladeError(f"{path.name}: expected a list, or a list under the key '{key}'.")
    return [_validated(model, entry, path).model_dump(mode="json") for entry in entries]


def _yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise BladeError(f"{path.name}{where}: not readable as YAML; mend the file's syntax.") from None


def _mapping(path: Path) -> dict[str, Any]:
    content = _yaml(path)
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise BladeError(f"{path.name}: expected a mapping of fields at the top level.")
    return content


def _validated(model: type[Record], content: Any, path: Path) -> Record:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise BladeError(_sentence(error, model, path)) from None


def _sentence(error: ValidationError, model: type[BaseModel], path: Path) -> str:
    errors = error.errors(include_input=False, include_url=False)
    first = next((found for found in errors if found["type"] == "extra_forbidden"), errors[0])
    place = [str(part) for part in first["loc"]]
    where = f"{path.name}{_line_of(path, place)}"
    if first["type"] != "extra_forbidden":
        said = first["msg"].removeprefix("Value error, ")
        return f"{where}: field '{'.'.join(place)}': {said}." if place else f"{where}: {said}."
    close = difflib.get_close_matches(place[-1], _field_names(model, place[:-1]), n=1)
    hint = f"; did you mean '{close[0]}'?" if close else "."
    return f"{where}: unknown field '{'.'.join(place)}'{hint}"


def _field_names(model: type[BaseModel], place: Sequence[str]) -> list[str]:
    """The fields allowed at a place, where the first part may lead into a list of records."""
    if not place:
        return list(model.model_fields)
    inner = getattr(model.model_fields[place[0]].annotation, "__args__", ())
    return [name for arg in inner if isinstance(arg, type) and issubclass(arg, BaseModel) for name in arg.model_fields]


def _line_of(path: Path, place: Sequence[str]) -> str:
    """``, line N`` of the deepest node on the way to a place, or nothing when it cannot be told."""
    node = yaml.compose(path.read_bytes(), Loader=yaml.SafeLoader)
    line = None
    for part in place:
        node, mark = _child(node, part)
        if mark is None:
            break
        line = mark.line + 1
    return f", line {line}" if line else ""


def _child(node: Any, part: str) -> tuple[Any, Any]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return value, key.start_mark
    if isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
        child = node.value[int(part)]
        return child, child.start_mark
    return None, None


def _check_rules(profile: Profile, path: Path) -> None:
    rules = [("funnel", number, rule.phase, rule.when) for number, rule in enumerate(profile.funnel)]
    rules += [("failure_modes", number, rule.code, rule.when) for number, rule in enumerate(profile.failure_modes)]
    for place, number, name, expression in rules:
        try:
            check_expressions([expression])
        except BladeError as error:
            where = f"{path.name}{_line_of(path, [place, str(number), 'when'])}"
            raise BladeError(f"{where}: {place} '{name}': {error}") from None
