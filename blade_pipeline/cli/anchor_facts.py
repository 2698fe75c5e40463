"""``blade anchor-facts``: draft anchor facts from a written report."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from blade_pipeline.cli.errors import FAILED, UsageProblem
from blade_pipeline.cli.files import EXISTING_FILE, FILE, strict_option, text_of, write_json
from blade_pipeline.cli.options import json_option
from blade_pipeline.cli.output import note, print_json
from blade_pipeline.method.package import METHOD, draft_facts

_GOLDEN = "--golden"


@click.command(name="anchor-facts")
@click.option(
    "--from-report",
    is_flag=False,
    flag_value=_GOLDEN,
    metavar="[REPORT.md]",
    help="Draft them from a report: this one, or the one that --golden names.",
)
@click.option("--golden", type=EXISTING_FILE, help="Report in Markdown.")
@click.option("--output", required=True, type=FILE, help="Where the facts go.")
@click.option("--benchmark", required=True, help="Name of the benchmark.")
@click.option("--model-name", required=True, help="Name of the model.")
@click.option("--num-facts", type=click.IntRange(min=1), default=12, show_default=True, help="At most so many.")
@click.option("--min-facts", type=click.IntRange(min=0), default=8, show_default=True, help="Exit code 1 below this.")
@strict_option
@json_option
def command(
    from_report: str | None,
    golden: Path | None,
    output: Path,
    benchmark: str,
    model_name: str,
    num_facts: int,
    min_facts: int,
    strict: bool,
    as_json: bool,
) -> None:
    """Draft anchor facts from the sentences of a report; a person must review them.

    The facts of an analysed run, proved by its rows, are in its anchor_facts.json. With --strict list items never run
    together into one fact, a fact keeps its figures, and has at most 60 words.
    """
    facts = draft_facts(text_of(_report(from_report, golden)), num_facts, strict=strict)
    document = {
        "benchmark": benchmark,
        "model": model_name,
        "extraction_method": METHOD,
        "generated_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "review_required": True,
        "anchor_facts": facts,
    }
    write_json(output, document)
    if as_json:
        print_json(document)
    else:
        note(f"{len(facts)} draft facts are in {output}; review them, and replace those that only sum up.")
    sys.exit(0 if len(facts) >= min_facts else FAILED)


def _report(from_report: str | None, golden: Path | None) -> Path:
    if golden is not None:
        return golden
    if from_report is None:
        raise UsageProblem("Facts are drafted from a report; name it with --from-report REPORT.md.")
    if from_report == _GOLDEN:
        raise UsageProblem("No report is named; give it after --from-report or with --golden.")
    if not Path(from_report).is_file():
        raise UsageProblem(f"{from_report} is no file; name a report in Markdown.")
    return Path(from_report)
