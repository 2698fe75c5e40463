"""What disturbs a run's numbers, recounted: one figure of a finding planted at a time."""

from dataclasses import replace

import pyarrow as pa
import pytest

from blade_pipeline.method.verification import Verifier
from blade_pipeline_tests.method.test_verification import evidence, wrong

# Tasks 0 and 1 gave one output each in both repeats, of task 1 one passes; task 2 gave two, of task 3 one was measured.
DIGESTS = ["x", "x", "y", "y", "z", "w", "v", None]
TEXT = """## Aggregate Results

### What disturbs these numbers

- **Repeats are copies.** 2 of 3 tasks gave the same output in every repeat at temperature 1.0, as cached answers and\
 overwritten files do: their repeats are one observation each. In 1 of them the scores differ, so the verifier gives \
one output several scores.
- **Low coverage.** Only 7 of 8 expected rollouts and 4 of 4 tasks have a score: the score is not comparable.
- **Failed rollouts in a slice.** Where `kind` = `odd`, 1 of 4 rollouts failed before they left a row, elsewhere 0 of 4\
 (Fisher over tasks, Benjamini-Hochberg q = 0.004): they are of one kind.
- **One repeat differs.** The repeats do not pass equally often. Repeat 0 stands furthest apart, with 2 of 4 against \
2 of 3 in the others.
- **A setting changed between repeats.** The temperature of `a` changed between repeats: in passed of measured \
rollouts 0 in repeat 0 came to 2 of 4, 1 in repeat 1 came to 2 of 3; a score over all of them is that of no one setting.
"""


@pytest.fixture(scope="module")
def copied() -> Verifier:
    given = evidence()
    rows = [
        row
        | {"response_digest": digest, "output_items": None if digest is None else 1}
        | {"slices": '{"kind": "odd"}' if int(row["task"]) % 2 else None}
        | ({"outcome": "failed"} if digest is None else {})
        for row, digest in zip(given.aligned.to_pylist(), DIGESTS, strict=True)
    ]
    return Verifier(replace(given, aligned=pa.Table.from_pylist(rows, schema=given.aligned.schema)))


def test_right_findings_are_borne_out(copied: Verifier) -> None:
    assert copied.report(TEXT)["ok"]


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("2 of 3 tasks", "3 of 3 tasks", ("3", "2")),
        ("2 of 3 tasks", "2 of 4 tasks", ("4", "3")),
        ("In 1 of them", "In 2 of them", ("2", "1")),
        ("Only 7 of 8", "Only 4 of 8", ("4", "7")),
        ("and 4 of 4 tasks have", "and 3 of 4 tasks have", ("3", "4")),
        ("1 of 4 rollouts failed", "2 of 4 rollouts failed", ("2", "1")),
        ("elsewhere 0 of 4", "elsewhere 0 of 8", ("8", "4")),
        ("with 2 of 4", "with 3 of 4", ("3", "2")),
        ("2 of 3 in the others", "2 of 4 in the others", ("4", "3")),
        ("repeat 0 came to 2 of 4", "repeat 0 came to 3 of 4", ("3", "2")),
        ("repeat 1 came to 2 of 3", "repeat 1 came to 2 of 4", ("4", "3")),
    ],
)
def test_a_figure_of_a_finding_is_recounted(
    copied: Verifier, right: str, planted: str, expected: tuple[str, str]
) -> None:
    assert TEXT.count(right) == 1
    assert expected in wrong(copied.report(TEXT.replace(right, planted)))


# In order of creation task after task, two rollouts each: of task 1 the second is lost, of task 3 both.
LOST = [3, 6, 7]
OUTAGES = """## Aggregate Results

### What disturbs these numbers

- **An outage in one repeat.** Repeat 1 of `a` lost 2 of 4 rollouts to infrastructure, to a judge or verifier that did \
not finish or to no row at all, the other repeats 1 of 4: its score speaks of the outage.
- **An outage in one part of the run.** In order of creation, the last quarter of `a` lost 2 of 2 rollouts to \
infrastructure, to a judge or verifier that did not finish or to no row at all, the other quarters 1 of 6 (from the \
first to the last 0, 1, 0 and 2): when a rollout ran tells whether it could pass.
"""


@pytest.fixture(scope="module")
def interrupted() -> Verifier:
    given = evidence()
    lost = {"passed": False, "score": 0.0, "error_text": "503 Service Unavailable"}
    rows = [
        row | {"created_at": 1e9 + place} | (lost if place in LOST else {})
        for place, row in enumerate(given.aligned.to_pylist())
    ]
    return Verifier(replace(given, aligned=pa.Table.from_pylist(rows, schema=given.aligned.schema)))


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("", "", None),
        ("lost 2 of 4", "lost 3 of 4", ("3", "2")),
        ("the other repeats 1 of 4", "the other repeats 0 of 4", ("0", "1")),
        ("lost 2 of 2", "lost 1 of 2", ("1", "2")),
        ("the other quarters 1 of 6", "the other quarters 1 of 7", ("7", "6")),
        ("last 0, 1, 0 and 2", "last 1, 1, 0 and 2", ("1", "0")),
    ],
)
def test_what_an_outage_took_is_recounted(
    interrupted: Verifier, right: str, planted: str, expected: tuple[str, str] | None
) -> None:
    found = wrong(interrupted.report(OUTAGES.replace(right, planted) if right else OUTAGES))
    assert list(found) == ([] if expected is None else [expected])
