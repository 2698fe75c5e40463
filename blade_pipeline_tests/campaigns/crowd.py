"""Two analyses, a backfill of every stage through the webserver and the daemon with its sensor, at once on a store."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.home import open_instance
from blade_pipeline.automation.registering import register
from blade_pipeline.storage import Cell
from blade_pipeline_tests.campaigns.faults import Machine
from blade_pipeline_tests.campaigns.rounds import Round, not_mended, tabled
from blade_pipeline_tests.campaigns.servers import Site

LAUNCH = """
mutation($asked: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $asked) { __typename ... on LaunchBackfillSuccess { backfillId } }
}"""
BACKFILL = """
query($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status } } }"""
AT_WORK = {"REQUESTED", "CANCELING", "FAILING"}


def everything(cells: list[Cell]) -> list[dict[str, Any]]:
    """Every stage with each of its partitions, as Dagster's pages would ask for them."""
    of = {"run": cells, "benchmark": list(dict.fromkeys(cell.of_benchmark for cell in cells))}
    return [
        {
            "assetKey": {"path": [stage.name]},
            "partitions": {"ranges": [{"start": key, "end": key} for key in map(partition_key, of[stage.level])]},
        }
        for stage in GRAPH
    ]


def crowd(machine: Machine, store: Path) -> Round:
    """All of them on a store without artifacts; what each came to, and whether the store is as undisturbed."""
    settings = Settings(str(machine.runs), str(store), "profiles", "references", "labels")
    site = Site(machine.runs, store)
    with open_instance(str(store)) as instance:
        live = Workspace(**vars(settings)).see()
        register(instance, live)
    try:
        site.begin("webserver")
        site.waits_for(site.answers)
        launched = site.ask(LAUNCH, asked={"partitionsByAssets": everything(list(live.runs)), "title": "all"})
        wrong = [] if "backfillId" in launched["launchPartitionBackfill"] else [f"not launched: {launched}"]
        id_ = launched["launchPartitionBackfill"].get("backfillId", "")
        site.begin("daemon")
        others = [machine.begun(store) for _ in range(2)]
        said = [process.communicate()[1] for process in others]
        codes = [process.returncode for process in others]
        wrong += [] if codes == [0, 0] else [f"the analyses ended with {codes}: {said}"]
        done = site.waits_for(lambda: _status(site, id_) not in AT_WORK and site.idle())
        wrong += [] if done else ["the backfill did not end"]
        wrong += _of_runs(store)
    finally:
        site.end()
    return Round("crowd", [*wrong, *not_mended(store, machine.right)])


def _status(site: Site, id_: str) -> str:
    return str(site.ask(BACKFILL, id=id_)["partitionBackfillOrError"].get("status"))


def _of_runs(store: Path) -> list[str]:
    """The runs of Dagster that did not succeed; prints how many did, and what launched them."""
    with open_instance(str(store)) as instance:
        runs = instance.get_runs()
    backfills = [run for run in runs if "dagster/backfill" in run.tags]
    print(f"{len(backfills)} runs of the backfill, {len(runs) - len(backfills)} others", flush=True)
    return [f"run {run.run_id} is {run.status.value}" for run in runs if run.status != dg.DagsterRunStatus.SUCCESS]


def campaign(rounds: int) -> Iterator[Round]:
    """So many rounds, each on a store of its own."""
    os.environ["BLADE_QUIET_SECONDS"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        for number in range(rounds):
            yield crowd(machine, Path(folder, f"store{number}"))


def main() -> None:
    """Prints what :func:`tabled` prints; ends with 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    sys.exit(not tabled(campaign(parser.parse_args().rounds), ["crowd"]))


if __name__ == "__main__":
    main()
