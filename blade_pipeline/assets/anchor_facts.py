"""Findings that nobody could guess, with the rows that prove them."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.anchor_facts import anchor_facts
from blade_pipeline.storage import Artifact

_DOCUMENTS = ("workflow_funnel", "trajectory_contrasts", "root_causes")


def compute(inputs: Inputs) -> Artifact:
    """The facts document."""
    model = inputs.document("run_manifest")["values"]["model"]["value"]
    funnel, contrasts, causes = (inputs.document(name) for name in _DOCUMENTS)
    return Artifact(
        document=anchor_facts(
            inputs.cell.benchmark,
            str(inputs.cell.run),
            model,
            inputs.document("coverage"),
            inputs.document("pass_at_k"),
            inputs.table("outcome_buckets"),
            inputs.document("failure_modes"),
            funnel,
            contrasts,
            causes,
        )
    )


def summary(artifact: Artifact) -> dict[str, object]:
    """How many facts there are, and of which kinds."""
    facts = (artifact.document or {})["facts"]
    kinds = [{"fact": fact["id"], "kind": fact["evidence"]["kind"], "difficulty": fact["difficulty"]} for fact in facts]
    return {"facts": len(facts), "kinds": kinds}


STAGE = Stage(
    name="anchor_facts",
    level="run",
    group="diagnosis",
    description="Non-guessable facts about the run, each with the rows or the query that prove it.",
    compute=compute,
    deps=("run_manifest", "coverage", "pass_at_k", "outcome_buckets", "failure_modes", *_DOCUMENTS),
    summary=summary,
)
