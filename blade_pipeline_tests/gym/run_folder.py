"""Writes small run directories for the reader's tests."""

import json
from pathlib import Path
from typing import Any

from blade_pipeline.gym import RunDirectory, discover

Row = dict[str, Any]


def rollout(task: Any, repeat: Any, reward: Any, **extra: Any) -> Row:
    """One line of rollouts.jsonl."""
    row = {"_ng_task_index": task, "_ng_rollout_index": repeat, "reward": reward, "response": answer("done")}
    return row | extra


def answer(text: str, **fields: Any) -> Row:
    """A response with one assistant message."""
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {"model": "m", "output": [message], **fields}


def jsonl(*rows: Any) -> bytes:
    """Lines of JSON; bytes are taken as they are."""
    return b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)


def write_run(folder: Path, rollouts: bytes | None = None, **files: Any) -> RunDirectory:
    """The run ``sums/night`` below ``folder`` with ``rollouts.jsonl`` and siblings.

    A keyword ``failures`` becomes ``rollouts_failures.jsonl`` and so on; other names are given with their ending as
    ``{"name": content}`` under ``others``.
    """
    path = folder / "sums" / "night"
    path.mkdir(parents=True, exist_ok=True)
    named = {"rollouts.jsonl": rollouts} if rollouts is not None else {}
    named |= files.pop("others", {})
    named |= {f"rollouts_{role}.jsonl": content for role, content in files.items()}
    for name, content in named.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return only_run(folder)


def only_run(folder: Path) -> RunDirectory:
    """The one run below a folder, found without a problem."""
    found = discover(folder)
    assert found.problems == []
    [run] = found.runs
    return run
