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
    ],
)
def test_a_figure_of_a_finding_is_recounted(
    copied: Verifier, right: str, planted: str, expected: tuple[str, str]
) -> None:
    assert TEXT.count(right) == 1
    assert expected in wrong(copied.report(TEXT.replace(right, planted)))
