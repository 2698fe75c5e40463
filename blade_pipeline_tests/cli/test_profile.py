"""``blade profile``: a draft that can be used as it stands."""

from pathlib import Path

import pytest

from blade_pipeline.method.profiles import load_profile
from blade_pipeline_tests.cli.conftest import Blade

pytestmark = pytest.mark.long


@pytest.fixture
def drafting(blade: Blade, example: Path, monkeypatch: pytest.MonkeyPatch) -> Blade:
    monkeypatch.setenv("BLADE_STORE", str(example / "store"))
    return blade


@pytest.mark.parametrize("benchmark", ["ledger_math", "shop_tools"])
def test_a_draft_loads_and_an_analysis_with_it_has_the_same_scores(
    drafting: Blade, example: Path, benchmark: str
) -> None:
    said = drafting("profile", benchmark)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"# {benchmark}: drafted by blade profile from its analysed runs (")
    profiles = drafting.folder / "profiles"
    profiles.mkdir()
    (profiles / f"{benchmark}.yaml").write_text(said.out)
    assert load_profile(profiles, benchmark)["present"] is True
    options = ("--profiles", "profiles", "--benchmark", benchmark, "--json")
    drafted = drafting("analyze", str(example / "runs"), "--store", "drafted", *options)
    assert drafted.code == 0
    without = [drafting("show", benchmark, run["run"], "--json").json for run in drafted.json["runs"]]
    shown = ("pass_at_1", "coverage")
    assert [[run[name] for name in shown] for run in drafted.json["runs"]] == [
        [run[name] for name in shown] for run in without
    ]
    assert len(without) == 2


def test_a_file_is_written_only_where_none_is(drafting: Blade) -> None:
    said = drafting("profile", "ledger_math", "--out", "drafts/ledger_math.yaml")
    assert (said.code, said.out) == (0, "")
    path = drafting.folder / "drafts" / "ledger_math.yaml"
    assert path.read_text().startswith("# ledger_math: ")
    path.write_text("score: mine\n")
    said = drafting("profile", "ledger_math", "--out", "drafts/ledger_math.yaml")
    assert (said.code, path.read_text()) == (2, "score: mine\n")
    assert said.err == "blade: drafts/ledger_math.yaml is there already; name another file, or remove it.\n"


def test_an_unknown_benchmark_is_wrong_usage(drafting: Blade) -> None:
    said = drafting("profile", "ledger_maths")
    assert (said.code, said.out) == (2, "")
    assert "did you mean ledger_math?" in said.err
    assert drafting("profile", "ledger_math", "--store", "nowhere").code == 2
