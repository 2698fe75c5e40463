"""The example's files, read with nothing but ``json``: no code of the product takes part in the reading."""

import json
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.example import write_example

Json = dict[str, Any]


def lines_of(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def truth_of(root: Path) -> Json:
    document: Json = json.loads((root / "truth.json").read_text(encoding="utf-8"))
    return document


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve tasks, four repeats, three models, the default seed."""
    root = tmp_path_factory.mktemp("small")
    write_example(root, tasks=12)
    return root


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six hundred tasks, two repeats, three models: enough to see the process in the frequencies."""
    root = tmp_path_factory.mktemp("large")
    write_example(root, tasks=600, repeats=2, seed=3)
    return root
