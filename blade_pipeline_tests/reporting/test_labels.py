"""The labels of a run in its report: an analyst's are never left out."""

from typing import Any

from blade_pipeline.reporting.blocks import Block, Bullets, Fold, Table
from blade_pipeline.reporting.markdown import inline
from blade_pipeline.reporting.view.labels import task_labels


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


def test_a_label_that_a_later_one_replaced_is_told() -> None:
    old = {"task": "case-7", "line": 1, "reason": "a later label in line 4 names the same task"}
    other = {"task": "3", "line": 9, "reason": "cites 9-9, which the run does not have"}
    blocks = shown([reading(7), reading(3)], old | {"label": "BI", "replaced_by": "KG"}, other)
    told = [[inline(item) for item in block.items] for block in blocks if isinstance(block, Bullets)]
    assert told == [["`case-7`: BI in line 1, a later label in line 4 names the same task: KG"]]
