"""Runs of graded scores, none of which reaches the pass mark, where a user meets them.

Six tasks of two repeats. In the first run task t scores 0.2 + 0.1 t and 0.1 less in its second repeat, so that the
tasks have means of 0.15 to 0.65 and the run 0.4; the second run scores 0.2 more everywhere. The second repeats of tasks
0 and 1 were cut at the output limit: without them these tasks would have 0.05 more each.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from blade_pipeline_tests.analysed import analysed
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.method.chain import planned, rollout, write_run

pytestmark = pytest.mark.long

Ask = Callable[..., str]
CUT = {
    "id": "cut",
    "model": "m",
    "output": [],
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graded")
    cells = [(task, repeat) for task in range(6) for repeat in range(2)]
    for name, more in (("first", 0.0), ("second", 0.2)):
        rows = []
        for task, repeat in cells:
            row = rollout(task, repeat, round(0.2 + 0.1 * task - 0.1 * repeat + more, 1))
            row["response"] = CUT if repeat and task < 2 else row["response"] | {"output_text": f"{task} {repeat}"}
            rows.append(row)
        write_run(folder / "runs" / "grades" / name, rows, [planned(*cell) for cell in cells])
    return analysed(folder)


@pytest.fixture
def ask(blade: Blade, place: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setenv("BLADE_STORE", str(place / "store"))

    def asked(*arguments: str) -> str:
        said = blade(*arguments)
        assert said.code == 0, said.err
        return said.out

    return asked


def test_the_commands_tell_the_mean_score_first(ask: Ask, place: Path) -> None:
    table = ask("analyze", str(place / "runs"))
    assert re.search(r"coverage +mean score +pass@1 +interval", table)
    assert re.search(r"first +100.0% +0.400 \(0\.\d+ to 0\.\d+\) +0.0%", table)
    [first, second] = json.loads(ask("analyze", str(place / "runs"), "--json"))["runs"]
    assert (first["headline_metric"], first["mean_reward"]) == ("mean_reward", pytest.approx(0.4))
    assert first["mean_reward_low"] < 0.4 < first["mean_reward_high"] and second["mean_reward"] == pytest.approx(0.6)
    shown = ask("show", "grades", "first")
    assert shown.splitlines()[1].startswith("mean score 0.400 (")
    assert "tasks: 6 of 6 always fail" in shown and re.search(r"output_limit +2 of 12 +2\n", shown)
    compared = ask("compare", "grades", "first", "second")
    assert "tasks by mean score: 6 gained, 0 lost, 0 tied" in compared
    assert "flips of passing alone: 0 gained, 0 lost, 6 unchanged" in compared
    assert re.search(r"0 +0.150 +0.350 +\+0.200", compared)
    assert ask("worklist", "grades", "first", "--limit", "1").startswith("1. task 2")


def test_the_pages_tell_the_mean_score(place: Path) -> None:
    reports = place / "store" / "reports" / "grades"
    page = (reports / "comparison.md").read_text()
    order = [line for line in page.splitlines() if line.startswith("| [")]
    assert [line.split("|")[3].strip() for line in order] == ["0.6", "0.4"]
    report = (reports / "second" / "report.md").read_text()
    assert "The mean scores of 6 measured tasks go from 0.35 to 0.85, with a median of 0.6." in report
    assert re.search(r"\| `0` \| never pass \| ff \| 0 of 2 \| 0.35 \| 0.15 \| \+0.2 \|", report)
    # Both cut rollouts left out: (0.05 + 0.05) / 6 more; both at 1: (0.7 / 2 + 0.6 / 2) / 6 more.
    cut = next(line for line in report.splitlines() if line.startswith("| `output_limit` | 0."))
    assert cut.startswith("| `output_limit` | 0.617 | +0.017 | 2 | 0 | +0.108 | 0.0% (0 of 6) | 0.35 (2 rollouts on 2")


def test_a_report_counts_passes_only_where_it_says_so(place: Path) -> None:
    report = (place / "store" / "reports" / "grades" / "first" / "report.md").read_text()
    # the better of two repeats that lie 0.1 apart: 0.05 above the mean of 0.4
    assert "| best of 2 | 0.45 | expected best score of 2 rollouts of a task, mean over 6 measured tasks |" in report
    assert "| retry gain | 0.05 |" in report and "| 2 | 0.45 | 6 of 6 |" in report
    assert "a rollout passes when its score reaches 1; 0 of 12 measured rollouts pass." in report
    # repeat 0: 0.2 to 0.7, mean 0.45; repeat 1: 0.1 less; deviation of six steps of 0.1: 0.1 sqrt(17.5 / 5) = 0.187
    assert "| 0 | 6 | 100.0% (6 of 6) | 0.45 | 0.187 |" in report
    assert "| 1 | 6 | 100.0% (6 of 6) | 0.35 | 0.187 |" in report
    assert "Passed of measured" not in report.partition("By repeat:")[2].partition("NeMo Gym's own")[0]
    # every task's second repeat scores less: ranks 2 1, so q = (2 - 1) (3^2 + 3^2) / (12 / 4) = 6, p = 0.014
    assert "| Friedman's test over repeats | 6 (p = 0.014) | 6 tasks with all usual repeats measured |" in report
    assert re.search(
        r"`output_limit`: 16.7% \(2 of 12 rollouts below the pass mark\), on 2 tasks\.( \[F\d+\])? "
        r"83.3% \(10 of 12 rollouts below the pass mark\) earned part of the score and show no symptom\.",
        report,
    )
    facts = report.partition("### Facts cited")[2].partition("The queries that")[0]
    assert "| One rollout of a task scores 0.4 on average, the best of 2 0.45. |" in facts
    assert "The mean scores of 6 tasks go from 0.15 to 0.65, with a median of 0.4." in facts
    assert "; 0 of 12 measured rollouts reach 1. |" in facts
    assert not re.search("pass@|chance of|never pass|passed", facts)
    second = (place / "store" / "reports" / "grades" / "second" / "report.md").read_text()
    assert "Tasks with a higher mean score: 6, lower: 0, the same: 0;" in second
    # .05 either side of each mean: t = .2/.0707 = 2 sqrt 2 with 2 df, p = 1 - 2/sqrt 5 for all
    assert "| `0` | 0.15 | 0.35 | +0.2 | p = 0.106 | q = 0.106 |" in second


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("| `0` | 0.15 | 0.35 | +0.2 | p = 0.106", "| `0` | 0.15 | 0.35 | +0.2 | p = 0.006"),
        ("higher mean score: 6, lower: 0", "higher mean score: 5, lower: 0"),
        ("| best of 2 | 0.65", "| best of 2 | 0.75"),
        ("on average, the best of 2 0.65", "on average, the best of 2 0.66"),
        ("100.0% (6 of 6) | 0.65", "100.0% (6 of 6) | 0.66"),
        ("measured tasks go from 0.35 to 0.85, with a", "measured tasks go from 0.35 to 0.75, with a"),
        ("| 0 of 2 | 0.35 | 0.15 | +0.2 |", "| 0 of 2 | 0.45 | 0.15 | +0.2 |"),
        ("| 0 of 2 | 0.35 | 0.15 | +0.2 |", "| 0 of 2 | 0.35 | 0.25 | +0.2 |"),
        ("| 0 of 2 | 0.35 | 0.15 | +0.2 |", "| 0 of 2 | 0.35 | 0.15 | +0.3 |"),
        ("| `output_limit` | 0.617 | +0.017", "| `output_limit` | 0.617 | +0.027"),
    ],
)
def test_one_wrong_figure_of_a_graded_report_is_found(
    blade: Blade, place: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str
) -> None:
    monkeypatch.setenv("BLADE_STORE", str(place / "store"))
    report = (place / "store" / "reports" / "grades" / "second" / "report.md").read_text()
    assert report.count(right) == 1
    planted = blade.folder / "report.md"
    planted.write_text(report.replace(right, wrong))
    assert blade("verify", str(planted), "grades", "second", "--json").json["counts"]["contradicted"] == 1


def test_the_edition_to_share_tells_the_mean_score_too(ask: Ask, place: Path) -> None:
    ask("analyze", str(place / "runs"), "--shareable")
    shared = place / "store" / "shareable" / "grades"
    report = (shared / "second" / "report.md").read_text().replace("\\", "")
    assert "The mean score is 0.6 over 6 tasks: scores are graded." in report
    assert "| output_limit | 0.617 | 0.017 | 2 | 0.108 |" in report
    assert "| BI | behaviour | 2 | 33.3% (2 of 6) | 0.108 |" in report
    page = (shared / "comparison.md").read_text()
    assert "Runs in order of mean score" in page
    assert [line.split("|")[3].strip() for line in page.splitlines() if line.startswith("| [")] == ["0.6", "0.4"]
