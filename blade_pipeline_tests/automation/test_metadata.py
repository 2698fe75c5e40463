"""What Dagster's pages show: texts from data are inert, numbers are defined."""

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.metadata import definition_of, markdown_table


def test_cells_are_neither_images_nor_escapes_nor_secrets() -> None:
    rows = [
        {"name": "![i](http://evil/x.png)", "n": 1},
        {"name": "\x1b[2J|x", "n": 0.5},
        {"name": "Bearer abc", "n": 2},
    ]
    text = markdown_table(rows)
    assert "![" not in text
    assert "http" not in text
    assert "abc" not in text
    assert "\x1b" not in text
    assert [line.count("|") for line in text.splitlines()] == [3] * 5


def test_an_asset_page_defines_its_columns_and_the_numbers_of_its_document() -> None:
    assert definition_of(GRAPH["blade_report"]) == {}
    (numbers,) = definition_of(GRAPH["coverage"]).values()
    assert "| `measured_share` | measured/expected | expected rollouts |" in str(numbers.value)
    assert {"dagster/column_schema", "definitions of its numbers"} == set(definition_of(GRAPH["pass_at_k"]))
