"""``blade calibrate``: does the proxy tell a golden report from its shallow baseline?"""

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from blade_pipeline.cli.errors import FAILED
from blade_pipeline.cli.files import EXISTING_FILE, FOLDER, json_of, strict_option, text_of, write_json
from blade_pipeline.cli.options import FiniteRange
from blade_pipeline.cli.output import note, print_json
from blade_pipeline.method.package import calibration, misses, records


@click.command(name="calibrate")
@click.option("--golden-report", required=True, type=EXISTING_FILE, help="Golden report.")
@click.option("--anchor-facts", required=True, type=EXISTING_FILE, help="Its anchor facts.")
@click.option("--shallow-report", required=True, type=EXISTING_FILE, help="Its shallow baseline.")
@click.option("--output-dir", type=FOLDER, help="Folder for the scores.  [calibration-runs/<time>]")
@click.option("--min-spread", type=FiniteRange(), default=0.5, show_default=True, help="Least difference of both.")
@strict_option
def command(
    golden_report: Path,
    anchor_facts: Path,
    shallow_report: Path,
    output_dir: Path | None,
    min_spread: float,
    strict: bool,
) -> None:
    """Score a golden report against itself and its shallow baseline against it; print the summary as JSON.

    Exit code 1 when the spread is below --min-spread; with --strict also when the golden report stays below 0.85 or
    the shallow baseline comes above 0.40, and facts are looked for as blade score --strict does.
    """
    facts = records(json_of(anchor_facts))
    found = calibration(text_of(golden_report), text_of(shallow_report), facts, strict=strict)
    folder = output_dir or Path("calibration-runs") / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    for case in ("golden-vs-self", "shallow-vs-golden"):
        write_json(folder / case / "reward.json", found[case])
    write_json(folder / "calibration_summary.json", found["summary"])
    print_json(found["summary"])
    told = misses(found["summary"], min_spread, strict=strict)
    for sentence in told:
        note(sentence)
    sys.exit(FAILED if told else 0)
