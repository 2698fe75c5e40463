"""Workflow Funnel: where rollouts stop."""

from blade_pipeline.reporting.blocks import Block, Figure, Paragraph, Text, absent, cells, code, quoted, say, table
from blade_pipeline.reporting.figures import counts_bar
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, share
from blade_pipeline.reporting.view.evidence import Evidence

SOURCES = {
    "generic": "The phases are the generic ones: the benchmark's profile declares none.",
    "profile": "The phases are those of the benchmark's profile.",
}


def workflow_funnel(evidence: Evidence) -> list[Block]:
    """The phases in order, each with its rule, and the largest drop-off."""
    funnel = evidence.inputs.funnel
    phases, total = funnel["phases"], funnel["total_rollouts"]
    if not phases or not total:
        return [absent("a workflow funnel. No rollout was seen.")]
    alternative = "; ".join(f"{phase['phase']}: {phase['reached']} of {total}" for phase in phases)
    drawing = counts_bar([(phase["phase"], phase["reached"], total) for phase in phases])
    return [
        Paragraph(say(_largest(funnel), " ", SOURCES.get(funnel["source"], ""), evidence.cite("funnel"))),
        Figure(drawing, "Rollouts that reach each phase", alternative),
        table(
            "Workflow phases",
            "Phase | Reached, of all rollouts | Lost here, of those that entered | Rule",
            [
                cells(
                    code(phase["phase"]),
                    share(phase["reached"], total, "rollouts"),
                    share(phase["entered"] - phase["reached"], phase["entered"], "entered"),
                    code(phase["rule"]) if funnel["source"] == "profile" else quoted(phase["rule"]),
                )
                for phase in phases
            ],
        ),
    ]


def _largest(funnel: Json) -> Text:
    drop = funnel["largest_drop"]
    if not drop:
        return say("No rollout is lost between two phases.")
    return say(
        "The largest drop-off is at ", code(drop["phase"]), f": {count(drop['lost'])} of {count(drop['entered'])} "
        "rollouts that entered this phase did not get through it.",
    )  # fmt: skip
