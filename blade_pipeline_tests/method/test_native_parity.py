"""The numbers that our pipeline publishes as native, against what NeMo Gym 0.7.0 computed from the same files."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.gym import discover, read_expected, read_failures, read_health, read_rollouts
from blade_pipeline.method.align import align
from blade_pipeline.method.scores import scores
from blade_pipeline.models import Profile


def native_of(run: Any) -> dict[str, dict[str, Any]]:
    profile = Profile(answer_key="extracted_answer") if run.benchmark == "synthetic" else Profile()
    rows = read_rollouts(run)
    health = read_health(run, rows.num_rows)
    aligned = align(read_expected(run), rows, read_failures(run), health, profile)
    return {name: agent["native"] for name, agent in scores(aligned, rows, profile)[1]["agents"].items()}


def differences(found: Any, peer: Any, path: str = "") -> list[str]:
    if isinstance(peer, dict):
        return [text for key in peer for text in differences((found or {}).get(key), peer[key], f"{path}.{key}")]
    if isinstance(peer, list):
        pairs = zip(found or [], peer, strict=False)
        wrong = [text for i, (x, y) in enumerate(pairs) for text in differences(x, y, f"{path}[{i}]")]
        return wrong + ([] if len(found or []) == len(peer) else [f"{path}: {found} against {peer}"])
    if isinstance(peer, float) and isinstance(found, int | float):
        return [] if math.isclose(found, peer, rel_tol=1e-9, abs_tol=1e-9) else [f"{path}: {found} against {peer}"]
    return [] if found == peer else [f"{path}: {found} against {peer}"]


def count(value: Any) -> int:
    if isinstance(value, dict):
        return sum(count(item) for item in value.values())
    return sum(count(item) for item in value) if isinstance(value, list) else 1


@pytest.mark.parametrize("block", ["aggregate", "pass_majority"])
def test_every_number_of_the_peer_is_ours(shared: Path, block: str, capsys: pytest.CaptureFixture[str]) -> None:
    runs = {(run.benchmark, run.run): run for run in discover(shared / "corpus" / "runs").runs}
    files = numbers = answered = 0
    wrong: list[str] = []
    for path in sorted((shared / "corpus" / "expected").glob("*.json")):
        expected = json.loads(path.read_text())
        peer = expected[block]
        if not peer["ok"]:
            continue
        answered += 1
        agents = native_of(runs[expected["benchmark"], expected["run"]])
        assert len(agents) == 1, f"{path.stem}: the corpus has one agent a file, found {list(agents)}"
        metrics = peer["agent_metrics"] if block == "aggregate" else peer["metrics"]
        wrong += [f"{path.stem}{text}" for text in differences(next(iter(agents.values())), metrics)]
        files, numbers = files + 1, numbers + count(metrics)
    with capsys.disabled():
        print(f"\n{block}: {files} of {answered} answered files and {numbers} numbers compared")
    assert not wrong, wrong[:10]
    assert files == answered > 0
