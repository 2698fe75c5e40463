"""``blade validate``: the shape of a BLADE package."""

import sys
from pathlib import Path

import click

from blade_pipeline.cli.errors import FAILED
from blade_pipeline.cli.files import EXISTING_FOLDER, strict_option
from blade_pipeline.cli.options import json_option
from blade_pipeline.cli.output import console, on_one_line, print_json
from blade_pipeline.method.package import MIN_FACTS, PHASES, Phase, told, validate_package


@click.command(name="validate")
@click.option("--benchmark-dir", required=True, type=EXISTING_FOLDER, help="Folder of the package.")
@click.option("--phase", type=click.Choice(PHASES), default="all", show_default=True, help="Deliverable to look at.")
@click.option(
    "--min-anchor-facts", type=click.IntRange(min=0), default=MIN_FACTS, show_default=True, help="Facts a report needs."
)
@strict_option
@json_option
def command(benchmark_dir: Path, phase: Phase, min_anchor_facts: int, strict: bool, as_json: bool) -> None:
    """Check a BLADE package: D1 skill, D2 rollouts, D3 golden reports. Exit code 1 when anything fails.

    With --strict also: the figures of every metrics sidecar and the ids that a report cites follow from the rollouts
    of the same name, the rollouts files share their tasks, every fact is one finding that a passage of its report
    states with its figures, and sidecars are not taken for rollouts.
    """
    found = told(validate_package(benchmark_dir, phase, min_anchor_facts, strict=strict))
    if as_json:
        print_json(found)
    else:
        for finding in found["findings"]:
            console().print(f"[{'PASS' if finding['ok'] else 'FAIL'}] {on_one_line(finding['message'])}")
        console().print(f"\nSummary: {found['passed']}/{found['total']} checks passed")
    sys.exit(0 if found["ok"] else FAILED)
