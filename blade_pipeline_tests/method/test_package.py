"""Package tools: the public helper's answers by hand arithmetic, and what strict adds."""

import json
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.package import (
    calibration,
    draft_facts,
    misses,
    readiness,
    score_report,
    shallow_baseline,
    validate_package,
)
from blade_pipeline.method.package.words import overlap, words

REPORT = """# R
## A
One task failed. The rollout log shows 3 of 4.

| a | b |
"""
FACTS = [{"id": "B1", "fact": "task rollout shows"}, {"id": "B2", "fact": "nothing matches verily"}]


def test_words_are_long_distinct_and_not_common() -> None:
    assert words("The Task_1 is the task_1 about an X9y, 12abc ab") == {"the", "task_1", "x9y", "abc"}
    assert overlap("task verifier", "a TASK here") == 0.5
    assert overlap("a of 12", "anything") == 0.0


def test_a_score_is_the_formula() -> None:
    # headings 1/8, figures 2/20, evidence words 3/20 (task, rollout, log), table lines 1/20, one of two facts met
    found = score_report(REPORT, REPORT, FACTS)
    assert found["checklist"] == {
        "score": 0.275,  # .2*.125 + .2*.1 + .2*.15 + .4*.5
        "structure": 0.125,
        "quantitative": 0.1,
        "evidence": 0.15,
        "anchor_coverage": 0.5,
    }
    # .2*.15 + .2*1 + .5*.5 + .1*.05
    assert found["holistic"] == {"normalized_score": 0.485, "golden_overlap": 1.0, "table_score": 0.05}
    assert found["final_score"] == 0.38
    assert [(hit["id"], hit["score"], hit["met"]) for hit in found["anchor_hits"]] == [
        ("B1", 1.0, True),
        ("B2", 0.0, False),
    ]


def test_a_fact_is_met_from_35_percent_of_its_words_on() -> None:
    twenty = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrst")
    seven, six = (" ".join(twenty.split()[:count]) for count in (7, 6))
    fact = [{"id": 1, "fact": twenty}]
    assert score_report(seven, "", fact)["anchor_hits"][0]["met"]
    assert not score_report(six, "", fact)["anchor_hits"][0]["met"]


def test_nothing_to_score_is_zero() -> None:
    assert score_report("", "", [])["final_score"] == 0.0


def test_calibration_asks_for_the_spread_and_strict_for_all_targets() -> None:
    found = calibration(REPORT, "", FACTS)
    assert found["summary"]["golden_vs_self"] == 0.38
    assert found["summary"]["spread"] == 0.38
    assert misses(found["summary"], 0.3) == []
    assert misses(found["summary"], 0.5) == ["The spread 0.38 is below 0.5."]
    assert misses(found["summary"], 0.3, strict=True) == [
        "The golden report scores 0.38 against itself, below 0.85.",
    ]


def test_a_made_up_figure_passes_words_and_not_strict() -> None:
    fact = [{"id": "B1", "fact": "The parser fails on 12 of 16 tasks because the verifier rejects the answer"}]
    right = "The parser fails on 12 of 16 tasks because the verifier rejects the answer."
    wrong = right.replace("12", "3")
    assert score_report(wrong, right, fact)["anchor_hits"][0]["met"]
    assert not score_report(wrong, right, fact, strict=True)["anchor_hits"][0]["met"]
    assert score_report(wrong, right, fact, strict=True)["anchor_hits"][0]["figures_absent"] == ["12"]
    assert score_report(right, right, fact, strict=True)["anchor_hits"][0]["met"]


def test_a_dump_of_vocabulary_passes_words_and_not_strict() -> None:
    fact = [{"id": "B1", "fact": "The parser fails on 12 tasks because the verifier rejects the final answer of it"}]
    dump = (
        "parser fails 12 tasks verifier rejects final answer rollout trajectory timeout compile error gap pattern the"
    )
    assert score_report(dump, dump, fact)["anchor_hits"][0]["met"]
    assert not score_report(dump, dump, fact, strict=True)["anchor_hits"][0]["met"]


def test_facts_of_one_passage_do_not_count_when_spread_over_a_report() -> None:
    fact = [{"id": "B1", "fact": "parser verifier timeout answer"}]
    spread = "The parser is fine.\n\nA verifier is there.\n\nNo timeout was seen.\n\nThe answer is late."
    assert score_report(spread, spread, fact)["anchor_hits"][0]["score"] == 1.0
    assert score_report(spread, spread, fact, strict=True)["anchor_hits"][0]["score"] == 0.25


LONG = """# Title

Rollouts fail because the verifier rejects 45.5% of the trajectory outputs, 12 rollouts in all of 1234 seen.

- The first bullet says that passing rollouts read the file before they write, failing ones do not
- The second bullet says that the root cause is a knowledge gap about `include` paths in the compile step
| table | row about rollout failing because root cause verifier |
```
A rollout in code fails because of the verifier and is never a fact, whatever it says here.
```
"""


def test_drafts_are_ranked_normalised_sentences() -> None:
    first, second = draft_facts(LONG, 12)
    # The first sentence: because, rollout, trajectory, verifier, +2 rollouts, +2 causes = 8.
    # The bullets run together: root cause, passing, failing, rollout, knowledge, gap, compile, +2, +2 = 11.
    assert first["id"] == "B1"
    assert first["fact"].startswith("The first bullet says that passing rollouts")
    assert first["fact"].endswith("knowledge gap about include paths in the compile step")
    assert second["fact"] == (
        "Rollouts fail because the verifier rejects a measured percentage of the trajectory outputs, "
        "a measured quantity in all of a large count seen."
    )
    assert (first["difficulty"], first["mean_score"]) == ("high", 3.5)
    assert len(draft_facts(LONG, 1)) == 1


@pytest.mark.parametrize(
    ("sentence", "difficulty", "score"),
    [
        ("The error pattern shows a distribution over every category of the whole benchmark data", "medium", 3.25),
        ("The error pattern shows a behavior that nobody has seen before in this kind of thing", "low", 3.25),
    ],
)
def test_a_draft_says_how_hard_it_is(sentence: str, difficulty: str, score: float) -> None:
    (fact,) = draft_facts(sentence, 5)
    assert (fact["difficulty"], fact["mean_score"]) == (difficulty, score)


def test_a_sentence_without_two_signs_is_no_fact() -> None:
    assert draft_facts("This long sentence speaks of nothing in particular and goes on for quite a while.", 5) == []


def test_strict_drafts_split_bullets_and_keep_figures() -> None:
    facts = [fact["fact"] for fact in draft_facts(LONG, 12, strict=True)]
    assert len(facts) == 3
    assert any("45.5%" in fact for fact in facts)
    assert not any("first bullet" in fact and "second bullet" in fact for fact in facts)


GOLDEN = """# Golden
intro
## 1. Aggregate Results
prose

| a | b |
|---|---|
| 1 | 2 |

after
### Detail
| no | no |
## Workflow Funnel
- bullet
| p | q |
## Other
| x | y |
```
## in code
```
"""


def test_a_shallow_baseline_keeps_headings_and_headline_tables() -> None:
    lines = shallow_baseline(GOLDEN, "golden").splitlines()
    assert lines[0] == "# Shallow Baseline: golden"
    assert lines[lines.index("# Golden") :] == [
        "# Golden",
        "## 1. Aggregate Results",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "",
        "## Workflow Funnel",
        "| p | q |",
        "## Other",
    ]


SKILL = "---\nname: x\ndescription: >\n  y\n---\n" + "".join(f"## S{number}\n\ntext\n" for number in range(20))


def write_package(folder: Path) -> Path:
    """A package of two models with four tasks and two repeats each, whose first model passes 5 of 8."""
    (folder / "skill").mkdir(parents=True)
    (folder / "skill/SKILL.md").write_text(SKILL)
    (folder / "rollouts").mkdir()
    rewards = {"m1": [1, 1, 1, 0, 0, 0, 1, 1], "m2": [0, 0, 1, 0, 0, 0, 1, 1]}
    for model, values in rewards.items():
        rows = [
            {"_ng_task_index": number // 2, "_ng_rollout_index": number % 2, "reward": value}
            for number, value in enumerate(values)
        ]
        (folder / f"rollouts/{model}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "golden_reports").mkdir()
    facts = [
        f"Finding {number} says that the verifier rejects the rollouts of task number {number}" for number in range(8)
    ]
    prose = "".join(f"{fact}.\n\n" for fact in facts)
    cited = "Task `2` fails, as rollout `2-1` shows.\n"
    (folder / "golden_reports/m1_golden_report.md").write_text("# R\n\n## A\n\n" + prose + cited + "\n" * 40)
    metrics = {
        "model": "m1",
        "benchmark": "b",
        "pass_at_1": 0.625,
        "num_tasks": 4,
        "num_rollouts": 8,
        "passed_rollouts": 5,
    }
    (folder / "golden_reports/m1_golden_report_metrics.json").write_text(json.dumps(metrics))
    listed = [{"id": f"B{number}", "fact": fact, "difficulty": "high"} for number, fact in enumerate(facts)]
    (folder / "golden_reports/m1_anchor_facts.json").write_text(json.dumps({"anchor_facts": listed}))
    return folder


def failures(folder: Path, **options: Any) -> list[str]:
    return [finding.message for finding in validate_package(folder, **options) if not finding.ok]


def test_a_whole_package_passes(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    assert failures(folder) == []
    assert failures(folder, strict=True) == []
    # D1: found, name, description, substance; D2: two, five per file, two scored; D3: found, structure, metrics
    # parse and identity, facts and their form, shallow.
    assert len(list(validate_package(folder))) == 4 + 2 + 10 + 1 + 7


def test_an_empty_folder_misses_all_three(tmp_path: Path) -> None:
    assert [message.split(";")[0] for message in failures(tmp_path)] == [
        "D1: there is no skill",
        "D2: there are no rollouts",
        "D3: there are no golden reports",
    ]


def test_a_line_that_is_no_object_is_told_and_not_fatal(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    path = folder / "rollouts/m1.jsonl"
    path.write_bytes(b"[1]\n\n" + path.read_bytes() + b'{"reward": \xff\n')
    assert failures(folder, phase="rollouts") == ["m1.jsonl: 2 lines hold no JSON object (line 1, 11)"]


def test_a_failures_sidecar_is_taken_for_rollouts_unless_strict(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    (folder / "rollouts/m1_failures.jsonl").write_text("")
    assert "m1_failures.jsonl: 0 records" in failures(folder, phase="rollouts")
    assert failures(folder, phase="rollouts", strict=True) == []


def test_strict_holds_the_sidecar_against_the_rows(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    path = folder / "golden_reports/m1_golden_report_metrics.json"
    path.write_text(path.read_text().replace("0.625", "0.75").replace('"passed_rollouts": 5', '"passed_rollouts": 6'))
    assert failures(folder) == []
    (message,) = failures(folder, strict=True)
    assert "passed_rollouts is 6, the rows give 5" in message
    assert "pass_at_1 is 0.75, the rows give 0.625" in message


def test_strict_looks_up_cited_ids(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    path = folder / "golden_reports/m1_golden_report.md"
    path.write_text(path.read_text() + "\nTask `9` and rollout `2-7` are made up, rollout `3-1-a1` is a retry.\n")
    assert failures(folder) == []
    told = failures(folder, strict=True)
    assert [message.rsplit(": ", 1)[1] for message in told] == ["9", "2-7"]


def test_strict_wants_task_sets_that_meet(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    path = folder / "rollouts/m2.jsonl"
    path.write_text(path.read_text().replace('"_ng_task_index": ', '"_ng_task_index": 7'))
    assert failures(folder, phase="rollouts") == []
    assert failures(folder, phase="rollouts", strict=True) == ["The scored files share 0 of 8 tasks"]


def test_strict_refuses_facts_that_run_on(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    path = folder / "golden_reports/m1_anchor_facts.json"
    facts = json.loads(path.read_text())
    facts["anchor_facts"][0]["fact"] = " ".join(fact["fact"] for fact in facts["anchor_facts"])
    path.write_text(json.dumps(facts))
    assert failures(folder) == []
    assert "m1_golden_report.md: 1 of 8 facts run several findings together" in failures(folder, strict=True)


def test_a_comparison_report_needs_no_sidecars(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "package")
    (folder / "golden_reports/m1_vs_m2_golden_report.md").write_text("## A\n" + "line\n" * 40)
    assert failures(folder) == []


def run_of(name: str, **other: Any) -> dict[str, Any]:
    scores = {"golden_vs_self": 1.0, "shallow_vs_golden": 0.3, "spread": 0.7}
    usual = {"run": name, "model": name, "num_rollouts": 8, "lines": 900, "facts": 9, "contradicted": 0}
    return {**usual, "calibration": scores, **other}


def pair_of(a: str, b: str, common: int, apart: int) -> dict[str, Any]:
    return {"run_a": a, "run_b": b, "pairing": {"common": common, "only_a": apart, "only_b": 0}}


def test_a_package_of_two_models_over_the_same_tasks_is_ready() -> None:
    found = readiness("b", has_profile=True, runs=[run_of("m1"), run_of("m2")], pairs=[pair_of("m2", "m1", 4, 0)])
    assert found["ready"]
    assert found["deliverables"]["D2"]["has"] == [
        "scored rollouts of 2 models in 2 runs",
        "a third model would be better (of 3)",
    ]


def test_what_a_package_lacks_is_said() -> None:
    runs = [run_of("m1", facts=3), run_of("m2", contradicted=1)]
    found = readiness("b", has_profile=False, runs=runs, pairs=[pair_of("m1", "m2", 1, 4)])["deliverables"]
    assert [part["ready"] for part in found.values()] == [False, False, False]
    assert found["D2"]["lacks"] == ["task sets that do not meet: m1 and m2"]
    assert found["D3"]["lacks"] == [
        "m1: 3 anchor facts, below 8",
        "m2: 1 figures or ids that the rows contradict",
    ]
    alone = readiness("b", has_profile=True, runs=[run_of("m1")], pairs=[])["deliverables"]["D2"]
    assert alone["lacks"] == ["1 model with scored rollouts; at least 2 are needed"]
