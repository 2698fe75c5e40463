"""Rollouts of a run that kept only its reward profile: one row per rollout info."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blade_pipeline.gym.lines import Line, read_lines
from blade_pipeline.gym.values import canonical_bytes, mapping

_USAGE = frozenset({"input_tokens", "output_tokens", "total_tokens", "prompt_tokens", "completion_tokens"})


def profiled_lines(path: Path) -> Iterator[Line]:
    """One line per entry of every ``rollout_infos``, at the place of the profile's line that holds it.

    The entry's task comes from the profile's ``sample``; lines without entries keep their own class or, when they
    parse, become ``not_object``: they hold no rollout.

    Raises:
        BladeError: the file cannot be read.
    """
    for line in read_lines(path):
        infos = None if line.row is None else line.row.get("rollout_infos")
        entries = [info for info in infos if isinstance(info, dict)] if isinstance(infos, list) else []
        if line.row is None:
            yield line
        elif not entries:
            yield line._replace(line_class="not_object", row=None)
        for info in entries:
            row = _rollout_row(line.row or {}, info)
            yield line._replace(row=row, raw=canonical_bytes(row))


def _rollout_row(profile: dict[str, Any], info: dict[str, Any]) -> dict[str, Any]:
    """A rollout row as the collector would have written it, as far as the profile tells."""
    sample = mapping(profile.get("sample"))
    usage = info.get("usage")
    if not isinstance(usage, dict):
        usage = {name: info[name] for name in _USAGE if name in info}
    row = {**sample, **{name: value for name, value in info.items() if name not in ("usage", "rollout_id")}}
    row.setdefault("_ng_task_index", profile.get("_ng_task_index"))
    if usage:
        row["response"] = {"usage": usage}
    return row
