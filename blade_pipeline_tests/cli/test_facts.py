"""Every number of every anchor fact of the committed example comes out of the store by the fact's own query."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.assets.settings import Settings
from blade_pipeline.automation.analysis import analyse
from blade_pipeline.storage import Store
from blade_pipeline.storage.catalogue import Catalogue
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.facts import wrong_facts

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with the committed example analysed into it."""
    folder = tmp_path_factory.mktemp("data")
    names = ("runs", "store", "benchmarks", "references", "labels")
    for name in names:
        if name != "store":
            shutil.copytree(PROJECT / "data" / name, folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.chdir(folder)
        assert analyse(Settings(*(str(folder / name) for name in names))).errors == []
    return folder / "store"


def facts_of(store: Path) -> dict[str, list[dict[str, Any]]]:
    """The published facts of every run of a store."""
    files = sorted(store.glob("reports/*/*/anchor_facts.json"))
    return {"/".join(file.parts[-3:-1]): json.loads(file.read_text())["anchor_facts"] for file in files}


def test_every_query_gives_the_numbers_of_its_sentence(analysed: Path, record_property: Any) -> None:
    catalogue, found = Catalogue(Store(analysed)), facts_of(analysed)
    wrong = {run: sentences for run, facts in found.items() if (sentences := wrong_facts(facts, catalogue.query))}
    assert wrong == {}
    assert len(found) == 6
    record_property(
        "told", f"{sum(map(len, found.values()))} anchor facts of the example: each query gives its numbers"
    )


def test_the_command_runs_a_query_as_the_report_prints_it(analysed: Path, blade: Blade) -> None:
    fact = facts_of(analysed)["ledger_math/lumen-8b"][0]
    report = (analysed / "reports/ledger_math/lumen-8b/report.md").read_text()
    assert f"`{fact['evidence']['query']}`" in report
    said = blade("sql", fact["evidence"]["query"], "--store", str(analysed), "--json")
    assert said.code == 0
    assert said.json["rows"] == [fact["evidence"]["numbers"]]


def test_facts_name_their_run_and_come_hardest_first(analysed: Path) -> None:
    for run, facts in facts_of(analysed).items():
        benchmark, name = run.split("/")
        for fact in facts:
            assert f"benchmark = '{benchmark}' and run = '{name}'" in fact["evidence"]["query"]
        ranks = ["high medium low".split().index(fact["difficulty"]) for fact in facts]
        assert ranks == sorted(ranks)
