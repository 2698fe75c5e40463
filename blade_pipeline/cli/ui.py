"""``blade ui``: Dagster's web interface on the store."""

import os
import socket
import sys
from pathlib import Path

import click

from blade_pipeline.assets.settings import PLACES
from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.cli.options import existing, folder_options, runs_argument
from blade_pipeline.cli.output import note
from blade_pipeline.environment import DAGSTER_HOME


@click.command(name="ui")
@runs_argument
@folder_options("store", "profiles", "references", "labels")
@click.option("--port", type=click.IntRange(0, 65535), default=3000, show_default=True, help="Port on this machine.")
def command(runs: str, store: str, profiles: str, references: str, labels: str, port: int) -> None:
    """Open Dagster's web interface with its daemon, reachable from this machine only.

    The sensor watches RUNS; everything that blade analyze did is visible there. Stop it with Ctrl-C.
    """
    from blade_pipeline.automation.home import dagster_home, make_records

    existing(runs)
    _free(port)
    home = dagster_home(store)
    make_records(home)
    environment = os.environ | _environment(runs, store, profiles, references, labels) | {DAGSTER_HOME.name: str(home)}
    arguments = ["dev", "--module-name", "blade_pipeline.definitions", "--host", "127.0.0.1", "--port", str(port)]
    note(f"http://127.0.0.1:{port}  (records in {home})")
    os.execve(sys.executable, [sys.executable, "-m", "dagster", *arguments], environment)


def _free(port: int) -> None:
    """Refuses a port that is taken: the page of whoever has it would be looked at, and none of ours be served.

    Raises:
        UsageProblem: another program listens there.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise UsageProblem(f"Port {port} cannot be had ({error.strerror}); name another --port.") from None


def _environment(runs: str, store: str, profiles: str, references: str, labels: str) -> dict[str, str]:
    """The folders as the definitions read them, as full paths, since Dagster may change its current folder."""
    chosen = {"runs": runs, "store": store, "profiles": profiles, "references": references, "labels": labels}
    return {
        PLACES[name].name: place if "://" in place else str(Path(place).resolve()) for name, place in chosen.items()
    }
