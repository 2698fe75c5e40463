"""The labels of a run in its report: an analyst's are never left out."""

import re
from dataclasses import replace
from typing import Any

from blade_pipeline.reporting import build_report
from blade_pipeline.reporting.blocks import Block, Bullets, Fold, Table
from blade_pipeline.reporting.markdown import inline
from blade_pipeline.reporting.view.labels import task_labels
from blade_pipeline_tests.reporting.samples import mixed_run


def proposal(task: int) -> dict[str, Any]:
    return {
        "task": str(task),
        "label": "BI",
        "by": "rule",
        "rule": "r",
        "confidence": "low",
        "evidence": [],
        "note": "",
    }


def reading(task: int, **more: Any) -> dict[str, Any]:
    return proposal(task) | {"by": "analyst", "rule": None, "confidence": None, "stale": None, "label": "KG"} | more


def shown(labels: list[dict[str, Any]], *stale: dict[str, Any]) -> list[Block]:
    return list(task_labels({"labels": labels, "stale_labels": list(stale)}))


def listed(labels: list[dict[str, Any]]) -> tuple[str, list[list[str]]]:
    """Title and rows of the list task by task."""
    fold = next(block for block in shown(labels) if isinstance(block, Fold))
    table = next(block for block in fold.blocks if isinstance(block, Table))
    return table.caption, [[inline(cell.text) for cell in row.cells] for row in table.rows]


def test_every_label_of_an_analyst_is_listed_before_the_proposals() -> None:
    """200 tasks: the last 70 are labelled by hand, and of these the last is stale; 60 of 130 proposals follow."""
    hand = [reading(task) for task in range(130, 199)] + [reading(199, stale="cites 9-9", note="seen once")]
    title, rows = listed([*(proposal(task) for task in range(130)), *hand])
    assert title == "Labels task by task, 130 of 200"
    assert [row[0] for row in rows] == [f"`{n}`" for n in (199, *range(130, 199), *range(60))]
    assert rows[0][-1] == "stale label: cites 9-9. “seen once”"


def test_a_list_names_the_analyst_and_holds_what_one_read_and_did_not_decide() -> None:
    """Task 2 has no label of anybody; the analyst of task 3 gave no name."""
    undecided = reading(1, label="unlabelled", analyst="ana", note="two causes, equally likely")
    _, rows = listed([proposal(0), undecided, proposal(2) | {"label": "unlabelled"}, reading(3)])
    assert [row[:3] for row in rows] == [
        ["`1`", "unlabelled", "analyst “ana”"],
        ["`3`", "KG", "analyst"],
        ["`0`", "BI", "rule"],
    ]
    assert rows[0][-1] == "“two causes, equally likely”"


def test_a_task_that_was_read_and_not_decided_is_told_from_one_that_nobody_read() -> None:
    """Of the sample's tasks 5 and 6, which sometimes pass, an analyst read 5."""
    inputs = mixed_run()
    undecided = reading(5, label="unlabelled", note="unclear", agent="solver", stage=0, bucket="sometimes_pass")
    causes = inputs.causes | {"labels": [*inputs.causes["labels"], undecided]}
    report = build_report(replace(inputs, causes=causes))["report.md"].decode()
    assert "carry no label: no evidence decides. An analyst read and did not decide: `5`." in report
    assert len(re.findall(r"^\| `[56]` .*unlabelled \(analyst\)", report, re.M)) == 1


def test_a_label_that_a_later_one_replaced_is_told() -> None:
    old = {"task": "case-7", "line": 1, "reason": "a later label in line 4 names the same task"}
    other = {"task": "3", "line": 9, "reason": "cites 9-9, which the run does not have"}
    blocks = shown([reading(7), reading(3)], old | {"label": "BI", "replaced_by": "KG"}, other)
    told = [[inline(item) for item in block.items] for block in blocks if isinstance(block, Bullets)]
    assert told == [["`case-7`: BI in line 1, a later label in line 4 names the same task: KG"]]


def test_a_label_of_a_run_that_always_passes_is_told() -> None:
    inputs = mixed_run()
    causes = inputs.causes | {"counts": dict.fromkeys(inputs.causes["counts"], 0), "recommendations": []}
    causes["labels"] = [reading(0, label="TI", note="accepts anything", bucket="always_pass")]
    report = build_report(replace(inputs, causes=causes))["report.md"].decode()
    assert re.search(r"\| `0` \| TI \| analyst \|\s+\| “accepts anything” \|", report)
    assert "Root causes; labels that no task carries" not in report
