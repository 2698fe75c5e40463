"""The comparison page of a benchmark, over all pairs of its runs."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.comparison import Pairs
from blade_pipeline.method.verification import PageVerifier, wrongs
from blade_pipeline.reporting import build_benchmark_page
from blade_pipeline.storage import Artifact

_COLUMNS = {"run": "run", "pass_at_1": "pass@1", "low": "low", "high": "high", "coverage": "coverage"}
_FILES = ("index.html", "comparison.md", "comparison.json")


def compute(inputs: Inputs) -> Artifact:
    """The files, and a document with their digests and what in them is not borne out."""
    live, gone = inputs.live_runs, inputs.gone_runs
    runs = [{"run": run, "gone": run in gone} for run in sorted({*live, *gone})]
    pairs, ranking = Pairs(inputs.table("comparability")), inputs.document("model_comparison")
    files = build_benchmark_page(inputs.cell.benchmark, pairs, ranking, runs)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    names = [str(run["run"]) for run in runs]
    verifier = PageVerifier(names, ranking, pairs)
    verification = wrongs({"comparison.md": verifier.report(files["comparison.md"].decode())})
    shown = {
        "sentence": ranking["sentence"],
        "leaderboard": _leaderboard(ranking),
        "pairs by verdict": _counted(pairs.table["verdict"].to_pylist()),
    }
    return Artifact(document={"runs": names, "files": digests, "verification": verification, **shown}, files=files)


def _counted(verdicts: Iterable[str]) -> list[dict[str, Any]]:
    return [{"verdict": name, "pairs": count} for name, count in Counter(verdicts).most_common()]


def _leaderboard(ranking: dict[str, Any]) -> list[dict[str, Any]]:
    return [{label: row[name] for name, label in _COLUMNS.items()} for row in ranking["leaderboard"]]


def summary(artifact: Artifact) -> dict[str, object]:
    """What the data order, the leaderboard, and how many pairs have which verdict."""
    document = artifact.document or {}
    shown = {name: document[name] for name in ("sentence", "leaderboard", "pairs by verdict")}
    return shown | {"runs": len(document["runs"])}


STAGE = Stage(
    name="benchmark_report",
    level="benchmark",
    group="reports",
    description="The benchmark's page: open the file named under report. Leaderboard with ranks, pass@1, coverage and "
    "mask rate in the order of time, every pair with its verdict, links to the reports.",
    compute=compute,
    deps=("comparability", "model_comparison", "blade_report"),
    kinds=("jinja", "html"),
    publishes=_FILES,
    summary=summary,
)
