"""A figure as a Markdown image, for pages that are not ours: fixed colours, no style sheet."""

import base64
from collections.abc import Mapping
from typing import Any

from blade_pipeline.reporting.charts import TONES
from blade_pipeline.reporting.figures import interval_plot
from blade_pipeline.reporting.view.run_scores import PASS, run_score
from blade_pipeline.reporting.view.scores import plotted

_COLOURS = {
    "var(--ink)": "#1b2129",
    "var(--muted)": "#59636e",
    "var(--line)": "#d8dde3",
    "var(--accent)": "#2563a8",
    TONES["measured"]: "#1f77b4",
    TONES["masked"]: "#8a6fb0",
    TONES["unscored"]: "#b8a400",
    TONES["failed"]: "#d1600f",
    TONES["missing"]: "#9aa4ae",
}
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" style="background:#fff"'


def scores_plot(scores: Mapping[str, Any]) -> str | None:
    """The run's score with its intervals and bounds as a data-URI image; None where there is no interval to draw."""
    rows, score = plotted(dict(scores)), run_score([dict(scores)])
    if not rows:
        return None
    drawing = interval_plot(rows, shares=score is PASS).replace("<svg", _SVG, 1)
    for name, colour in _COLOURS.items():
        drawing = drawing.replace(name, colour)
    encoded = base64.b64encode(drawing.encode()).decode()
    return f"![{score.name} with its intervals](data:image/svg+xml;base64,{encoded})"
