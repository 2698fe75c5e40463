"""The diagnosis of real runs: it comes out, adds up and reads sensibly."""

import json
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.gym import discover
from blade_pipeline.method.anchor_facts import anchor_facts
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.contrasts import contrasts
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.lengths import lengths
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed
from blade_pipeline_tests.method.test_anchor_facts import check_numbers

pytestmark = pytest.mark.long

EXPECTED_MODES = {
    "openair_congestion/example": {"wrong_answer": 5},
    "swe_pivot/example": {"bad_format": 5},
    "tales/example": {"step_limit": 2, "repeated_text": 1, "wrong_answer": 1},
    "widesearch/example": {"infrastructure": 5},
    "toolsandbox/example": {"no_output": 5},
    "text_to_sql/example": {"wrong_answer": 2},
    "swebench/example": {"wrong_answer": 3, "verifier_failed": 1},
    "anyswe_agent/openclaw": {"patch_missing": 5},
    "swerl_gen/example": {"output_limit": 3, "wrong_answer": 1},
    "agentif/example": {"partial_credit": 4},
    "synthetic/seed11": {"wrong_answer": 229, "no_answer": 22},
}
OTHERS = {
    "anyswe_agent/hermes",
    "bbq/example",
    "deepsearchqa/example",
    "gdpval/example",
    "genrm_compare/example",
    "gymnasium/example",
    "math_with_judge/hermes",
    "newton_bench/example",
    "structeval/structeval_nonrenderable",
    "terminal_bench_2_1/example",
    "wordle/environments-example",
}
"""Runs without responses, rewards or expectations, with partial credit, with several repeats, of several harnesses."""


@pytest.fixture(scope="module")
def diagnosed(shared: Path) -> dict[str, dict[str, Any]]:
    profile = Profile()
    found = {}
    for run in discover(shared / "corpus" / "runs").runs:
        if f"{run.benchmark}/{run.run}" not in EXPECTED_MODES.keys() | OTHERS:
            continue
        data = analyzed(run)
        buckets, _ = outcome_buckets(data.aligned, profile)
        modes, document = failure_modes(data.aligned, profile)
        phases = funnel(data.aligned, profile)
        pairs = contrasts(data.aligned, buckets, modes) | {"lengths": lengths(data.aligned, modes)}
        causes = root_causes(data.aligned, buckets, modes, {}, profile)
        facts = anchor_facts(
            run.benchmark, run.run, run.model, data.coverage, data.scores, buckets, document, phases, pairs, causes
        )
        documents = {"modes": document, "funnel": phases, "contrasts": pairs, "causes": causes, "facts": facts}
        found[f"{run.benchmark}/{run.run}"] = documents | {"scores": data.scores}
    return found


def test_every_run_adds_up(diagnosed: dict[str, dict[str, Any]]) -> None:
    assert diagnosed.keys() == EXPECTED_MODES.keys() | OTHERS
    for name, run in diagnosed.items():
        scores = run["scores"]
        assert sum(mode["count"] for mode in run["modes"]["modes"]) == scores["failed_rollouts"], name
        last = run["funnel"]["phases"][-1]
        passed = scores["passed_rollouts"]
        assert last["reached"] == passed if last["phase"] == "passed" else last["reached"] >= passed, name


def test_every_document_is_plain_json(diagnosed: dict[str, dict[str, Any]]) -> None:
    for run in diagnosed.values():
        for kind in ("modes", "funnel", "contrasts", "causes", "facts"):
            json.dumps(run[kind], allow_nan=False)


def test_no_path_or_address_of_the_rows_reaches_a_document(diagnosed: dict[str, dict[str, Any]]) -> None:
    for name, run in diagnosed.items():
        text = json.dumps({kind: run[kind] for kind in ("modes", "funnel", "causes", "facts")})
        for private in ("/lustre/", "/home/", "/opt/", "http://", "https://"):
            assert private not in text, name


@pytest.mark.parametrize("name", EXPECTED_MODES)
def test_the_modes_of_a_run_read_sensibly(diagnosed: dict[str, dict[str, Any]], name: str) -> None:
    assert {mode["code"]: mode["count"] for mode in diagnosed[name]["modes"]["modes"]} == EXPECTED_MODES[name]


def test_every_number_of_every_fact_is_in_its_evidence(diagnosed: dict[str, dict[str, Any]]) -> None:
    for run in diagnosed.values():
        assert run["facts"]["facts"]
        for fact in run["facts"]["facts"]:
            check_numbers(fact)


def test_a_run_with_repeats_gets_enough_facts_for_a_package(diagnosed: dict[str, dict[str, Any]]) -> None:
    assert len(diagnosed["synthetic/seed11"]["facts"]["facts"]) >= 8
