"""The edition of a run's report that may leave the team."""

from blade_pipeline.assets.blade_report import DEPS, given_to
from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.sharing import artifact_of, summary
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.reporting.sharing import build_shareable
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The files where the gate found nothing, and what was taken out or found."""
    terms = profile_of(inputs.document("benchmark_profile")).private_terms
    return artifact_of(build_shareable(given_to(inputs), inputs.share_key, terms))


STAGE = Stage(
    name="shareable_report",
    level="run",
    group="sharing",
    description="The run's report without texts and names: allow-listed facts, pseudonyms, and a gate at the end.",
    compute=compute,
    deps=DEPS,
    kinds=("jinja", "html"),
    shares=True,
    summary=summary,
)
