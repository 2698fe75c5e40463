"""``blade compare``: score triage of two runs."""

from typing import Any, get_args

import click

from blade_pipeline.cli.options import FiniteRange, folder_options, json_option
from blade_pipeline.cli.output import console, print_checks, print_json, print_table
from blade_pipeline.models import Factor
from blade_pipeline.storage import Cell

_FLIPS = 20
_ROWS = 12


@click.command(name="compare")
@click.argument("benchmark")
@click.argument("run_a")
@click.argument("run_b")
@folder_options("store")
@click.option("--varying", type=click.Choice(get_args(Factor)), help="The factor under study (default: the profile's).")
@click.option(
    "--margin",
    type=FiniteRange(0, 1, min_open=True),
    metavar="M",
    help="Smallest difference that matters, as a share of the score's range (default: the profile's).",
)
@json_option
def command(
    benchmark: str, run_a: str, run_b: str, store: str, varying: Factor | None, margin: float | None, as_json: bool
) -> None:
    """Hold RUN_B against RUN_A: the ordered checks, the verdict, paired statistics, flips, failure modes and tools.

    --json prints the pair as comparability.json holds it, without modes and tools.
    """
    from blade_pipeline.cli.stored import artifact_of, behaviour_of, open_store
    from blade_pipeline.method.comparison import compare, moved_behaviour
    from blade_pipeline.method.profiles import profile_of
    from blade_pipeline.reporting.text import published

    opened = open_store(store)
    a, b = (behaviour_of(opened, Cell(benchmark, run)) for run in (run_a, run_b))
    profile = profile_of(artifact_of(opened, "benchmark_profile", Cell(benchmark)).document or {})
    pair = published(compare(a.side, b.side, profile, varying=varying, margin=margin))
    if as_json:
        print_json(pair)
        return
    _print(pair, **published(moved_behaviour(a, b)))


def _print(pair: dict[str, Any], modes: dict[str, Any], tools: dict[str, Any]) -> None:
    shown = console()
    shown.print(f"verdict: {pair['verdict']}\n{pair['sentence']}\n\n{pair['paragraph']}\n")
    for sentence in filter(None, (modes["sentence"], tools["sentence"])):
        shown.print(f"{sentence}\n")
    print_checks(pair, pair["run_a"], pair["run_b"])
    shown.print()
    print_table(("number", "value"), _numbers(pair["difference"]), right=("value",))
    _print_flips(pair["flips"], pair["difference"])
    _print_moves(pair.get("moves") or {})
    rows = [(row["code"], *_moved(row)) for row in modes["rows"][:_ROWS]]
    _print_behaviour("mode", "failed rollouts by mode", modes, [*rows, ("all failures", *_moved(modes))])
    rows = [(row["tool"], *_moved(row)) for row in tools["rows"][:_ROWS]]
    _print_behaviour("tool", "rollouts that call a tool", tools, rows)
    for step in pair["settle"]:
        shown.print(f"to settle it: {step}")


def _numbers(difference: dict[str, Any]) -> list[tuple[str, str]]:
    from blade_pipeline.method.comparison.amounts import PERCENT, signed, size

    metric = difference["metric"]
    rows = [(f"difference in {metric}", signed(difference["value"], metric))]
    rows.append(("tasks in common", str(difference["tasks"])))
    for name, question in (("new_tasks", "interval, new tasks"), ("these_tasks", "interval, these tasks")):
        found = difference[name]
        if found and found["low"] is not None:
            rows.append((question, f"{signed(found['low'], metric)} to {signed(found['high'], metric)}"))
    if difference["sign_flip_p"] is not None:
        rows.append(("sign-flip p", f"{difference['sign_flip_p']:.3g}"))
    if difference["noise_floor"] is not None:
        rows.append(("re-run noise", f"within {size(difference['noise_floor']['band95'], metric)}"))
    if difference["mde"]["value"] is not None:
        smallest = difference["mde"]["value"]
        least = "more than " * difference["mde"]["at_least"]
        beyond = metric == PERCENT and smallest > 1
        rows.append(
            ("detectable with power .8", "no possible difference" if beyond else least + size(smallest, metric))
        )
    return rows


def _print_flips(flips: dict[str, Any], difference: dict[str, Any]) -> None:
    shown, test, name = console(), difference["sign_test"], "flips"
    if difference["metric"] != "pass@1" and test:
        counted = f"{test['gained']} gained, {test['lost']} lost, {test['tied']} tied"
        shown.print(f"\ntasks by {difference['metric']}: {counted}")
        name = "flips of passing alone"
    counted = f"{flips['gained']} gained, {flips['lost']} lost, {flips['unchanged']} unchanged"
    shown.print(f"\n{name}: {counted}; {flips['note']}")
    rows = [(str(flip["task"]), flip["a"], flip["b"]) for flip in flips["candidates"][:_FLIPS]]
    if rows:
        print_table(("task", "a", "b"), rows, right=("a", "b"))
    if len(flips["candidates"]) > _FLIPS:
        shown.print(f"and {len(flips['candidates']) - _FLIPS} more")


def _print_moves(moves: dict[str, Any]) -> None:
    """The tasks whose mean score moved most."""
    shown, found = console(), moves.get("candidates") or []
    rows = [
        (str(task["task"]), f"{task['a']:.3f}", f"{task['b']:.3f}", f"{task['change']:+.3f}") for task in found[:_FLIPS]
    ]
    if rows:
        shown.print(f"\ntasks whose mean score moved most; {moves['note']}")
        print_table(("task", "a", "b", "change"), rows, right=("a", "b", "change"))


def _print_behaviour(noun: str, what: str, found: dict[str, Any], rows: list[tuple[str, ...]]) -> None:
    """The modes or tools of both runs, those that moved most first."""
    if found["rows"]:
        console().print(f"\n{what}, on {found['tasks']} common tasks")
        print_table((noun, "a", "b", "change", "p, Holm"), rows, right=("a", "b", "change", "p, Holm"))


def _moved(row: dict[str, Any]) -> tuple[str, ...]:
    from blade_pipeline.method.comparison.amounts import PERCENT, signed

    p = row.get("holm_p")
    sides = (f"{row[side]['count']} of {row[side]['measured']}" for side in "ab")
    return (*sides, signed(row["change"], PERCENT), "" if p is None else f"{p:.2g}")
