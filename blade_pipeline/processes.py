"""How many processes may work here at once, and what a worker process owes its parent."""

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait

_alone = False


def cores() -> int:
    """The cores that this process may use; all of the machine's where the system does not tell.

    One where the others belong to its siblings, and in a process of Celery's, which may start no others.
    """
    if _alone or multiprocessing.current_process().daemon:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def begin_worker() -> None:
    """Sets a worker up: it works alone, an interrupt is the parent's to handle, and it ends with the parent."""
    global _alone
    _alone = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
