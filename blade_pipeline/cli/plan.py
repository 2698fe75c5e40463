"""``blade plan``: what the next comparison could find, and what it would need."""

from typing import Any

import click

from blade_pipeline.cli.options import FiniteRange, folder_options, json_option
from blade_pipeline.cli.output import console, print_json, print_table
from blade_pipeline.cli.stored import artifact_of, open_store
from blade_pipeline.rounding import rounded
from blade_pipeline.storage import Cell

_OPEN = FiniteRange(0, 1, min_open=True, max_open=True)
_EFFECT = FiniteRange(0, 1, min_open=True)


@click.command(name="plan")
@click.argument("benchmark")
@click.argument("run")
@click.option("--power", type=_OPEN, default=0.8, show_default=True, help="Chance of finding the effect.")
@click.option("--level", type=_OPEN, default=0.05, show_default=True, help="Two-sided level of the test.")
@click.option("--effect", type=_EFFECT, help="True difference in pass@1 to be found, as a fraction (0.03 is 3 points).")
@click.option("--omega2", type=FiniteRange(min=0), help="Variance of the effect from task to task, when it is known.")
@folder_options("store")
@json_option
def command(
    benchmark: str,
    run: str,
    power: float,
    level: float,
    effect: float | None,
    omega2: float | None,
    store: str,
    as_json: bool,
) -> None:
    """Plan a comparison from the variance that RUN has shown.

    Prints the smallest true difference that a paired comparison of two such runs finds, how it falls with more
    repeats, and, with --effect, the repeats or tasks that this effect needs.
    """
    from blade_pipeline.method.planning import plan

    scores = artifact_of(open_store(store), "pass_at_k", Cell(benchmark, run))
    document = plan(scores.table, scores.document or {}, effect=effect, power=power, alpha=level, omega2=omega2)
    if as_json:
        print_json(document)
        return
    _show(document)


def _show(document: dict[str, Any]) -> None:
    console().print(
        f"{document['tasks']} tasks x {document['repeats']:.3g} repeats, variance within tasks "
        f"{document['sigma2_within']:.4f}; power {document['power']:.0%} at level {document['alpha']:.3g}, "
        "both runs of this design\n"
    )
    for scenario in document["scenarios"]:
        console().print(
            f"effect varies over tasks with variance {scenario['omega2']:.3g}: "
            f"smallest difference found {_points(scenario['mde'])}"
        )
        if document["effect"] is not None:
            console().print(f"for {_points(document['effect'])}: {_needs(scenario, document['tasks'])}")
        rows = [(str(entry["repeats"]), _points(entry["mde"])) for entry in scenario["mde_at"]]
        rows.append(("limit", _points(scenario["mde_limit"])))
        print_table(("repeats", "smallest difference"), rows, right=("repeats", "smallest difference"))
        console().print()


def _needs(scenario: dict[str, Any], tasks: int) -> str:
    repeats = scenario["repeats_needed"]
    first = (
        f"{repeats} repeats of the {tasks} tasks" if repeats else f"no number of repeats of the {tasks} tasks is enough"
    )
    return f"{first}, or {scenario['tasks_needed']} tasks with the repeats of now"


def _points(value: float | None) -> str:
    return "none up to 100 points" if value is None else f"{rounded(100 * value, 1)} points"
