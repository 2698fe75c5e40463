"""Sixty-three private strings in every field of a run directory: none leaves the team, none is logged."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from blade_pipeline.models import Shareable
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.sharing.canaries import cores, draw
from blade_pipeline_tests.sharing.planted import BENCHMARK, Planter, write_run, write_team

TEXTS = list(Shareable.__args__)


@pytest.fixture
def canaries() -> tuple[int, dict[str, list[str]]]:
    """A fresh seed and what it draws."""
    seed = random.SystemRandom().randrange(2**32)
    return seed, draw(random.Random(seed))


def leaks(content: bytes, canaries: dict[str, list[str]]) -> list[str]:
    """Kinds of the strings that some content holds, plain or with JSON's or a name's escapes."""
    text = content.decode("utf-8", "replace").lower()
    flat = _flat(text)
    parts = [(kind, core) for kind, strings in canaries.items() for string in strings for core in cores(kind, string)]
    return [kind for kind, core in parts if core.lower() in text or (kind == "codename" and _flat(core) in flat)]


def _flat(text: str) -> str:
    return re.sub(r"[-_.\s\\/]+", "", text.lower())


def everything_said(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Files of the shareable folder and the team's own reports with their names, Dagster's own files, and logs."""
    for path in sorted((folder / "store/reports").rglob("*")):
        yield str(path), path.name.encode() + (path.read_bytes() if path.is_file() else b"")
    for path in sorted((folder / "store/shareable").rglob("*")):
        yield str(path), path.name.encode() + (path.read_bytes() if path.is_file() else b"")
    for path in sorted((folder / "store/.dagster").rglob("*")):
        if path.is_file():
            yield str(path), path.read_bytes()


@pytest.mark.parametrize("texts", [[], TEXTS], ids=["nothing let out", "every text let out"])
def test_no_planted_string_leaves_or_is_logged(
    blade: Blade, canaries: tuple[int, dict[str, list[str]]], texts: list[str]
) -> None:
    seed, drawn = canaries
    strings = [string for strings in drawn.values() for string in strings]
    random.Random(seed).shuffle(strings)
    plant = Planter(strings)
    assert len(plant.texts) == 63
    write_run(blade.folder / f"runs/{BENCHMARK}/first", plant, [1.0, 0.0, 0.0])
    write_run(blade.folder / f"runs/{BENCHMARK}/second", plant, [0.0, 1.0, 1.0, None])
    write_team(blade.folder, plant, "first", drawn["codename"], texts)
    assert plant.used == set(plant.texts)
    raw = (blade.folder / f"runs/{BENCHMARK}/first/rollouts.jsonl").read_bytes()
    assert set(leaks(raw, drawn)) == set(drawn)
    options = [f"--{name}" for name in ("profiles", "references", "labels")]
    said = blade("analyze", "runs", "--store", "store", "--shareable", *(x for o in options for x in (o, o[2:])))
    assert said.code == 0, f"seed {seed}: {said.err}"
    places = [("stdout", said.out.encode()), ("stderr", said.err.encode()), *everything_said(blade.folder)]
    assert any(b"shareable_report" in content for name, content in places if name.endswith("index.db"))
    found = {name: kinds for name, content in places if (kinds := _unexpected(name, leaks(content, drawn)))}
    assert found == {}, f"seed {seed}"
    metrics = json.loads((blade.folder / f"store/shareable/{BENCHMARK}/first/metrics.json").read_text())
    assert (metrics["num_rollouts"], metrics["passed_rollouts"], metrics["num_tasks"]) == (12, 4, 6)


def _unexpected(place: str, kinds: list[str]) -> list[str]:
    """Dagster shows the names of modes, agents and slices as they are, as the team's own reports do."""
    return [kind for kind in kinds if kind != "codename" or "store/shareable" in place]
