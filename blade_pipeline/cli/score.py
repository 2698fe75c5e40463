"""``blade score``: a report against a golden report and its anchor facts."""

from pathlib import Path

import click

from blade_pipeline.cli.files import EXISTING_FILE, FOLDER, json_of, strict_option, text_of, write_json
from blade_pipeline.cli.output import note, print_json
from blade_pipeline.method.package import records, score_report


@click.command(name="score")
@click.option("--report", required=True, type=EXISTING_FILE, help="Report to be scored.")
@click.option("--golden", required=True, type=EXISTING_FILE, help="Golden report.")
@click.option("--anchor-facts", required=True, type=EXISTING_FILE, help="Anchor facts of the golden report.")
@click.option("--output-dir", type=FOLDER, help="Folder for reward.json.")
@strict_option
def command(
    report: Path,
    golden: Path,
    anchor_facts: Path,
    output_dir: Path | None,
    strict: bool,
) -> None:
    """Score a report with a deterministic proxy and print the score as JSON.

    With --strict a fact counts as found only where one passage of prose states it with its own figures, so that
    neither made-up figures nor a list of the right words pass.
    """
    facts = records(json_of(anchor_facts))
    result = score_report(text_of(report), text_of(golden), facts, strict=strict)
    if output_dir is not None:
        write_json(output_dir / "reward.json", result)
        note(f"The score is in {output_dir / 'reward.json'}.")
    print_json(result)
