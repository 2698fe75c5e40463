"""What a report was made from and what it said, kept so that the next one can say what changed."""

import json
from collections.abc import Mapping
from dataclasses import replace

import blade_pipeline
from blade_pipeline.gym.file_names import shown_files
from blade_pipeline.reporting.inputs import Json, ReportInputs
from blade_pipeline.reporting.metrics import metrics
from blade_pipeline.reporting.numbers import finite
from blade_pipeline.reporting.text import published
from blade_pipeline.reporting.view.summary import verdict


def with_previous(inputs: ReportInputs, code: str, read: Mapping[str, str], last: Json) -> ReportInputs:
    """The inputs with their own edition and the one to compare it with.

    ``code`` is a digest of the analysis' sources, ``read`` the data version of each artifact that the report is made
    from, ``last`` the document of the report that stands now, or nothing. A report made again from the same things is
    compared with the same edition as before, and so is the same.
    """
    edition = _edition(inputs, code, read)
    standing = last.get("edition")
    previous = last.get("previous") if standing == edition else standing
    return replace(inputs, edition=edition, previous=previous)


def _edition(inputs: ReportInputs, code: str, read: Mapping[str, str]) -> Json:
    files = inputs.manifest["files"]
    edition = {
        "version": blade_pipeline.__version__,
        "code": code,
        "read": dict(read),
        "files": {
            name: [file["size"], file.get("digest")] for name, file in zip(shown_files(files), files, strict=True)
        },
        "verdict": verdict(inputs),
        "baseline": inputs.comparison["baseline"],
        "metrics": metrics(inputs),
    }
    kept: Json = json.loads(json.dumps(published(finite(edition))))
    return kept
