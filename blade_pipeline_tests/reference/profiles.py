"""docs/profiles.md: every field of the files that a team writes, in tables between sentences written by hand."""

import re
from collections.abc import Iterator

from pydantic import BaseModel

from blade_pipeline.models import AnalystLabel, Profile, Reference
from blade_pipeline_tests.conftest import PROJECT

_MODELS = {"Profile files": Profile, "Label files": AnalystLabel, "Reference files": Reference}


def profiles_page() -> str:
    """The whole page: the first table below each of the headings is written from the code."""
    page = (PROJECT / "docs/profiles.md").read_text()
    for heading, model in _MODELS.items():
        before, found, after = page.partition(f"## {heading}\n")
        assert found
        page = before + found + re.sub(r"(^\|.*\n)+", lambda _, model=model: _table(model), after, count=1, flags=re.M)
    return page


def _table(model: type[BaseModel]) -> str:
    return "\n".join(["| field | means | without it |", "|---|---|---|", *_rows(model), ""])


def _rows(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        assert isinstance(field.json_schema_extra, dict)
        yield f"| `{name}` | {field.description} | {field.json_schema_extra['without']} |"
