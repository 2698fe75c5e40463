"""What a team writes about its benchmarks: profiles, reference scores and analyst labels.

Every loader answers with a document that says whether the file exists, so that its absence is a fact with a
version and not a special case.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from blade_pipeline.method.expressions import check_expressions
from blade_pipeline.method.teamfile import Place, TeamFile, suggestion
from blade_pipeline.models import AnalystLabel, BladeError, Profile, Reference

Record = TypeVar("Record", bound=BaseModel)


def load_profile(folder: Path | None, benchmark: str) -> dict[str, Any]:
    """The profile document of a benchmark: ``{present, file, profile}``.

    Raises:
        BladeError: the file is no YAML mapping, holds a field that is unknown, ill-typed or there twice, or an
            expression that does not bind to the aligned samples.
    """
    path = _existing(folder, f"{benchmark}.yaml")
    if path is None:
        return {"present": False, "file": None, "profile": Profile().model_dump(mode="json")}
    file = TeamFile(path)
    profile = _validated(Profile, _mapping(file), file)
    _check_rules(profile, file)
    return {"present": True, "file": path.name, "profile": profile.model_dump(mode="json")}


def profile_of(document: Mapping[str, Any]) -> Profile:
    """The typed profile inside a profile document."""
    return Profile.model_validate(document["profile"])


@contextmanager
def of_file(document: Mapping[str, Any]) -> Iterator[None]:
    """Puts the profile's file name before what goes wrong with its expressions inside the block."""
    try:
        yield
    except BladeError as error:
        raise BladeError(f"{document['file']}: {error}" if document["file"] else str(error)) from None


def load_references(folder: Path | None, benchmark: str) -> dict[str, Any]:
    """The reference scores of a benchmark: ``{present, file, references}``.

    Raises:
        BladeError: the file holds something else than a list of references.
    """
    path = _existing(folder, f"{benchmark}.yaml")
    entries = [entry for entry, _ in _entries(path, "references", Reference)]
    return {"present": path is not None, "file": path.name if path else None, "references": entries}


def load_labels(folder: Path | None, benchmark: str, run: str) -> dict[str, Any]:
    """The analyst's labels of a run: ``{present, file, labels}``, each label with its ``line``.

    Raises:
        BladeError: the file holds something else than a list of labels.
    """
    path = _existing(folder, f"{benchmark}/{run}.yaml")
    entries = [entry | {"line": line} for entry, line in _entries(path, "labels", AnalystLabel)]
    return {"present": path is not None, "file": path.name if path else None, "labels": entries}


def _existing(folder: Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    path = folder / name
    return path if path.is_file() else None


def _entries(path: Path | None, key: str, model: type[BaseModel]) -> list[tuple[dict[str, Any], int | None]]:
    """The records of a list, at the top of the file or under a key, each with its line."""
    if path is None:
        return []
    file = TeamFile(path)
    under: list[str | int] = [key] if isinstance(file.content, dict) else []
    entries = file.content.get(key, {}) if isinstance(file.content, dict) else file.content
    if entries is None:
        return []
    if not isinstance(entries, list):
        names = [str(name) for name in file.content] if isinstance(file.content, dict) else []
        close = difflib.get_close_matches(key, names, n=1)
        raise BladeError(f"{file.at(close)}: expected a list, or a list under the key '{key}'.")
    places = [[*under, number] for number in range(len(entries))]
    found = zip(entries, places, strict=True)
    return [(_validated(model, entry, file, place).model_dump(mode="json"), file.line(place)) for entry, place in found]


def _mapping(file: TeamFile) -> dict[str, Any]:
    if file.content is None:
        return {}
    if not isinstance(file.content, dict):
        raise BladeError(f"{file.at(())}: expected a mapping of fields at the top level.")
    return file.content


def _validated(model: type[Record], content: Any, file: TeamFile, under: Place = ()) -> Record:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise BladeError(_sentence(error, model, file, under)) from None


_KINDS = {
    "string_type": "text (put it in quotes)",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("tuple_type", "list_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a mapping of fields"),
}
"""What a value must be, by the kind of pydantic's complaint."""


def _sentence(error: ValidationError, model: type[BaseModel], file: TeamFile, under: Place) -> str:
    """The first mistake, an unknown field before all others: it explains a missing one."""
    errors = error.errors(include_url=False)
    first = next((found for found in errors if found["type"] == "extra_forbidden"), errors[0])
    loc = first["loc"]
    where = file.at([*under, *loc])
    inside = file.found([*under, *loc])[len(under) :]
    place = ".".join(inside)
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown field '{place}'{suggestion(str(loc[-1]), _field_names(model, loc[:-1]))}"
    if first["type"] == "missing":
        name = ".".join([*inside, str(loc[-1])])
        return f"{where}: field '{name}' is missing; add it."
    said = _said(first, [found["type"] for found in errors if found["loc"][: len(inside)] == loc[: len(inside)]])
    return f"{where}: field '{place}': {said}" if place else f"{where}: {said}"


def _said(first: ErrorDetails, types: Sequence[str]) -> str:
    if first["type"] in _KINDS:
        return f"must be {' or '.join(dict.fromkeys(_KINDS[kind] for kind in types if kind in _KINDS))}."
    said = first["msg"].removeprefix("Value error, ")
    if first["type"] == "literal_error":
        return f"{said}{suggestion(str(first['input']), str(first['ctx']['expected']).split(chr(39))[1::2])}"
    return f"{said}."


def _field_names(model: type[BaseModel], place: Place) -> list[str]:
    """The fields allowed at a place, where the first part may lead into a list of records."""
    if not place:
        return list(model.model_fields)
    inner = getattr(model.model_fields[str(place[0])].annotation, "__args__", ())
    return [name for arg in inner if isinstance(arg, type) and issubclass(arg, BaseModel) for name in arg.model_fields]


def _check_rules(profile: Profile, file: TeamFile) -> None:
    rules = [("funnel", "phase", number, rule.phase, rule.when) for number, rule in enumerate(profile.funnel)]
    modes = enumerate(profile.failure_modes)
    rules += [("failure_modes", "code", number, rule.code, rule.when) for number, rule in modes]
    seen: set[tuple[str, str]] = set()
    for place, key, number, name, expression in rules:
        if (place, name) in seen:
            where = file.at([place, number, key])
            raise BladeError(f"{where}: {place} has two entries named '{name}'; give each a name of its own.")
        seen.add((place, name))
        try:
            check_expressions([expression])
        except BladeError as error:
            raise BladeError(f"{file.at([place, number, 'when'])}: {place} '{name}': {error}") from None
