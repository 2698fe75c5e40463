"""What Dagster's pages show of texts from data is inert."""

from blade_pipeline.assets.metadata import markdown_table


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
