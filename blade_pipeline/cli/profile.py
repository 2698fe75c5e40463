"""``blade profile``: a draft of a benchmark's profile."""

import difflib
import sys
from pathlib import Path

import click

from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.cli.files import FILE
from blade_pipeline.cli.options import folder_options
from blade_pipeline.cli.output import note
from blade_pipeline.cli.stored import artifact_of, open_store
from blade_pipeline.storage import Cell, Store

_ASSETS = {"aligned_samples", "expected_rollouts", "failure_modes", "run_manifest"}


@click.command(name="profile")
@click.argument("benchmark")
@click.option("--out", type=FILE, help="Write the draft to this file, which must not be there yet.")
@folder_options("store")
def command(benchmark: str, out: Path | None, store: str) -> None:
    """Draft a profile of BENCHMARK from what its analysed runs show.

    Prints commented YAML that can be used as it stands: score and scale, answer key, slices, task id, repeats, likely
    funnel phases and failure modes, each with the counts that it rests on. What no row can say stands in a comment. A
    person who knows the benchmark keeps what is true and saves it as <profiles>/BENCHMARK.yaml.
    """
    from blade_pipeline.method.draft import Run, draft_profile

    if out is not None and (out.exists() or out.is_symlink()):
        raise UsageProblem(f"{out} is there already; name another file, or remove it.")
    opened = open_store(store)
    cells = _cells(opened, benchmark)
    tables = ("aligned_samples", "expected_rollouts")
    runs = [Run(str(cell.run), *(artifact_of(opened, name, cell).table for name in tables)) for cell in cells]
    documents = [dict(artifact_of(opened, "failure_modes", cell).document or {}) for cell in cells]
    _write(out, draft_profile(benchmark, runs, documents))


def _cells(store: Store, benchmark: str) -> list[Cell]:
    """The benchmark's analysed runs, the earliest first.

    Raises:
        UsageProblem: there is none; the sentence names the closest benchmarks.
    """
    there: dict[Cell, set[str]] = {}
    for asset, cell in store.artifacts():
        if cell.run is not None:
            there.setdefault(cell, set()).add(asset)
    whole = [cell for cell, assets in there.items() if assets >= _ASSETS]
    if cells := [cell for cell in whole if cell.benchmark == benchmark]:
        return sorted(cells, key=lambda cell: (_started(store, cell), cell.order))
    known = sorted({cell.benchmark for cell in whole})
    close = difflib.get_close_matches(benchmark, known, n=3) or known[:3]
    hint = f"did you mean {' or '.join(close)}?" if close else "run blade analyze first."
    raise UsageProblem(f"No run of {benchmark} is in the store {store.root}; {hint}")


def _started(store: Store, cell: Cell) -> str:
    """When the run began, the unknown ones last."""
    manifest = dict(artifact_of(store, "run_manifest", cell).document or {})
    return str(manifest["values"]["started_at"]["value"] or "~")


def _write(out: Path | None, text: str) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with out.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise UsageProblem(f"{out} is there already; name another file, or remove it.") from None
    note(f"the draft is in {out}; read it before it is used")
