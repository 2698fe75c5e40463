"""The run manifest: where every value that a comparison needs comes from, or that it is unknown."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.aggregate import ROLES as AGGREGATES
from blade_pipeline.gym.aggregate import read_aggregates
from blade_pipeline.gym.chat_template import chat_template
from blade_pipeline.gym.config import Value, read_configs
from blade_pipeline.gym.content import short_digest
from blade_pipeline.gym.evidence import content_values, row_values_of_run
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.health import older_than_rows
from blade_pipeline.gym.public import hidden_reason, image_reason, redacted, shown
from blade_pipeline.gym.serving import serving_values
from blade_pipeline.gym.settings import setting_values

KEYS = tuple(
    "gym_version scoring_commit submitter_commit driver_container image model checkpoint precision serving_engine "
    "serving_version reasoning_parser tool_call_parser parallelism gpu_type temperature top_p max_output_tokens "
    "context_limit reasoning_effort chat_template system_prompt system_role agent harness judge judge_prompt "
    "judge_sampling user_simulator tools timeout max_turns repeats dataset dataset_license redaction_limits split "
    "limit prompt_config count_failures_as_zero count_missing_as_zero route_failures_to_sidecar started_at "
    "finished_at".split()
)
"""Keys of ``values``, all always present."""

NOT_STATED = Value(None, None, "no file of a run records it, and the benchmark's profile does not state it")

_IMAGES = frozenset({"image", "driver_container", "serving_version", "started_at", "finished_at"})
_LONG = 280
_NUMBERS = ("temperature", "top_p", "max_output_tokens", "model", "reasoning_effort")

Finding = dict[str, str]


def read_manifest(
    run: RunDirectory, rows: pa.Table, expected: pa.Table, stated: Mapping[str, tuple[str, str]] | None = None
) -> dict[str, Any]:
    """The manifest of a run from its files, its ``RAW_ROLLOUTS`` rows and its ``EXPECTED_ROLLOUTS``.

    Returns:
        ``{"benchmark", "run", "layout", "original_names", "files", "values", "aggregates", "findings"}``. Each value
        is ``{"value", "source", "reason"}``, and ``several`` where the rows hold a few values: what the rows agree on
        wins over the inputs, those over the configs; a
        masked or unresolved value is unknown with its reason. Only named keys are read from configs; texts that
        look like an address or a secret are not shown. ``stated`` are values that no file of a run records and the team
    may state, each with where it stands. ``aggregates`` is what ``read_aggregates`` returns.

    Raises:
        BladeError: a file cannot be read.
    """
    configs = read_configs(run)
    from_rows, findings = row_values_of_run(rows)
    served = serving_values(configs)
    template = chat_template(served.pop("chat_template", None), configs.gym, from_rows.pop("chat_template", None))
    inputs = run.having("materialized_inputs")
    from_content = content_values(rows, expected, inputs[0].path.name if inputs else "")
    declared = {"model": Value(run.model, "run.yaml model")} if run.model else {}
    sources = [
        from_rows,
        from_content,
        declared,
        setting_values(configs, run.original_benchmark),
        served | ({"chat_template": template} if template else {}),
        {"redaction_limits": NOT_STATED} | {key: Value(*told) for key, told in (stated or {}).items()},
    ]
    values = {key: _public(key, _choose([source[key] for source in sources if key in source])) for key in KEYS}
    findings += _contradictions(sources)
    findings += [{"kind": "unreadable config", "detail": f"{problem}."} for problem in configs.problems]
    return {
        "benchmark": run.benchmark,
        "run": run.run,
        "layout": run.layout,
        "original_names": {"benchmark": run.original_benchmark, "run": run.original_run},
        "files": _files(run),
        "values": {key: _entry(value) for key, value in values.items()},
        "aggregates": read_aggregates(run),
        "findings": [_finding(found["kind"], found["detail"]) for found in findings + _file_findings(run)],
    }


def _choose(candidates: list[Value]) -> Value:
    """The first known value, unless a source before it spoke with several voices; else the first reason."""
    for value in candidates:
        if value.value is not None or value.final:
            return value
    return candidates[0] if candidates else Value(None, None, "no file of the run records it")


def _public(key: str, value: Value) -> Value:
    if not isinstance(value.value, str):
        return value
    reason = image_reason(value.value) if key in _IMAGES else hidden_reason(value.value)
    if reason is not None:
        return Value(None, value.source, reason)
    return value if key in _IMAGES else value._replace(value=_distinguished(value.value))


def _distinguished(text: str) -> str:
    """A text as it is shown; one that is too long ends in its digest, so that another of one beginning differs."""
    if len(text) <= _LONG:
        return shown(text)
    return f"{shown(text)[:_LONG]}, digest {short_digest(text)}"


def _contradictions(sources: list[dict[str, Value]]) -> list[Finding]:
    """Values of which the rows say one thing and a file another."""
    found = []
    for key in _NUMBERS:
        known = [source[key] for source in sources if key in source and source[key].value is not None]
        for other in known[1:]:
            if other.value != known[0].value:
                words = key.replace("_", " ")
                first, second = _public(key, known[0]), _public(key, other)
                detail = f"{first.source} says {first.value}, {second.source} says {second.value}."
                found.append({"kind": f"two sources differ on {words}", "detail": detail})
                break
    return found


def _file_findings(run: RunDirectory) -> list[Finding]:
    found: list[Finding] = []
    names = {shard.name for shard in run.rollouts}
    if not run.rollouts and (profiles := run.having("reward_profiling")):
        listed = ", ".join(file.path.name for file in profiles)
        found.append(_finding("scored from a reward profile", f"No rollouts file; rewards come from {listed}."))
    for file in run.having("reverified"):
        use = "its rewards are used" if file.path.name in names else "it is left out"
        found.append(_finding("re-verified rewards", f"{file.path.name} holds forced re-verifications; {use}."))
    if len(run.rollouts) > 1:
        found.append(_finding("several shards", f"{len(run.rollouts)} rollouts files: {', '.join(sorted(names))}."))
    derived = run.having(*AGGREGATES, "repeat_level_metrics", "reward_profiling")
    stale = [sentence for file in derived if (sentence := older_than_rows(run, file))]
    return found + [_finding("stale aggregate", f"{sentence}.") for sentence in stale]


def _finding(kind: str, detail: str) -> Finding:
    return {"kind": kind, "detail": redacted(detail)}


def _entry(value: Value) -> dict[str, Any]:
    source, reason = (None if text is None else redacted(text) for text in (value.source, value.reason))
    entry = {"value": value.value, "source": source, "reason": reason}
    several = [
        {"value": shown(found) if isinstance(found, str) else found, "rows": rows}
        for found, rows in value.several
        if not isinstance(found, str) or hidden_reason(found) is None
    ]
    return entry | {"several": several} if len(several) > 1 and len(several) == len(value.several) else entry


def _files(run: RunDirectory) -> list[dict[str, Any]]:
    return sorted(
        ({"role": file.role, "name": run.relative(file.path), "size": file.size} for file in run.files),
        key=lambda file: str(file["name"]),
    )
