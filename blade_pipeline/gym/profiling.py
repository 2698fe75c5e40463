"""Rollouts of a run that kept only its reward profile: one row per rollout info, and how many were expected."""

from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.files import role_of
from blade_pipeline.gym.identity import IDENTITY_KEYS, REPEAT_KEYS, first_id
from blade_pipeline.gym.lines import Line, read_lines
from blade_pipeline.gym.values import canonical_bytes, integer, listed, mapping

EXPECTED = "profiled"
"""Class of the lines of ``expected_lines``."""

MOST_EXPECTED = 1_000_000
"""Rollouts of a run; a profile that expects more is not believed."""

_USAGE = frozenset({"input_tokens", "output_tokens", "total_tokens", "prompt_tokens", "completion_tokens"})


def profiled_lines(path: Path) -> Iterator[Line]:
    """One line per entry of every ``rollout_infos``, at the place of the profile's line that holds it.

    The entry's task comes from the profile's ``sample``; lines without entries keep their own class or, when they
    parse, become ``not_object``: they hold no rollout.

    Raises:
        BladeError: the file cannot be read.
    """
    for line in read_lines(path):
        entries = _infos(line.row or {})
        if line.row is None:
            yield line
        elif not entries:
            yield line._replace(line_class="not_object", row=None)
        for info in entries:
            row = _rollout_row(line.row or {}, info)
            yield line._replace(row=row, raw=canonical_bytes(row))


def expected_lines(paths: Sequence[Path]) -> Iterator[tuple[Path, Line]]:
    """One line of class ``EXPECTED`` per rollout that the profiles' ``expected_num_rollouts`` count, with its file.

    A line names the rollouts that left an info; the others take the lowest repeat indices that are free. Lines that
    do not parse keep their class. Nothing comes where one profiled task does not say how many were expected.

    Raises:
        BladeError: a file cannot be read.
    """
    counts = [integer(line.row.get("expected_num_rollouts")) for path in paths for line in read_lines(path) if line.row]
    known = [number for number in counts if number is not None and number >= 0]
    if len(known) < len(counts) or sum(known) > MOST_EXPECTED:
        return
    for path in paths:
        for line in read_lines(path):
            if line.row is None:
                yield path, line
            for row in _expected_rows(line.row or {}):
                yield path, line._replace(line_class=EXPECTED, row=row)


def profiled(table: pa.Table) -> bool:
    """Whether the rollouts of a table with a column ``file`` come from a reward profile."""
    return any(
        role_of(Path(name).name) == "reward_profiling" for name in pc.unique(table["file"].drop_null()).to_pylist()
    )


def _expected_rows(profile: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The task's own row once per expected rollout, with the keys that say which one it is."""
    infos = _infos(profile)
    task = {"_ng_task_index": profile.get("_ng_task_index")} | mapping(profile.get("sample"))
    for info in infos:
        yield task | {key: info[key] for key in IDENTITY_KEYS if key in info}
    used = {first_id(info, REPEAT_KEYS) for info in infos}
    free = (None if None in used else index for index in count() if str(index) not in used)
    for index in islice(free, max(0, (integer(profile.get("expected_num_rollouts")) or 0) - len(infos))):
        yield task | {"_ng_rollout_index": index}


def _infos(profile: dict[str, Any]) -> list[dict[str, Any]]:
    return [info for info in listed(profile.get("rollout_infos")) if isinstance(info, dict)]


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
