"""The comparison page of a benchmark, over all pairs of its runs."""

import hashlib

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.verification import PageVerifier, wrongs
from blade_pipeline.reporting import build_benchmark_page
from blade_pipeline.storage import Artifact

_FILES = ("index.html", "comparison.md", "comparison.json")


def compute(inputs: Inputs) -> Artifact:
    """The files, and a document with their digests and what in them is not borne out."""
    live, gone = inputs.live_runs, inputs.gone_runs
    runs = [{"run": run, "gone": run in gone} for run in sorted({*live, *gone})]
    pairs, ranking = inputs.document("comparability"), inputs.document("model_comparison")
    files = build_benchmark_page(inputs.cell.benchmark, pairs, ranking, runs)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    names = [str(run["run"]) for run in runs]
    verifier = PageVerifier(names, ranking, pairs["pairs"])
    verification = wrongs({"comparison.md": verifier.report(files["comparison.md"].decode())})
    return Artifact(document={"runs": names, "files": digests, "verification": verification}, files=files)


def summary(artifact: Artifact) -> dict[str, object]:
    """How many runs the page compares."""
    return {"runs": len((artifact.document or {})["runs"])}


STAGE = Stage(
    name="benchmark_report",
    level="benchmark",
    group="reports",
    description="The benchmark's page: leaderboard with ranks, every pair with its verdict, links to the reports.",
    compute=compute,
    deps=("comparability", "model_comparison", "blade_report"),
    kinds=("jinja", "html"),
    publishes=_FILES,
    summary=summary,
)
