"""The plot in Dagster's metadata: one image that needs no style sheet and reaches nowhere."""

import base64
from xml.etree import ElementTree

from blade_pipeline.reporting import scores_plot
from blade_pipeline_tests.reporting.samples import mixed_run

PREFIX = "![pass@1 with its intervals](data:image/svg+xml;base64,"


def test_it_is_one_svg_image_with_colours_of_its_own() -> None:
    text = scores_plot(mixed_run().scores)
    assert text is not None
    assert text.startswith(PREFIX)
    assert len(text) < 30_000
    svg = base64.b64decode(text.removeprefix(PREFIX).removesuffix(")")).decode()
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in svg
    words = "".join(root.itertext())
    assert "new tasks" in words
    assert "these tasks" in words


def test_nothing_measured_draws_nothing() -> None:
    assert scores_plot({"pass_at_1": None, "intervals": {}, "bounds": {}}) is None
