"""Whole reports of the sample runs."""

import json
import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.reporting import ReportInputs, build_report, markdown_summary, verdict
from blade_pipeline_tests.reporting.pages import Page
from blade_pipeline_tests.reporting.samples import empty_run, mixed_run, single_run

SECTIONS = [
    "Executive Summary",
    "Artifact Inventory",
    "Aggregate Results",
    "Workflow Funnel",
    "Task Outcome Buckets",
    "Dominant Failure Modes",
    "Sometimes-Pass Deep Dives",
    "Never-Pass Deep Dives",
    "Cross-Model Comparison",
    "Recommendations",
    "Reproducibility Notes",
]
FILES = set(
    "report.md report.html metrics.json previous_metrics.json coverage.json comparability.json anchor_facts.json "
    "shallow.md".split()
)
RUNS = {"mixed": mixed_run, "single": single_run, "empty": empty_run}


@pytest.fixture(scope="module", params=sorted(RUNS))
def built(request: pytest.FixtureRequest) -> dict[str, bytes]:
    return build_report(RUNS[request.param]())


@pytest.fixture(scope="module")
def mixed() -> str:
    return build_report(mixed_run())["report.md"].decode()


def test_every_file_is_there(built: dict[str, bytes]) -> None:
    assert set(built) == FILES


def test_title_and_eleven_sections_in_order(built: dict[str, bytes]) -> None:
    lines = built["report.md"].decode().splitlines()
    assert lines[0] == "# sums BLADE Analysis Report"
    assert [line[3:] for line in lines if line.startswith("## ")] == SECTIONS


def test_html_has_the_same_sections(built: dict[str, bytes]) -> None:
    page = built["report.html"].decode()
    assert re.findall(r"<h2>([^<]*)</h2>", page) == SECTIONS


def test_json_is_strict_and_sorted(built: dict[str, bytes]) -> None:
    for name, content in built.items():
        if name.endswith(".json"):
            value = json.loads(content, parse_constant=_refuse)
            assert json.dumps(value, sort_keys=True, indent=2).encode() + b"\n" == content


def _refuse(word: str) -> None:
    pytest.fail(f"JSON does not know {word}")


def test_the_accounting_table_sums(mixed: str) -> None:
    table = mixed.split("Accounting of rollouts:")[1].split("\n\n")[1].splitlines()[2:]
    amounts = [int(line.split("|")[2]) for line in table]
    # 36 measured + 5 masked + 1 unscored + 4 failed + 2 missing = 48
    assert amounts == [36, 5, 1, 4, 2, 48]
    assert "equals the 48 expected" in table[-1]


def test_same_inputs_same_bytes() -> None:
    assert build_report(mixed_run()) == build_report(mixed_run())


def test_every_percentage_of_the_summary_carries_its_numbers(mixed: str) -> None:
    assert "- **Coverage:** 87.5% (42 of 48 expected rollouts completed); 75.0% (36 of 48 have a valid score)." in mixed
    assert "- **Dominant failure:** `wrong_answer`: 64.7% (11 of 17 failed rollouts), on 5 tasks. [F2]" in mixed
    assert "- **Largest drop-off:** at `passed`: 47.2% (17 of 36 rollouts that entered it)" in mixed


def test_cited_facts_exist(built: dict[str, bytes]) -> None:
    known = {fact["id"] for fact in json.loads(built["anchor_facts.json"])["anchor_facts"]}
    assert set(re.findall(r"\[(F\d+)\]", built["report.md"].decode())) <= known


def test_deep_dives_name_rollouts_with_file_and_line(mixed: str) -> None:
    # task 4 is FPFF; rows before it: 4 x 4 = 16, so its rows are lines 17 to 20
    assert "- Passing: `4-1` (`rollouts.jsonl` line 18)" in mixed
    assert "- Failing: `4-0` (`rollouts.jsonl` line 17), `4-2` (`rollouts.jsonl` line 19)" in mixed


def test_a_task_whose_repeats_were_asked_something_else_does_not_stay_the_same(mixed: str) -> None:
    # blackjack deals another hand in every repeat. Task 4 is FPFF, task 0 PPPP.
    assert "decides between passing and failing, because the task stays the same." in mixed
    inputs = mixed_run()
    asked = [
        f"hand {repeat}" if task in ("0", "4") else f"task {task}"
        for task, repeat in zip(*(inputs.aligned[name].to_pylist() for name in ("task", "repeat")), strict=True)
    ]
    place = inputs.aligned.schema.get_field_index("prompt_digest")
    dealt = replace(inputs, aligned=inputs.aligned.set_column(place, "prompt_digest", pa.array(asked)))
    assert (
        "decides between passing and failing or what the repeats were asked: the requests differ between the repeats "
        "of `4`."
    ) in build_report(dealt)["report.md"].decode()


def test_the_ablation_starts_from_what_the_lost_rollouts_leave_and_ends_at_the_best(mixed: str) -> None:
    # Of 12 tasks 4.75 in sum at first and 7 that ever pass; the published score of the sample is 62 %.
    section = mixed.split("### What each mode costs")[1].split("\n### ")[0]
    assert (
        "25.0% (12 of 48 planned rollouts) have no score and count as failed here, so the baseline is 39.6%" in section
    )
    assert "No row for `wrong_answer`, where no symptom was found." in section
    for line in (
        "| nothing (baseline) | 39.6% (4.75 of 12) | 0.0 points | 0 | 0 |",
        "| rollouts without a score | 41.7% (5 of 12) | +2.1 points | 2 | 2 |",
        "| all but the best rollout (oracle) | 58.3% (7 of 12) | +18.8 points | 4 | 0 |",
        "| reference `model card` | 62.0% | +22.4 points |",
    ):
        assert line in section
    assert "16.7 points (oracle minus all modes) no mode explains yet." in section


def test_every_slice_that_stands_out_is_told_and_no_other() -> None:
    inputs = mixed_run()
    counts = {"tasks": 8, "rest_tasks": 9, "p": 0.0001}
    slices = [
        {"mode": "output_limit", "field": "topic", "value": "sums", "with": 7, "rest_with": 1, "q": 0.004, **counts},
        {"mode": "any failure", "field": "level", "value": "hard", "with": 6, "rest_with": 0, "q": 0.0098, **counts},
        {"mode": "output_limit", "field": "level", "value": "easy", "with": 0, "rest_with": 8, "q": 0.005, **counts},
        {"mode": "wrong_answer", "field": "topic", "value": "words", "with": 5, "rest_with": 2, "q": 0.02, **counts},
    ]
    report = build_report(replace(inputs, modes=inputs.modes | {"slices": slices}))["report.md"].decode()
    told = report.split("### Where failures concentrate\n")[1].split("\n### ")[0]
    assert [line for line in told.splitlines() if line.startswith("|")][2:] == [
        "| `output_limit` | `topic` = “sums” | 87.5% (7 of 8) | 11.1% (1 of 9) | q = 0.004 |",
        "| any failure | `level` = “hard” | 75.0% (6 of 8) | 0.0% (0 of 9) | q = 0.010 |",
    ]
    assert "Where failures concentrate" not in build_report(inputs)["report.md"].decode()


def test_lengths_are_told_pooled_and_under_control() -> None:
    inputs = mixed_run()
    shares = {"fields": {"share": 0.52, "p": 0.5, "q": 0.5}, "pooled": {"share": 0.8, "p": 0.0001, "q": 0.0002}}
    medians = {"failing": 20, "passing": 22, "failing_median": 9.5, "passing_median": 4.0}
    found = {
        "left_out": 3,
        "fields": ["topic"],
        "fields_left_out": [],
        "controls": {
            "fields": {"pairs": 300, "rollouts": 40, "tasks": 11, "strata": 1},
            "pooled": {"pairs": 440, "rollouts": 42, "tasks": 12, "strata": 1},
        },
        "features": [{"feature": "steps", **medians, **shares}],
        "findings": [{"features": ["steps"], "sentence": "Pooled, they are longer by `steps`; at equal `topic` not."}],
    }
    report = build_report(replace(inputs, contrasts=inputs.contrasts | {"lengths": found}))["report.md"].decode()
    told = report.split("### Are failing rollouts longer?\n")[1].split("\n### ")[0]
    assert "- Pooled, they are longer by `steps`; at equal `topic` not." in told
    assert [line for line in told.splitlines() if line.startswith("|")] == [
        "| Length | Median, failing | Median, passing | Pooled | Equal fields |",
        "| --- | ---: | ---: | --- | --- |",
        "| steps | 9.5 | 4 | 80.0%, q \\< 0.001 | 52.0%, q = 0.500 |",
    ]
    assert "Left out: 3 failing rollouts that an outage or a limit ended." in told
    assert "Equal fields: 300 pairs of 40 rollouts on 11 tasks, in 1 stratum with both verdicts." in told
    assert "> Cannot be supported: a control for difficulty by the tasks' own pass rate." in told
    assert "Are failing rollouts longer?" not in build_report(inputs)["report.md"].decode()


def test_without_repeats_the_ablation_says_why_there_is_none() -> None:
    inputs = single_run()
    row = {"pass_at_1": 0.6, "task_scores": 3.0, "mean_reward": 0.6, "gain": 0.0, "moved_tasks": 0, "stuck_tasks": 0}
    found = {"tasks": 5, "rollouts": 5, "without_score": 0, "modes": {}, "unexplained": 0.0}
    found |= dict.fromkeys(("baseline", "no_score", "all_modes", "oracle"), row)
    report = build_report(replace(inputs, causes=inputs.causes | {"ablation": found}))["report.md"].decode()
    assert "> Cannot be supported: what each mode costs. Each task ran once, so no rollout shows" in report


def test_a_never_pass_task_is_told_by_its_typical_rollout(mixed: str) -> None:
    section = mixed.split("### Task `7`")[1].split("\n### ")[0]
    told = "- **typical** (likeness 1 of 1), **shortest**, **longest**: `7-0` (`rollouts.jsonl` line 28), 2 steps: "
    assert f"{told}step 1 calls `search`; step 2, the last, is a message of 40 characters." in section


def test_what_is_absent_is_said() -> None:
    text = build_report(single_run())["report.md"].decode()
    for claim in (
        "coverage. No materialized inputs say which rollouts were expected.",
        "consistency, retry value and the variance between repeats. Each task ran once.",
        "how the run was made (sampling, limits, prompts). There is no resolved configuration.",
        "agreement with NeMo Gym's own aggregate.",
        "what passing and failing rollouts did differently. The rows hold no trajectory.",
        "a comparison with a published score. The benchmark has no reference file.",
        "sometimes-pass behaviour. Each task ran once.",
    ):
        assert f"Cannot be supported: {claim}" in text
    assert "- **Coverage:** unknown" in text
    assert "| Outcome | Rollouts | Share of what was seen | Means |" in text


def test_a_run_that_nobody_could_read_is_a_result() -> None:
    assert verdict(empty_run()) == "insufficient_evidence"
    text = build_report(empty_run())["report.md"].decode()
    assert "**Insufficient evidence.** Nothing could be scored. This is a debugging case, not a result." in text
    assert "| `invalid_json` | 3 |" in text


def test_too_small_a_measured_share_is_no_result() -> None:
    inputs = mixed_run()
    strict = replace(inputs, coverage={**inputs.coverage, "min_coverage": 0.8})
    assert verdict(strict) == "insufficient_evidence"
    assert "the profile asks for at least 80.0%" in build_report(strict)["report.md"].decode()


def test_verdict_is_that_of_the_pair() -> None:
    assert verdict(mixed_run()) == "no_detectable_change"
    assert verdict(single_run()) == "no_baseline"


def test_the_page_needs_nothing_from_outside(built: dict[str, bytes]) -> None:
    text = built["report.html"].decode()
    assert "://" not in text
    page = Page(text)
    assert {tag for tag, _ in page.tags} & {"img", "link", "iframe", "object", "base", "form"} == set()
    assert all(target.startswith(("#", "../")) for target in page.attributes("href"))
    assert not page.attributes("src")
    assert any("default-src 'none'" in content for content in page.attributes("content"))


def test_links_inside_the_page_lead_somewhere(built: dict[str, bytes]) -> None:
    page = Page(built["report.html"].decode())
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    assert {target[1:] for target in page.attributes("href") if target.startswith("#")} <= set(ids)


def test_figures_have_an_alternative_in_words(built: dict[str, bytes]) -> None:
    page = Page(built["report.html"].decode())
    figures = [attrs for tag, attrs in page.tags if tag == "figure" and "role" in attrs]
    assert all(attrs["role"] == "img" and len(attrs["aria-label"] or "") > 20 for attrs in figures)
    assert all(attrs["aria-hidden"] == "true" for tag, attrs in page.tags if tag == "svg")


def test_shallow_keeps_headings_and_headline_tables(built: dict[str, bytes]) -> None:
    lines = built["shallow.md"].decode().splitlines()
    assert [line[3:] for line in lines if line.startswith("## ")] == SECTIONS
    assert any("| measured |" in line for line in lines)
    assert not any("rollouts.jsonl" in line for line in lines)


def test_the_summary_table_holds_numbers_and_names_only() -> None:
    text = markdown_summary(mixed_run())
    assert "| coverage | 87.5% (42 of 48 expected rollouts) |" in text
    assert "| dominant failure | `wrong_answer`, " in text
    assert "| coverage | unknown |" in markdown_summary(empty_run())


def test_a_sum_that_fails_is_shown() -> None:
    inputs = mixed_run()
    counts: dict[str, Any] = {**inputs.coverage["accounting"], "missing": 1}
    broken: ReportInputs = replace(inputs, coverage={**inputs.coverage, "accounting": counts})
    assert "DOES NOT EQUAL the 48 expected" in build_report(broken)["report.md"].decode()


def test_repeats_of_an_agent_that_was_not_planned_are_told_from_those_of_the_one_that_was() -> None:
    """Its rows belong to no task, so that the tasks have one agent."""
    inputs = mixed_run()
    by = inputs.coverage["by"]
    stray = {name: 0 if isinstance(count, int) else count for name, count in by["agent"][0].items()}
    by["agent"] = [by["agent"][0], stray | {"agent": "stray"}]
    by["repeat"] = [row | {"agent": by["agent"][0]["agent"]} for row in by["repeat"]]
    by["repeat"] += [stray | {"agent": "stray", "repeat": 0}]
    table = build_report(inputs)["report.md"].decode().split("By repeat:")[1].split("\n\n")[1]
    assert [line.split(" | ")[0] for line in table.splitlines() if line.endswith("| none |")][-1] == "| 0 of `stray`"
