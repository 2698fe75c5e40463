"""Slices, parts of the funnel and secondary modes as the report shows them."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pyarrow as pa

from blade_pipeline.reporting.inputs import ReportInputs
from blade_pipeline.reporting.markdown import to_markdown
from blade_pipeline.reporting.view import report_document
from blade_pipeline_tests.reporting.samples import mixed_run, single_run


def _lines(inputs: ReportInputs) -> list[str]:
    return to_markdown(report_document(inputs)).splitlines()


def _table(lines: list[str], first: str) -> list[str]:
    """The rows of the table whose header begins so, without the rule."""
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {first}"))
    end = next(n for n, line in enumerate(lines[start:], start) if not line.startswith("|"))
    return [lines[start], *lines[start + 2 : end]]


def test_each_slice_has_a_row_with_its_score_interval_and_never_passing_tasks() -> None:
    lines = _lines(mixed_run())
    assert _table(lines, "Slice | pass@1") == [
        "| Slice | pass@1 | Interval at 95%, new tasks | Passed of measured | Never pass, of measured tasks | Tasks "
        "| With a score |",
        "| `topic` = `sums` | 48.3% | 10.0% to 90.0% | 50.0% (9 of 18) | 40.0% (2 of 5) | 6 | 75.0% (18 of 24) |",
        "| `topic` = `words` | 51.7% | 13.0% to 89.0% | 55.6% (10 of 18) | 20.0% (1 of 5) | 6 | 75.0% (18 of 24) |",
    ]
    assert "Not broken down, for so many values: `source` (412 values)." in lines


def test_a_slice_of_few_tasks_shows_no_interval_and_says_why() -> None:
    inputs = mixed_run()
    scores = deepcopy(inputs.scores)
    scores["slices"][0]["interval"] |= {"low": None, "high": None, "n": 4}
    lines = _lines(replace(inputs, scores=scores))
    assert "| 48.3% | none |" in _table(lines, "Slice | pass@1")[1]
    assert "A slice of fewer than 5 measured tasks or families has no interval." in lines


def test_long_tables_name_how_much_they_hold_and_where_the_rest_stands() -> None:
    inputs = mixed_run()
    scores, funnel = deepcopy(inputs.scores), deepcopy(inputs.funnel)
    scores["slices"] = [scores["slices"][0] | {"value": f"v{n}"} for n in range(50)]
    funnel["by_slice"] = [funnel["by_slice"][0] | {"value": f"v{n}"} for n in range(50)]
    lines = _lines(replace(inputs, scores=scores, funnel=funnel))
    assert len(_table(lines, "Slice | pass@1")) == 1 + 40
    assert "By slice: the first 40 of 50:" in lines
    assert any(line.endswith("All slices stand in [metrics.json](metrics.json).") for line in lines)
    assert len(_table(lines, "Rollouts of slice")) == 1 + 40


def test_the_mix_of_failure_modes_stands_per_slice() -> None:
    assert _table(_lines(mixed_run()), "Slice | Primary")[1:] == [
        "| `topic` = `sums` | `wrong_answer` 6 of 9, `output_limit` 3 of 9 |",
        "| `topic` = `words` | `wrong_answer` 5 of 8, `output_limit` 3 of 8 |",
    ]


def test_the_phases_stand_per_slice_without_those_that_lose_nobody() -> None:
    inputs = mixed_run()
    lines = _lines(inputs)
    assert _table(lines, "Rollouts of slice") == [
        "| Rollouts of slice | started | answered | scored | passed |",
        "| `topic` = `sums` | 23 of 24 | 19 of 24 | 18 of 24 | 9 of 24 |",
        "| `topic` = `words` | 23 of 24 | 23 of 24 | 18 of 24 | 10 of 24 |",
    ]
    assert not any("end at another phase" in line for line in lines)
    funnel = deepcopy(inputs.funnel)
    for part in funnel["by_slice"]:
        part["phases"][1] |= {"reached": 23}
        part["phases"][2] |= {"entered": 23}
    lines = _lines(replace(inputs, funnel=funnel))
    assert _table(lines, "Rollouts of slice")[0] == "| Rollouts of slice | started | scored | passed |"
    assert "Left out, since every rollout that enters gets through: `answered`." in lines


def test_a_slice_that_loses_most_elsewhere_is_named_with_its_phase() -> None:
    inputs = mixed_run()
    funnel = deepcopy(inputs.funnel)
    drop = {"phase": "scored", "lost": 5, "entered": 23}
    funnel["by_slice"][1] |= {"differs": True, "largest_drop": drop}
    lines = _lines(replace(inputs, funnel=funnel))
    assert (
        "In 1 of 2 slices most rollouts end at another phase than in the run: `topic` = `words` at `scored` "
        "(5 of 23 that entered)."
    ) in lines
    first, second = _table(lines, "Rollouts of slice")[1:]
    assert first.endswith("| 9 of 24 |   |")
    assert second.endswith("| 10 of 24 | `scored` (5 of 23 that entered) |")


def test_models_of_one_run_stand_side_by_side() -> None:
    inputs = mixed_run()
    parts: list[dict[str, Any]] = [
        {key: value for key, value in part.items() if key not in ("field", "value")} | {"model": model}
        for part, model in zip(inputs.funnel["by_slice"], ("example-8b", None), strict=True)
    ]
    lines = _lines(replace(inputs, funnel=inputs.funnel | {"by_model": parts}))
    assert [row.split(" |")[0] for row in _table(lines, "Rollouts of model")] == [
        "| Rollouts of model",
        "| `example-8b`",
        "| no row, or no model named",
    ]


def test_phases_out_of_order_are_told_with_their_pairs() -> None:
    inputs = mixed_run()
    told = (
        "3 of 42 completed rollouts satisfy a later phase without an earlier one: `passed` without `answered` (3), "
        "lost at the earlier one. "
    )
    not_needed = "The later rule also holds where a rollout stopped before, or it does not need the earlier phase."
    swapped = "The order of the profile's phases may be wrong: the rows fit `answered` after `passed`."
    for follows, line in ((False, told + not_needed), (True, f"> {told}{swapped}")):
        pairs = [{"later": "passed", "earlier": "answered", "rollouts": 3, "follows": follows}]
        found = {"rollouts": 3, "completed": 42, "pairs": pairs}
        funnel = inputs.funnel | {"source": "profile", "out_of_order": found}
        assert line in _lines(replace(inputs, funnel=funnel))


def test_secondary_modes_stand_beside_the_primary_ones() -> None:
    inputs = mixed_run()
    rows = _table(_lines(inputs), "Mode | Symptom")
    assert rows[0].startswith("| Mode | Symptom | Of failed | Secondary in | Also in passed | Tasks |")
    assert "| 64.7% (11 of 17) |   |" in rows[1]
    assert "| 35.3% (6 of 17) | 5.9% (1 of 17) |" in rows[2]
    further = {"code": "no_answer", "label": "No answer", "source": "rule", "count": 4, "total_failed": 17}
    lines = _lines(replace(inputs, modes=inputs.modes | {"secondary": [further]}))
    assert "- `no_answer`: No answer, as a secondary mode in 23.5% (4 of 17 failed rollouts)" in lines
    assert "Secondary in" not in _table(lines, "Mode | Symptom")[0]


def test_a_never_passing_rollout_names_its_further_modes() -> None:
    inputs = mixed_run()
    table = inputs.modes_table
    place = table.schema.get_field_index("secondary")
    for further, told in {
        "no_answer,tool_errors": ", also `no_answer`, `tool_errors`",
        "no_answer,tool_errors,a,b": ", also `no_answer`, `tool_errors` and 2 more",
    }.items():
        names = pa.array([further] * table.num_rows)
        lines = _lines(replace(inputs, modes_table=table.set_column(place, "secondary", names)))
        assert any(f"| `wrong_answer`{told} |" in line for line in lines)


def test_a_run_without_slices_has_no_table_of_them() -> None:
    report = _lines(single_run())
    assert not any(line.startswith(("By slice", "<details><summary>Rollouts through each phase")) for line in report)
