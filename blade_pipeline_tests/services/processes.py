"""Processes that a test starts, waits for and ends, by their own id and no other."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

LONGEST_WAIT_SECONDS = 300.0


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
    """A port of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
