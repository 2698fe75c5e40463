"""Locks in an object store: claims that are listed, and a sign of life of whoever made them."""

import random
import secrets
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

RENEWED_SECONDS = 10.0
"""How often a holder gives a sign of life."""
DEAD_SECONDS = 60.0
"""After how long without one its claims count no more."""
_POLL_SECONDS = 0.5
_HOLDERS = ".holders"


@contextmanager
def leased(filesystem: Any, folder: str, names: Iterable[str]) -> Iterator[None]:
    """Holds every name exclusively among all processes that use the folder; waits for whoever has one.

    A claim is an object of its own. Whoever made one lists the name's claims and has it if there is no other; else
    the claim is withdrawn and made again later. So the only thing asked of the object store is that a listing shows
    what was written before. A holder that is dead, or cut off for ``DEAD_SECONDS``, loses its claims to the next.
    """
    holder = _Holder(filesystem, folder)
    try:
        holder.start()
        for name in sorted(set(names)):
            holder.take(name)
        yield
    finally:
        holder.end()


class _Holder:
    """The claims of one block of code, and the thread that gives its signs of life."""

    def __init__(self, filesystem: Any, folder: str) -> None:
        self._filesystem = filesystem
        self._folder = folder
        self._id = secrets.token_hex(16)
        self._claims: list[str] = []
        self._ended = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._watch = _Watch(filesystem, folder)

    def start(self) -> None:
        """Gives the first sign of life; the others follow from a thread."""
        self._sign(0)
        self._keeper.start()

    def take(self, name: str) -> None:
        """Waits until the name is free and has it then."""
        folder = f"{self._folder}/{name}"
        claim = f"{folder}/{self._id}"
        while True:
            if not self._others(folder):
                self._filesystem.pipe_file(claim, b"")
                self._claims.append(claim)
                if not self._others(folder):
                    return
                self._claims.remove(claim)
                self._remove(claim)
            time.sleep(_POLL_SECONDS * random.uniform(0.5, 1.5))

    def end(self) -> None:
        """Gives up every claim, the sign of life last."""
        self._ended.set()
        if self._keeper.ident is not None:
            self._keeper.join()
        for claim in self._claims:
            self._remove(claim)
        self._remove(self._sign_of(self._id))

    def _others(self, folder: str) -> list[str]:
        """The claims of living others; those of the dead are removed."""
        found = {path: path.rpartition("/")[2] for path in self._filesystem.find(folder)}
        others = {path: holder for path, holder in found.items() if holder != self._id}
        dead = {path: holder for path, holder in others.items() if self._watch.is_dead(holder)}
        for path, holder in dead.items():
            self._remove(path)
            self._remove(self._sign_of(holder))
        return [path for path in others if path not in dead]

    def _keep(self) -> None:
        beat = 0
        while not self._ended.wait(RENEWED_SECONDS):
            beat += 1
            with suppress(Exception):  # the next sign may get through; until then the one before counts
                self._sign(beat)

    def _sign(self, beat: int) -> None:
        self._filesystem.pipe_file(self._sign_of(self._id), str(beat).encode())

    def _sign_of(self, holder: str) -> str:
        return f"{self._folder}/{_HOLDERS}/{holder}"

    def _remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._filesystem.rm_file(path)


class _Silence(NamedTuple):
    """The last sign of a holder, when it was looked at last, and how many seconds of watching brought no other."""

    sign: bytes
    looked: float
    seconds: float


class _Watch:
    """What was last seen of other holders, by this process's own clock."""

    def __init__(self, filesystem: Any, folder: str) -> None:
        self._filesystem = filesystem
        self._folder = folder
        self._seen: dict[str, _Silence] = {}

    def is_dead(self, holder: str) -> bool:
        """Whether a holder has ended, or gave no sign of life for too long while it was watched.

        Of the time between two looks no more counts than a holder needs for a sign: where this process stood still,
        the machine asleep say, a living holder beside it may have done so too.
        """
        try:
            sign = self._filesystem.cat_file(f"{self._folder}/{_HOLDERS}/{holder}")
        except FileNotFoundError:
            return True
        now, last = time.monotonic(), self._seen.get(holder)
        silent = 0.0
        if last is not None and last.sign == sign:
            silent = last.seconds + min(now - last.looked, RENEWED_SECONDS)
        self._seen[holder] = _Silence(sign, now, silent)
        return silent > DEAD_SECONDS
