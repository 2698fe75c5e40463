"""Reports for people: Markdown, HTML and JSON from the numbers of a run or of a benchmark."""

from blade_pipeline.reporting.build import build_report, markdown_summary
from blade_pipeline.reporting.edition import with_previous
from blade_pipeline.reporting.inputs import ReportInputs
from blade_pipeline.reporting.page import build_benchmark_page
from blade_pipeline.reporting.plot import scores_plot
from blade_pipeline.reporting.vanished import mark_vanished
from blade_pipeline.reporting.view.summary import verdict

__all__ = [
    "ReportInputs",
    "build_benchmark_page",
    "build_report",
    "mark_vanished",
    "markdown_summary",
    "scores_plot",
    "verdict",
    "with_previous",
]
