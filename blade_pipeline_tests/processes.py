"""Processes that a test starts, waits for and ends, by their own id and no other."""

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import requests

LONGEST_WAIT_SECONDS = 300.0
PORTS = (16000, 32000)
"""Below those that Linux, macOS and Windows give to connections."""


@contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that ends with the block."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Asks a process to end, and kills it when it does not."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(20)


def free_port() -> int:
    """A port of this machine on which nothing listens, none that the system gives to whoever connects to another.

    One of those may be taken before the server is up, by the very question whether it is up as well. Tests in other
    processes ask too, so it is drawn.
    """
    draw = random.SystemRandom()
    while True:
        port = draw.randrange(*PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def answers(port: int) -> bool:
    """Whether something listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], bool], process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Waits for a condition, as long as the process that is to bring it about lives."""
    end_at = time.monotonic() + LONGEST_WAIT_SECONDS
    while not condition():
        assert process is None or process.poll() is None, f"{process.args!r} ended early"
        assert time.monotonic() < end_at, "it took too long"
        time.sleep(0.1)


class Webserver:
    """Dagster's pages on a free port of this machine, from a process group of their own."""

    def __init__(self, folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts a command in a folder, with its port as last argument; ``ui.log`` in the folder has what it says."""
        self.folder = folder
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        with (folder / "ui.log").open("wb") as log:
            self.process = subprocess.Popen(
                [*command, str(self.port)],
                cwd=folder,
                env={**os.environ, **environment},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        answer = requests.post(f"{self.address}/graphql", json={"query": query, "variables": variables}, timeout=60)
        answer.raise_for_status()
        document: dict[str, Any] = answer.json()
        assert "errors" not in document, document["errors"]
        return dict(document["data"])

    def answers(self) -> bool:
        try:
            return "version" in self.ask("{ version }")
        except requests.RequestException:
            return False

    def stop(self) -> None:
        """Ends the process that was started, and waits until it has ended its own."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
