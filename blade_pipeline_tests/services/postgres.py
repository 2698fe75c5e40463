"""A Postgres server of the test's own; Postgres refuses to run as root, so root lends it the account ``postgres``."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from blade_pipeline_tests.conftest import unavailable
from blade_pipeline_tests.processes import free_port, started, wait_until


@contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of a server on 127.0.0.1, up to the name of a database; its folder goes with it."""
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    who: dict[str, Any] = {"user": "postgres"} if os.geteuid() == 0 else {}
    if who:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    port, data = free_port(), str(folder / "data")
    try:
        made = [programs / "initdb", "--pgdata", data, "--username=blade", "--auth=trust", "--no-sync", "--locale=C"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd=folder, **who)
        settings = ["-h", "127.0.0.1", "-p", str(port), "-k", "", "-F"]
        with started([str(programs / "postgres"), "-D", data, *settings], cwd=folder, **who) as server:
            ready = [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port)]
            wait_until(lambda: subprocess.run(ready, stdout=subprocess.DEVNULL, check=False).returncode == 0, server)
            yield f"postgresql+psycopg2://blade@127.0.0.1:{port}"
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    """Where the server's programs lie; Debian keeps them off the path, a folder for each version."""
    found = [Path(shutil.which("initdb") or "/nowhere"), *sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    there = [path.resolve().parent for path in found if path.is_file()]
    if not there:
        unavailable("needs a Postgres server: apt-get install postgresql")
    return there[-1]
