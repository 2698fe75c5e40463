"""``blade shallow``: the negative control of a report."""

from pathlib import Path

import click

from blade_pipeline.cli.files import EXISTING_FILE, FILE, text_of, write_text
from blade_pipeline.cli.options import json_option
from blade_pipeline.cli.output import note, print_json
from blade_pipeline.method.package import shallow_baseline


@click.command(name="shallow")
@click.option("--input", "source", required=True, type=EXISTING_FILE, help="Report in Markdown.")
@click.option("--output", required=True, type=FILE, help="Where the shallow baseline goes.")
@json_option
def command(source: Path, output: Path, as_json: bool) -> None:
    """Write a shallow baseline of a report: its headings, and its aggregate and funnel tables, without reasoning."""
    write_text(output, shallow_baseline(text_of(source), source.stem))
    if as_json:
        print_json({"output": str(output)})
    else:
        note(f"The shallow baseline is {output}.")
