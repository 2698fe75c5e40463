"""What disturbs a run's numbers, and the accounting by health verdict."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Bullets, Heading, Paragraph, cells, code, quoted, say, strong, table
from blade_pipeline.reporting.metrics import total_rollouts
from blade_pipeline.reporting.numbers import count, decimal, ratio
from blade_pipeline.reporting.view.evidence import Evidence


def finding_blocks(evidence: Evidence) -> Iterator[Block]:
    """The findings of the accounting, each with its kind; nothing where there is none."""
    found = evidence.inputs.coverage["findings"]
    if found:
        yield Heading(say("What disturbs these numbers"))
        kinds = (entry["kind"] for entry in found)
        capitals = (kind[:1].upper() + kind[1:] for kind in kinds)
        items = zip(capitals, found, strict=True)
        yield Bullets(tuple(say(strong(f"{kind}."), " ", quoted(entry["sentence"])) for kind, entry in items))


def health_blocks(evidence: Evidence) -> Iterator[Block]:
    """Outcomes and rewards by verdict of the health check, and its findings; nothing without a current health file."""
    coverage = evidence.inputs.coverage
    verdicts = coverage["by"]["health"]
    if not verdicts:
        return
    columns = "Rollouts | Measured | Passed of measured | Mean reward of measured"
    rows = [
        cells(
            code(row["verdict"]),
            count(total_rollouts(row)),
            ratio(row["measured"], total_rollouts(row)),
            ratio(row["passed"], row["measured"]),
            decimal(row["mean_reward"], 4) if row["measured"] else "none",
        )
        for row in verdicts
    ]
    yield table("By verdict of NeMo Gym's health check", f"Verdict | {columns}", rows, numeric=columns)
    words = "A verdict changes no score: it says whether the recorded trajectory of a rollout looks sound"
    yield Paragraph(say(f"{words}. Without a recorded trajectory no rollout can be called healthy."), "quiet")
    checks = [
        cells(
            code(row["check"]),
            count(row["rollouts"]),
            ratio(row["passed"], row["measured"]),
            decimal(row["mean_reward"], 4) if row["measured"] else "none",
        )
        for row in coverage["health_checks"]
    ]
    if checks:
        columns = "Rollouts | Passed of measured | Mean reward of measured"
        yield table("Findings of the health check", f"Check | {columns}", checks, numeric=columns)
