"""No command lets a name or text of a run steer the terminal, or look like a line of the program."""

import json
import shutil
import unicodedata
from pathlib import Path

import pytest

from blade_pipeline.gym.naming import safe_name
from blade_pipeline_tests.analysed import analysed
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.hostile import EVIL, FOLDERS, write_hostile

pytestmark = pytest.mark.long

BENCHMARK, RUN, OTHER = map(safe_name, FOLDERS)
IDS = "select distinct dataset_id from raw_rollouts where dataset_id is not null"
STEERS = "\x1b[2J\x9b31m\u202e\nblade: done"
COMMANDS = [
    ["runs", "runs"],
    ["doctor", "runs"],
    ["show", BENCHMARK, RUN],
    ["compare", BENCHMARK, RUN, OTHER],
    ["triage", BENCHMARK, OTHER, "--reference", EVIL[11]],
    ["worklist", BENCHMARK, RUN, "--limit", "50"],
    ["plan", BENCHMARK, RUN],
    ["verify", f"store/reports/{BENCHMARK}/{RUN}/report.md", BENCHMARK, RUN],
    ["package", BENCHMARK, "--out", "package"],
    ["forget", BENCHMARK, RUN, "--dry-run"],
    ["sql"],
    ["sql", "select * from raw_rollouts"],
    ["sql", "select * from documents"],
]
REFUSED = [
    ["sql", f"select 1 as {STEERS}"],
    ["show", BENCHMARK, STEERS],
    ["triage", BENCHMARK, OTHER, "--reference", STEERS],
    ["analyze", "runs", "--run", STEERS],
    ["runs", STEERS],
    [STEERS],
    ["show", f"--{STEERS}"],
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile benchmark, analysed: ``runs``, ``store`` and the team's folders."""
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile(folder / "runs", folder)
    return analysed(folder)


@pytest.fixture
def looking(blade: Blade, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> Blade:
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("BLADE_STORE", str(hostile / "store"))
    return blade


def steering(text: str) -> set[str]:
    """Signs that steer a terminal or hide, other than line breaks."""
    return {f"{ord(sign):04X}" for sign in set(text) - {"\n"} if unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp")}


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments)[:24])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["people", "programs"])
def test_nothing_steers_the_terminal(looking: Blade, arguments: list[str], form: list[str]) -> None:
    shutil.rmtree("package", ignore_errors=True)
    said = looking(*arguments, *form)
    assert said.code in (0, 1), said.err
    assert steering(said.out + said.err) == set()
    assert said.out != ""
    if form:
        json.loads(said.out)


@pytest.mark.parametrize("arguments", REFUSED, ids=lambda arguments: arguments[0][:8].strip())
def test_what_is_refused_is_told_on_one_line(looking: Blade, arguments: list[str]) -> None:
    said = looking(*arguments)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert steering(said.err) == set()


def test_escapes_of_json_are_the_texts_themselves(looking: Blade) -> None:
    found = looking("sql", IDS, "--json").json
    assert {json.loads(row["dataset_id"]) for row in found["rows"]} == set(EVIL)


def test_a_row_of_a_table_is_a_line(looking: Blade) -> None:
    said = looking("sql", IDS)
    assert len(said.out.splitlines()) == 1 + len(EVIL)
    assert len(looking("runs", "runs").out.splitlines()) == 3
