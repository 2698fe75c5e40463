"""Bounds of time and memory around work that cannot be trusted to end."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, TypeVar

from blade_pipeline.cli.errors import INTERRUPTED, WRONG_USAGE, UsageProblem

Result = TypeVar("Result")


def within(seconds: float, work: Callable[[], Result], too_long: str) -> Result:
    """What work comes to; where it takes longer, or is stopped by Ctrl-C, this process ends at once.

    DuckDB looks for an interrupt between two pieces of a query, and one call can make a piece take minutes. Only the
    end of the process ends that, so the work must leave nothing to tidy up.

    Args:
        seconds: how long it may take.
        work: it runs in a thread of its own.
        too_long: the sentence for the user when it takes longer.
    """
    came = list[Result]()
    failed = list[BaseException]()

    def at_work() -> None:
        try:
            came.append(work())
        except BaseException as error:
            failed.append(error)

    worker = threading.Thread(target=at_work, daemon=True)
    try:
        worker.start()
        worker.join(seconds)
    except KeyboardInterrupt:
        _end_at_once("stopped", INTERRUPTED)
    if worker.is_alive():
        _end_at_once(too_long, WRONG_USAGE)
    if failed:
        raise failed[0]
    return came[0]


def _end_at_once(sentence: str, code: int) -> NoReturn:
    sys.stderr.write(f"blade: {sentence}\n")
    sys.stderr.flush()
    os._exit(code)


@contextmanager
def half_of_memory(too_much: str) -> Iterator[None]:
    """Lets this process take half of the machine's memory, where the system can hold it to that.

    Raises:
        UsageProblem: it needed more; the sentence is ``too_much``.
    """
    before = _limit_data(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    try:
        yield
    except MemoryError:
        raise UsageProblem(too_much) from None
    finally:
        _limit_data(before)


def _limit_data(most: int | None) -> int | None:
    """Sets how many bytes the process may allocate, and tells what held before; None where that cannot be set."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        before, highest = resource.getrlimit(resource.RLIMIT_DATA)
        if most is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (most, highest))
            return before
    return None
