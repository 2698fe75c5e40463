"""The edition of a benchmark's page that may leave the team."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.sharing import artifact_of, summary
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.comparison import Pairs
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.reporting.sharing import build_shareable_page
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The files where the gate found nothing, and what was taken out or found."""
    terms = profile_of(inputs.document("benchmark_profile")).private_terms
    rows, pairs = inputs.document("model_comparison")["leaderboard"], Pairs(inputs.table("comparability"))
    return artifact_of(build_shareable_page(inputs.cell.benchmark, rows, pairs, inputs.share_key, terms))


STAGE = Stage(
    name="shareable_page",
    level="benchmark",
    group="sharing",
    description="The benchmark's page without texts and names, with the same gate at the end.",
    compute=compute,
    deps=("comparability", "model_comparison", "benchmark_profile"),
    kinds=("jinja", "html"),
    shares=True,
    summary=summary,
)
