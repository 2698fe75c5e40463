"""``blade doctor``: what needs a hand, and what to do about it."""

import sys
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from blade_pipeline.cli.options import folder_options, json_option, runs_argument
from blade_pipeline.cli.output import console, note, on_one_line, print_json

if TYPE_CHECKING:
    from blade_pipeline.automation.doctor import Examination
    from blade_pipeline.automation.doctor.finding import Finding

_MOST = 20
_MARKS = {"ok": "  ", "note": "- ", "act": "! "}


@click.command(name="doctor")
@runs_argument
@folder_options("store", "profiles", "references", "labels")
@json_option
def command(runs: str, store: str, profiles: str, references: str, labels: str, as_json: bool) -> None:
    """Examine the installation, the store and the runs below RUNS (default data/runs), and say what to do.

    Lines with ! need a hand, lines with - are worth knowing. Exits 0 when nothing needs a hand, else 1. Nothing is
    written.
    """
    from blade_pipeline.assets.settings import Settings
    from blade_pipeline.automation.doctor import examine

    found = examine(Settings(runs=runs, store=store, profiles=profiles, references=references, labels=labels))
    if as_json:
        print_json(_document(found))
    else:
        _print(found)
    if found.needs_a_hand:
        sys.exit(1)


def _document(found: "Examination") -> dict[str, Any]:
    return {
        "schema_version": 1,
        "needs_a_hand": found.needs_a_hand,
        "versions": found.versions,
        "store": found.store,
        "findings": [asdict(finding) for finding in found.findings],
    }


def _print(found: "Examination") -> None:
    console().print(", ".join(f"{name} {version}" for name, version in found.versions.items()))
    console().print(_store(found.store))
    for area, findings in groupby(found.findings, key=lambda finding: finding.area):
        _print_area(area, list(findings))
    acts = sum(finding.level == "act" for finding in found.findings)
    note(f"{acts} of {len(found.findings)} findings need a hand" if acts else "nothing needs a hand")


def _print_area(area: str, findings: "list[Finding]") -> None:
    console().print(f"\n{area}")
    for finding in findings[:_MOST]:
        do = f": {finding.do}" if finding.do else ""
        console().print(on_one_line(f"{_MARKS[finding.level]}{finding.what}{do}"), soft_wrap=True)
    if len(findings) > _MOST:
        console().print(f"  and {len(findings) - _MOST} more; --json lists them all")


def _store(store: dict[str, Any]) -> str:
    writable = {True: ", writable", False: ", not writable", None: ""}[store["writable"]]
    free = "" if store["free_bytes"] is None else f", {_size(store['free_bytes'])} free"
    parts = ", ".join(f"{name} {_size(size)}" for name, size in sorted(store["bytes"].items()) if "." not in name[1:])
    return f"store {store['place']}: {store['kind']}{writable}, {_size(sum(store['bytes'].values()))} ({parts}){free}"


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
