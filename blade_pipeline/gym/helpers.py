"""Parses spans of rollouts in order, with helper processes where files are large and cores are free.

Spans do not depend on the number of helpers, so neither do the rows. A helper is a plain subprocess: a worker of
``multiprocessing`` would import the caller's main module again, all of Dagster say. One that ends early costs time
only: what it was asked for is parsed here.
"""

import json
import logging
import marshal
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from blade_pipeline.gym.columns import Columns
from blade_pipeline.gym.content import Contents
from blade_pipeline.gym.lines import Span
from blade_pipeline.gym.parsing import parse_span
from blade_pipeline.processes import cores

HELPER_BYTES = 16 * 2**20
"""Text per helper from which starting one pays."""

MOST_HELPERS = 7

_AHEAD = 4  # spans that a helper is asked for before it delivers, so that it always has one to do
_WAITING = 16  # spans that may wait for an earlier one
_NAP = 0.001
_PACKAGE_HOME = str(Path(__file__).resolve().parents[2])
_LOG = logging.getLogger(__name__)


def parse_spans(spans: Iterable[Span], size: int) -> Iterator[tuple[Span, Columns]]:
    """Each span with its columns, in order; ``size`` is the number of bytes in all of them.

    Raises:
        BladeError: a file cannot be read or has changed since it was cut.
    """
    contents = Contents()
    waiting: deque[tuple[Span, Columns | Helper]] = deque()

    def is_ready() -> bool:
        source = waiting[0][1]
        return not isinstance(source, Helper) or source.is_ready()

    def take() -> tuple[Span, Columns]:
        span, source = waiting.popleft()
        columns = source.take() if isinstance(source, Helper) else source
        return span, parse_span(span, contents) if columns is None else columns

    with ExitStack() as stack:
        helpers = _started(helpers_for(size), stack)
        for span in spans:
            length = span.stop - span.start
            size -= length
            enough = size > _AHEAD * length  # the last ones are parsed here, while the helpers finish theirs
            asked = next((helper for helper in helpers if enough and helper.ask(span)), None)
            waiting.append((span, asked or parse_span(span, contents)))
            while waiting and (len(waiting) > _WAITING or is_ready()):
                yield take()
        while waiting:
            yield take()


def helpers_for(size: int) -> int:
    """How many helpers so many bytes of text deserve: none for small files and where no core is free."""
    return min(MOST_HELPERS, cores() - 1, size // HELPER_BYTES)


def _started(count: int, stack: ExitStack) -> list["Helper"]:
    """So many helpers, ended with the stack; none where no process can be started."""
    if not count:
        return []
    try:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="blade-")))
        return [stack.enter_context(Helper(folder / str(number))) for number in range(count)]
    except OSError as error:
        _LOG.warning("Rollouts are read without helpers (%s).", error.strerror)
        return []


class Helper:
    """A helper process; it delivers spans in the order in which it was asked for them."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._asked = self._taken = 0
        path = os.environ.get("PYTHONPATH")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "blade_pipeline.gym.helper", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": f"{_PACKAGE_HOME}{os.pathsep}{path}" if path else _PACKAGE_HOME},
        )

    def __enter__(self) -> "Helper":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        with suppress(OSError):
            self._process.communicate()

    def ask(self, span: Span) -> bool:
        """Asks for a span; false when the helper has enough to do or has ended."""
        late = self._asked - _AHEAD
        busy = late >= self._taken and not self._file(late).exists()
        if busy or self._has_ended():
            return False
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(span).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return False
        self._asked += 1
        return True

    def is_ready(self) -> bool:
        """Whether ``take`` answers at once."""
        return self._file(self._taken).exists() or self._has_ended()

    def take(self) -> Columns | None:
        """The columns of the next span it was asked for, as soon as they are there; null when it ended before."""
        while not self.is_ready():
            time.sleep(_NAP)
        file = self._file(self._taken)
        self._taken += 1
        if not file.exists():
            _LOG.warning("A helper that reads rollouts has ended early; its part is read once more.")
            return None
        columns: Columns = marshal.loads(file.read_bytes())
        file.unlink()
        return columns

    def _file(self, number: int) -> Path:
        return self._folder / str(number)

    def _has_ended(self) -> bool:
        return self._process.poll() is not None
