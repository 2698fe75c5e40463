"""``blade analyze`` over every real run directory: a whole report for each, and the peer's numbers in it."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.storage import Cell, Store
from blade_pipeline.storage.catalogue import Catalogue
from blade_pipeline_tests.facts import wrong_facts

pytestmark = pytest.mark.long

SECTIONS = [
    "Executive Summary", "Artifact Inventory", "Aggregate Results", "Workflow Funnel", "Task Outcome Buckets",
    "Dominant Failure Modes", "Sometimes-Pass Deep Dives", "Never-Pass Deep Dives", "Cross-Model Comparison",
    "Recommendations", "Reproducibility Notes",
]  # fmt: skip
FILES = {"report.md", "report.html", "metrics.json", "coverage.json", "comparability.json", "anchor_facts.json",
         "previous_metrics.json", "shallow.md"}  # fmt: skip


@dataclass(frozen=True)
class Corpus:
    expected: Path
    reports: Path
    call: Callable[[], "subprocess.CompletedProcess[str]"]
    first: "subprocess.CompletedProcess[str]"


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The corpus analysed once, with the profile under which the peer's numbers of the synthetic runs were made."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "profiles").mkdir()
    (folder / "profiles" / "synthetic.yaml").write_text("answer_key: extracted_answer\n")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("BLADE_", "DAGSTER_"))}

    def call() -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", "from blade_pipeline.cli import main; main()", "analyze"]
        command += [str(shared / "corpus" / "runs"), "--store", "store", "--profiles", "profiles"]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return Corpus(shared / "corpus" / "expected", folder / "store" / "reports", call, call())


def test_every_run_has_a_whole_report(corpus: Corpus, shared: Path, record_property: Any) -> None:
    assert corpus.first.returncode == 0, corpus.first.stderr
    runs = sorted(path.parent for path in (shared / "corpus" / "runs").glob("*/*/rollouts.jsonl"))
    for run in runs:
        folder = corpus.reports / run.parent.name / run.name
        assert {path.name for path in folder.iterdir()} == FILES, folder
        report = (folder / "report.md").read_text()
        found = [line.removeprefix("## ") for line in report.splitlines() if line.startswith("## ")]
        assert found == SECTIONS, folder
    assert len(runs) == 101
    record_property("told", f"{len(runs)} run directories have a whole report")


def test_a_second_call_recomputes_nothing(corpus: Corpus) -> None:
    again = corpus.call()
    assert again.returncode == 0
    assert "nothing changed: 101 reports are current" in again.stdout + again.stderr


class OneRun(Store):
    """A store that shows the artifacts of one run, so that a query over it need not read all the others."""

    def __init__(self, root: Path, every: dict[tuple[str, Cell], str], cell: Cell) -> None:
        super().__init__(root)
        self._mine = {key: path for key, path in every.items() if key[1] == cell}

    def artifacts(self) -> dict[tuple[str, Cell], str]:
        return self._mine


def test_every_query_of_every_fact_gives_the_numbers_of_its_sentence(corpus: Corpus, record_property: Any) -> None:
    every, told = Store(corpus.reports.parent).artifacts(), 0
    wrong: list[str] = []
    for path in sorted(corpus.reports.glob("*/*/anchor_facts.json")):
        facts = json.loads(path.read_text())["anchor_facts"]
        catalogue = Catalogue(OneRun(corpus.reports.parent, every, Cell(*path.parts[-3:-1])))
        wrong += wrong_facts(facts, catalogue.query)
        told += len(facts)
    assert wrong == []
    assert told > 300
    record_property("told", f"{told} anchor facts of the corpus: each query gives the numbers of its sentence")


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


@pytest.mark.parametrize(("block", "part"), [("aggregate", "agent_metrics"), ("pass_majority", "metrics")])
def test_every_number_of_the_peer_is_published(corpus: Corpus, block: str, part: str, record_property: Any) -> None:
    files = numbers = answered = 0
    wrong: list[str] = []
    for path in sorted(corpus.expected.glob("*.json")):
        expected = json.loads(path.read_text())
        if not expected[block]["ok"]:
            continue
        answered += 1
        published = corpus.reports / expected["benchmark"] / expected["run"] / "metrics.json"
        agents = json.loads(published.read_text())["agents"]
        assert len(agents) == 1, f"{path.stem}: the corpus has one agent a file, found {list(agents)}"
        peer = expected[block][part]
        wrong += [f"{path.stem}{text}" for text in differences(next(iter(agents.values()))["native"], peer)]
        files, numbers = files + 1, numbers + count(peer)
    record_property("told", f"peer's {block}: {files} of {answered} answered files and {numbers} numbers compared")
    assert not wrong, wrong[:10]
    assert files == answered > 0
