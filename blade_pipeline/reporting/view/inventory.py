"""Artifact Inventory: what was there, what it says about the run, and what its absence leaves open."""

from collections.abc import Iterator

from blade_pipeline.gym.file_names import shown_files
from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Fold,
    Heading,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    listed,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import plural, size
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.evidence import Evidence

SHOWN_FILES = 30
MINOR = ("other", "log", "capture", "upload_spool", "exporter_state")
FIRST = ("model", "agent", "dataset", "gym_version", "scoring_commit", "temperature", "max_output_tokens", "repeats")
"""The values that a reader looks for first."""


def artifact_inventory(evidence: Evidence) -> list[Block]:
    """Files, manifest values and the list of claims that cannot be supported."""
    return [*_files(evidence), *_values(evidence.inputs.manifest), *_absences(evidence)]


def _files(evidence: Evidence) -> list[Block]:
    files = evidence.inputs.manifest["files"]
    if not files:
        return [absent("any statement about this run. Its directory holds no file that this analysis knows.")]
    ranked = sorted(files, key=lambda file: file["role"] in MINOR)[:SHOWN_FILES]
    rows = [
        cells(code(name), clean(file["role"]).replace("_", " "), size(file["size"]))
        for name, file in zip(shown_files(ranked), ranked, strict=True)
    ]
    return [
        table(_files_caption(len(ranked), len(files)), "File | Role | Size", rows, numeric="Size"),
        *_of_values(evidence),
    ]


def _of_values(evidence: Evidence) -> Iterator[Block]:
    """Findings of the manifest that the accounting does not name."""
    named = {found["kind"] for found in evidence.inputs.coverage["findings"]}
    for found in evidence.inputs.manifest["findings"]:
        if found["kind"] not in named:
            yield Paragraph(quoted(found["detail"]), "warn")


def _files_caption(shown: int, total: int) -> str:
    files = plural(total, "file")
    return f"{files} in the run directory" if shown == total else f"{shown} of {files} in the run directory"


def _values(manifest: Json) -> list[Block]:
    values = manifest["values"]
    known = sorted(key for key, entry in values.items() if entry["value"] is not None)
    unknown = sorted(key for key in values if key not in known)
    ordered = [key for key in FIRST if key in known] + [key for key in known if key not in FIRST]
    rows = [cells(code(key), code(values[key]["value"]), quoted(values[key]["source"] or "")) for key in ordered]
    blocks: list[Block] = []
    if rows:
        caption = f"{len(known)} of {len(values)} properties of the run are known"
        blocks.append(table(caption, "Property | Value | Read from", rows))
    if unknown:
        caption = f"{len(unknown)} of {len(values)} properties are unknown"
        blocks.append(Fold(caption, (Bullets(tuple(_unknown(values, unknown))),)))
    return blocks


def _unknown(values: Json, unknown: list[str]) -> Iterator[Text]:
    by_reason: dict[str, list[str]] = {}
    for key in unknown:
        by_reason.setdefault(values[key]["reason"] or "not recorded", []).append(key)
    for reason, keys in sorted(by_reason.items()):
        yield say("unknown: ", quoted(reason), ": ", listed([code(key) for key in keys]))


def _absences(evidence: Evidence) -> list[Block]:
    sentences = absences(evidence)
    if not sentences:
        return []
    heading = Heading(say("What the absent artifacts leave open"))
    return [heading, Bullets(tuple(say("Cannot be supported: ", sentence) for sentence in sentences))]


def absences(evidence: Evidence) -> list[str]:
    """One sentence per kind of claim that the artifacts cannot carry."""
    roles, inputs = evidence.roles, evidence.inputs
    sentences = {
        "coverage. No materialized inputs say which rollouts were expected.": not evidence.expected_known,
        "consistency, retry value and the variance between repeats. Each task ran once.": evidence.repeats == 1,
        "why rollouts are missing. There is no failures sidecar.": not _has(roles, "failures"),
        "how the run was made (sampling, limits, prompts). There is no resolved configuration.": not _has(
            roles, "config"
        ),
        "agreement with NeMo Gym's own aggregate. There is no aggregate metrics file.": not _has(roles, "aggregate"),
        "what passing and failing rollouts did differently. The rows hold no trajectory.": not evidence.has_steps,
        "a comparison with a published score. The benchmark has no reference file.": not inputs.comparison[
            "references"
        ],
    }
    return [sentence for sentence, is_open in sentences.items() if is_open]


def _has(roles: set[str], word: str) -> bool:
    return any(word in role for role in roles)
