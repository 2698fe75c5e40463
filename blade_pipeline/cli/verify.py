"""``blade verify``: every figure and id of a written report against the rows."""

import sys
from pathlib import Path
from typing import Any

import click

from blade_pipeline.cli.errors import FAILED, UsageProblem
from blade_pipeline.cli.files import EXISTING_FILE, json_of, text_of
from blade_pipeline.cli.options import folder_options, json_option
from blade_pipeline.cli.output import console, on_one_line, print_json, print_table
from blade_pipeline.cli.stored import artifact_of, open_store
from blade_pipeline.storage import Cell, Store


@click.command(name="verify")
@click.argument("report", type=EXISTING_FILE, metavar="REPORT.md")
@click.argument("benchmark")
@click.argument("run", required=False)
@folder_options("store")
@json_option
def command(report: Path, benchmark: str, run: str | None, store: str, as_json: bool) -> None:
    """Check the figures and ids of any report, ours or a person's, against the rows of an analysed run.

    REPORT is Markdown, a metrics sidecar or a coverage.json; without RUN it is the comparison.md of a benchmark. Lists
    every figure that the data contradict, with the right value, every figure that could not be placed, totals that do
    not add up, and cited tasks or rollouts that do not exist; --json also lists what was confirmed. Exit code 1 when
    the data contradict the report.
    """
    found = _verified(report, benchmark, run, store)
    if as_json:
        print_json({"benchmark": benchmark, "run": run, **found})
    else:
        _show(found)
    sys.exit(0 if found["ok"] else FAILED)


def _verified(report: Path, benchmark: str, run: str | None, store: str) -> dict[str, Any]:
    from blade_pipeline.method.verification import Evidence, Verifier

    opened, cell = open_store(store), Cell(benchmark, run)
    if run is None:
        return _page_verified(report, opened, cell)
    evidence = Evidence.read(
        benchmark,
        run,
        lambda asset: artifact_of(opened, asset, cell).table,
        lambda asset: dict(artifact_of(opened, asset, cell).document or {}),
    )
    if report.suffix != ".json":
        return Verifier(evidence).report(text_of(report))
    document = json_of(report)
    if not isinstance(document, dict):
        raise UsageProblem(f"{report} holds no object of metrics; name a report or a metrics sidecar.")
    verifier = Verifier(evidence)
    is_accounting = "accounting" in document and "by" in document
    return verifier.coverage(document) if is_accounting else verifier.sidecar(document)


def _page_verified(page: Path, store: Store, cell: Cell) -> dict[str, Any]:
    from blade_pipeline.method.comparison import Pairs
    from blade_pipeline.method.verification import PageVerifier

    if page.suffix == ".json":
        raise UsageProblem(f"{page} is no page of a benchmark; name comparison.md, or the run that it speaks of.")
    ranking, compared, made = (
        artifact_of(store, asset, cell) for asset in ("model_comparison", "comparability", "benchmark_report")
    )
    runs, pairs = (made.document or {})["runs"], Pairs(compared.table)
    return PageVerifier(runs, dict(ranking.document or {}), pairs).report(text_of(page))


def _show(found: dict[str, Any]) -> None:
    wrong = [_row(figure) for figure in found["figures"] if figure["status"] == "contradicted"]
    wrong += [
        (_line(total), total["stated"], total["right"], f"total of {total['column']}") for total in found["totals"]
    ]
    wrong += [(_line(cited), cited["id"], cited["problem"], f"cited {cited['kind']}") for cited in found["ids"]]
    if wrong:
        console().print("Contradicted by the data:\n")
        print_table(("line", "says", "right", "what"), wrong, right=("line",))
        console().print()
    open_ = [_row(figure) for figure in found["figures"] if figure["status"] == "unplaced"]
    if open_:
        console().print("Not placed:\n")
        print_table(("line", "says", "where"), [(row[0], row[1], row[3]) for row in open_], right=("line",))
        console().print()
    console().print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found["counts"].items()))


def _row(figure: dict[str, Any]) -> tuple[str, str, str, str]:
    what = f"{figure['by']}: {figure['context']}" if figure["by"] else figure["context"]
    return _line(figure), figure["text"], figure["right"] or "", on_one_line(what)


def _line(entry: dict[str, Any]) -> str:
    return "" if entry["line"] is None else str(entry["line"])
