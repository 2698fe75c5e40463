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
from blade_pipeline.reporting.numbers import percent
from blade_pipeline.reporting.view.run_scores import MEAN, PASS, run_score
from blade_pipeline.reporting.view.trend import in_time
from blade_pipeline.storage import Artifact

_TRENDS = {"pass_at_1": "pass@1", "coverage": "coverage", "mask_rate": "mask rate"}
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
        "newest": _newest(ranking),
    }
    return Artifact(document={"runs": names, "files": digests, "verification": verification, **shown}, files=files)


def _counted(verdicts: Iterable[str]) -> list[dict[str, Any]]:
    return [{"verdict": name, "pairs": count} for name, count in Counter(verdicts).most_common()]


def _leaderboard(ranking: dict[str, Any]) -> list[dict[str, Any]]:
    score = run_score(ranking["leaderboard"])
    return [
        {
            "run": row["run"],
            score.name: score.of(row),
            "interval, new tasks": score.span(row),
            **({PASS.name: PASS.of(row)} if score is MEAN else {}),
            "coverage": percent(row["coverage"]),
        }
        for row in ranking["leaderboard"]
    ]


def _newest(ranking: dict[str, Any]) -> dict[str, Any]:
    """Name and numbers of the newest run that carries a time; nothing where none does."""
    *_, newest = [None, *in_time(ranking["leaderboard"])]
    if newest is None:
        return {}
    score = run_score(ranking["leaderboard"])
    trends = _TRENDS | {score.key: score.name}
    return {"newest run": newest["run"]} | {f"{label} of the newest run": newest[key] for key, label in trends.items()}


def summary(artifact: Artifact) -> dict[str, object]:
    """What the data order, the leaderboard, how many pairs have which verdict, and numbers that make a trend."""
    document = artifact.document or {}
    shown = {name: document[name] for name in ("leaderboard", "pairs by verdict")}
    return {"conclusion": document["sentence"], **shown, **document["newest"], "runs": len(document["runs"])}


STAGE = Stage(
    name="benchmark_report",
    level="benchmark",
    group="reports",
    description="The benchmark's page: open the file named under report. Leaderboard with ranks, pass@1, coverage and "
    "mask rate in the order of time, every pair with its verdict, links to the reports. The plots of its metadata show "
    "the newest run from one to the next.",
    compute=compute,
    deps=("comparability", "model_comparison", "blade_report"),
    kinds=("jinja", "html"),
    publishes=_FILES,
    summary=summary,
)
