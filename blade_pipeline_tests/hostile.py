"""Run directories whose every name and text tries to be more than text."""

import json
import os
from pathlib import Path
from typing import Any

import yaml

from blade_pipeline.gym.naming import safe_name

STRUCK = "window.struck=1"
EVIL = (
    f"<script>{STRUCK}</script>",
    f"<img src=x onerror={STRUCK}>",
    f"\"'><svg onload={STRUCK}>",
    f"[click](javascript:{STRUCK})",
    f"![i](x onerror={STRUCK})",
    f"```\n</code></pre><img src=x onerror={STRUCK}>",
    f"| a | b |\n|---|---|\n| <b onmouseover={STRUCK}> |",
    "{{7*7}}{% raw %}${7*7}",
    "'; drop table aligned_samples; --",
    f'{{"expr": "{STRUCK}", "$schema": "vega"}}',
    "=cmd|'/c calc'!A1",
    "\x1b[2J\x1b]0;gotcha\x07\x9b31m",
    "\u202egnp.exe\u2066\u200b",
    "[bold red]markup[/] [link=file:///etc/passwd]x[/link]",
)
"""HTML, Markdown, templates, SQL, Vega, a formula, terminal escapes, direction overrides, markup of a terminal."""

FOLDERS = (
    "b<img src=x onerror=window.struck=1>=1+1",
    "m\x1b[31m\u202e|{{7*7}} ..",
    "m2\n[link](javascript:window.struck=1)",
)
"""A benchmark and two runs as folders are named."""


def write_hostile(runs: Path, team: Path) -> None:
    """Two runs of a benchmark below ``runs``; ``profiles``, ``references`` and ``labels`` of it below ``team``."""
    benchmark, *names = FOLDERS
    for number, run in enumerate(names):
        place = runs / benchmark / run
        place.mkdir(parents=True)
        _write(place, number)
    own, other = map(safe_name, names)
    for file, content in _written_by_the_team(safe_name(benchmark), own, other).items():
        (team / file).parent.mkdir(parents=True)
        (team / file).write_text(yaml.safe_dump(content))


def _written_by_the_team(benchmark: str, baseline: str, run: str) -> dict[str, Any]:
    modes = [
        {"code": evil, "when": f"task = '{number}'", "severity": 1, "root_cause": "KG", "note": evil}
        for number, evil in enumerate(EVIL)
    ]
    return {
        f"profiles/{benchmark}.yaml": {
            "slices": ["category"],
            "baseline_run": baseline,
            "redaction_limits": " ".join(EVIL),
            "funnel": [{"phase": evil, "when": "passed or task <> '1'"} for evil in EVIL],
            "failure_modes": modes,
        },
        f"references/{benchmark}.yaml": [
            {"name": evil, "score": 0.7, "source": evil, "config": {evil: evil}} for evil in EVIL
        ],
        f"labels/{benchmark}/{run}.yaml": [
            {"task": task, "root_cause": "KG", "behaviour": evil, "note": evil, "analyst": evil}
            for task, evil in enumerate(EVIL)
        ],
    }


def _write(place: Path, number: int) -> None:
    rows = [_row(task, repeat, number) for task in range(len(EVIL)) for repeat in range(2)]
    inputs = [{key: row[key] for key in _PLANNED} for row in rows]
    files = {"rollouts": [row for row in rows if row["reward"] is not None], "rollouts_materialized_inputs": inputs}
    for name, lines in files.items():
        (place / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (place / f"rollouts_{EVIL[1]}.jsonl").write_text("{}\n")
    config = {"policy_model": {"responses_api_models": {EVIL[1]: {"model": EVIL[0], "note": EVIL[11]}}}}
    (place / "rollouts_config.yaml").write_text(yaml.safe_dump(config))
    for path in place.iterdir():
        os.utime(path, (_LONG_AGO, _LONG_AGO))


_LONG_AGO = 1_700_000_000
_PLANNED = ("_ng_task_index", "_ng_rollout_index", "task_id", "category", "agent_ref", "responses_create_params")


def _row(task: int, repeat: int, number: int) -> dict[str, Any]:
    evil, other = EVIL[task], EVIL[(task + repeat + number) % len(EVIL)]
    call = {"type": "function_call", "name": other, "arguments": evil, "call_id": "c"}
    out = {"type": "function_call_output", "call_id": "c", "output": f"Error: {other}"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": evil}]}
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "task_id": evil,
        "category": other,
        "agent_ref": {"name": EVIL[1 + number]},
        "reward": [1.0, 0.0, float(repeat), None][(task + number * repeat) % 4],
        "responses_create_params": {"input": [{"role": "user", "content": f"{evil} {task}"}]},
        "response": {"model": EVIL[11], "output": [call, out, said], "incomplete_details": {"reason": other}},
        "verifier_message": other,
        "error": evil,
        other: evil,
    }
