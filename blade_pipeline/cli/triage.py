"""``blade triage``: score triage of a run against a published score."""

import difflib
from typing import Any, get_args

import click

from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.cli.options import folder_options, json_option
from blade_pipeline.cli.output import console, print_checks, print_json, print_table
from blade_pipeline.models import Factor
from blade_pipeline.storage import Cell


@click.command(name="triage")
@click.argument("benchmark")
@click.argument("run")
@click.option("--reference", required=True, metavar="NAME", help="Name of the score in the benchmark's reference file.")
@folder_options("store")
@click.option("--varying", type=click.Choice(get_args(Factor)), help="The factor under study (default: the profile's).")
@json_option
def command(benchmark: str, run: str, reference: str, store: str, varying: Factor | None, as_json: bool) -> None:
    """Hold RUN against a published score: what can be checked, the gap, and what would settle it.

    A reference without a config or a date is a rough target, not a contract.
    """
    from blade_pipeline.cli.stored import artifact_of, open_store, side_of
    from blade_pipeline.method.comparison import against_reference
    from blade_pipeline.method.profiles import profile_of
    from blade_pipeline.reporting.text import published

    opened = open_store(store)
    side = side_of(opened, Cell(benchmark, run))
    known = (artifact_of(opened, "reference_scores", Cell(benchmark)).document or {}).get("references", [])
    profile = profile_of(artifact_of(opened, "benchmark_profile", Cell(benchmark)).document or {})
    found = published(against_reference(side, _named(reference, known, benchmark), profile, varying=varying))
    if as_json:
        print_json(found)
    else:
        _print(found)


def _named(name: str, known: list[dict[str, Any]], benchmark: str) -> Any:
    """The reference of this name.

    Raises:
        UsageProblem: there is none; the sentence names those that are.
    """
    from blade_pipeline.models import Reference

    for entry in known:
        if entry["name"] == name:
            return Reference.model_validate(entry)
    names = [str(entry["name"]) for entry in known]
    if not names:
        raise UsageProblem(f"{benchmark} has no references; write {benchmark}.yaml and run blade analyze --references.")
    close = difflib.get_close_matches(name, names, n=3) or names[:3]
    raise UsageProblem(f"{benchmark} has no reference {name!r}; did you mean {' or '.join(map(repr, close))}?")


def _print(found: dict[str, Any]) -> None:
    shown = console()
    shown.print(f"verdict: {found['verdict']}\n{found['sentence']}\n\n{found['paragraph']}\n")
    print_checks(found, found["name"], found["run"])
    shown.print()
    print_table(("number", "value"), _numbers(found), right=("value",))
    for step in found["settle"]:
        shown.print(f"to settle it: {step}")


def _numbers(found: dict[str, Any]) -> list[tuple[str, str]]:
    from blade_pipeline.method.comparison.amounts import score_text, signed

    metric, own, interval = found["metric"], found["own"], found["interval"]
    ends = [] if interval is None else [signed(interval[end], metric) for end in ("low", "high")]
    return [
        ("reference", score_text(found["score_fraction"], metric)),
        ("run", "-" if own is None else score_text(own, metric)),
        ("difference", "-" if own is None else signed(found["difference"], metric)),
        ("interval", " to ".join(ends) or "-"),
    ]
