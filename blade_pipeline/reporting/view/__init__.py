"""From a run's tables and documents to the eleven sections of its report.

This is the one place that knows the keys of the upstream documents; the writers of Markdown and HTML see blocks only.
"""

from blade_pipeline.reporting.blocks import Document, Section, code, say
from blade_pipeline.reporting.inputs import ReportInputs
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.aggregate import aggregate_results
from blade_pipeline.reporting.view.causes import dominant_failure_modes, recommendations
from blade_pipeline.reporting.view.comparison import cross_model_comparison
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.inventory import artifact_inventory
from blade_pipeline.reporting.view.never import never_pass
from blade_pipeline.reporting.view.notes import reproducibility_notes
from blade_pipeline.reporting.view.sometimes import sometimes_pass
from blade_pipeline.reporting.view.summary import executive_summary
from blade_pipeline.reporting.view.tasks import task_outcome_buckets
from blade_pipeline.reporting.view.workflow import workflow_funnel

SECTIONS = (
    ("Executive Summary", executive_summary),
    ("Artifact Inventory", artifact_inventory),
    ("Aggregate Results", aggregate_results),
    ("Workflow Funnel", workflow_funnel),
    ("Task Outcome Buckets", task_outcome_buckets),
    ("Dominant Failure Modes", dominant_failure_modes),
    ("Sometimes-Pass Deep Dives", sometimes_pass),
    ("Never-Pass Deep Dives", never_pass),
    ("Cross-Model Comparison", cross_model_comparison),
    ("Recommendations", recommendations),
    ("Reproducibility Notes", reproducibility_notes),
)


def report_document(inputs: ReportInputs) -> Document:
    """A run's report as blocks, its sections in the order that every BLADE report keeps."""
    evidence = Evidence(inputs)
    title = f"{clean(inputs.benchmark)} BLADE Analysis Report"
    subtitle = say("Run ", code(inputs.run), *evidence.model_words())
    return Document(title, subtitle, tuple(Section(name, tuple(build(evidence))) for name, build in SECTIONS))
