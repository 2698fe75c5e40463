"""Tables of many rows: read by the columns that are needed, asked in databases that spill, marked piece by piece."""

import subprocess
import sys

import pyarrow as pa
import pytest

from blade_pipeline.method import signals as symptoms
from blade_pipeline.method import sql
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.needed import of_symptoms
from blade_pipeline.models import FailureRule, Profile
from blade_pipeline_tests.builders import aligned
from blade_pipeline_tests.method.chain import only

FILLED = {"verifier": {"extracted_answer": "7", "oks": [1, 2]}, "answer_length": 3}
EMPTY = {"verifier": {"extracted_answer": ""}, "output_items": 1, "answer_length": 0, "tool_calls": 2}
ANSWERED = [FILLED | {"task": n, "score": 1.0} for n in range(6)]
UNANSWERED = [EMPTY | {"task": n, "score": 0.0} for n in range(6, 10)]
"""Empty answers, which are a symptom because rollouts that passed have one, and text; these stand in other pieces."""


@pytest.mark.parametrize("at_once", [3, 4, 100])
def test_symptoms_that_need_the_whole_run_are_found_in_every_piece(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symptoms, "_AT_ONCE", at_once)
    marks = symptoms.signals(aligned(ANSWERED + UNANSWERED))
    assert marks["position"].to_pylist() == list(range(10))
    assert marks["unextracted"].to_pylist() == [None] * 6 + ["extracted_answer"] * 4
    assert marks["empty_answer"].to_pylist() == [False] * 6 + [True] * 4


@pytest.mark.parametrize("most", ["1GB", "1MB"])
def test_a_statement_over_many_rows_gives_what_it_gives_over_few(most: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "MANY", 2)
    monkeypatch.setattr(sql, "MOST", most)
    rows = pa.table({"n": list(range(50_000)), "text": [f"text {n:040d}" for n in range(50_000)]})
    [found] = sql.records("select count(distinct text) as texts, sum(n) as total from rows", rows=rows)
    assert found == {"texts": 50_000, "total": 50_000 * 49_999 // 2}
    last = sql.query("select text from rows order by n desc", rows=rows)["text"]
    assert (last[0].as_py(), last[-1].as_py()) == (f"text {49_999:040d}", f"text {0:040d}")


def test_funnel_and_failure_modes_need_no_digest_unless_the_profile_names_one() -> None:
    samples = aligned([row | {"pair_digest": "rows:a"} for row in ANSWERED + UNANSWERED])
    slim = only(samples, of_symptoms(Profile()))
    assert "pair_digest" not in slim.column_names
    assert funnel(slim, Profile())["total_rollouts"] == 10
    _, document = failure_modes(slim, Profile())
    assert document["total_failed"] == 4
    rule = FailureRule(code="named", when="Pair_Digest = 'rows:a'", severity=1)
    profile = Profile(failure_modes=(rule,))
    _, document = failure_modes(only(samples, of_symptoms(profile)), profile)
    assert [(mode["code"], mode["count"]) for mode in document["modes"]] == [("named", 4)]


def test_no_progress_bar_stands_in_what_a_program_prints() -> None:
    asked = "records(\"select current_setting('enable_progress_bar') as bar\")"
    program = f"import blade_pipeline.method.sql as sql; print(sql.{asked})"  # without a file DuckDB thinks of a person
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[{'bar': False}]\n"
