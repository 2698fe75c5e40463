"""How the files of a run are named in a report: without the machines that wrote them."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from blade_pipeline.gym.public import HIDDEN, redacted_parts

_BY_PROGRAMS = frozenset({"log", "other", "capture", "upload_spool", "exporter_state"})
"""Roles of files that a launcher or a server names, often after the machine it runs on."""

_NUMBERED = "rank|attempt|part|shard|step|retry|worker|task|repeat|seed|server|replica|run|job|stage|round|epoch|slurm"
_MACHINE = re.compile(
    r"(?i)(?<![a-z0-9])(?:(?:[a-z]+-)*(?:node|nid|host|dgx|hgx|gpu|cpu|compute|login|batch|pool\d*|ip|[abh]\d00|gb\d00)"
    rf"-?\d+|(?!(?:{_NUMBERED})\d)[a-z]+\d{{2,}})[a-z0-9]*(?:-[a-z]*\d+[a-z0-9]*)*(?![a-z0-9])"
)
_ADDRESS = re.compile(r"(?i)(?<![a-z0-9])https?[:_-].*?(?=\.[a-z]+$|$)")
"""An address whose slashes became other signs, as a file's name cannot hold them."""


def shown_files(files: Sequence[dict[str, Any]]) -> list[str]:
    """Names of files of the manifest (``name`` and ``role`` of each), in order and distinct."""
    seen: Counter[str] = Counter()
    names = []
    for file in files:
        name = _shown(file["name"], file["role"])
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return names


def _shown(name: str, role: str) -> str:
    parts = [redacted_parts(part) if part.strip(".") else part for part in name.split("/")]
    if role in _BY_PROGRAMS:
        parts[-1] = _MACHINE.sub(HIDDEN, _ADDRESS.sub(HIDDEN, parts[-1]))
    return "/".join(parts)
