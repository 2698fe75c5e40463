"""Every pair of the benchmark's runs: are their scores comparable, and do they differ?"""

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.keys import key_of
from blade_pipeline.assets.sides import SIDE, side_of
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import verdicts
from blade_pipeline.columns import PAIRS
from blade_pipeline.method.comparison import Pairs, comparability
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.storage import Artifact, Cell, digest_of


def compute(inputs: Inputs) -> Artifact:
    """All pairs; those whose runs, profile and code are as before are taken from last time."""
    profile = profile_of(inputs.document("benchmark_profile"))
    sides = [side_of(inputs.of(run)) for run in inputs.live_runs]
    stamps = {side.run: _stamp(inputs, side.run) for side in sides}
    document, pairs = comparability(sides, profile, _known(inputs, stamps))
    return Artifact(pairs.table, {**document, "stamps": stamps}, versioned=document)


def _stamp(inputs: Inputs, run: str) -> str:
    """Digest of everything that a pair takes from one run, with the profile and the code."""
    cell = Cell(inputs.cell.benchmark, run)
    keys = [*(key_of(asset, cell) for asset in SIDE), key_of("benchmark_profile", inputs.cell)]
    return digest_of([inputs.stage.code_version, *(inputs.versions[key] for key in keys)])


def _known(inputs: Inputs, stamps: dict[str, str]) -> Pairs | None:
    previous = inputs.previous()
    if previous is None or previous.table is None:
        return None
    before = (previous.document or {})["stamps"]
    same = pa.array([run for run, stamp in stamps.items() if before.get(run) == stamp], pa.string())
    pairs = previous.table
    return Pairs(pairs.filter(pc.and_(pc.is_in(pairs["run_a"], same), pc.is_in(pairs["run_b"], same))))


def summary(artifact: Artifact) -> dict[str, object]:
    """Verdict per pair."""
    assert isinstance(artifact.table, pa.Table)
    pairs = artifact.table.select(["run_a", "run_b", "verdict"]).to_pylist()
    return {"pairs": len(pairs), "verdicts": verdicts(pairs)}


STAGE = Stage(
    name="comparability",
    level="benchmark",
    group="comparison",
    description="Every pair of the benchmark's runs: ordered checks, paired statistics, flips and a verdict.",
    compute=compute,
    columns=PAIRS,
    deps=(*SIDE, "benchmark_profile"),
    summary=summary,
)
