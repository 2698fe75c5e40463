"""The tables that this process read last, so that stages which read the same bytes share one table.

Decoding is the smaller part of what that saves: what is worked out from a table lasts as long as the table does.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable

import pyarrow as pa
import xxhash

LIMIT = 64_000_000
"""Bytes of tables that are kept: those of one run of some 30,000 rollouts, or of many small ones."""


class RecentTables:
    """Tables by the bytes that they were read from, the latest ones up to a number of bytes in all."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._bytes = 0
        self._tables: OrderedDict[bytes, pa.Table] = OrderedDict()
        self._lock = threading.Lock()

    def table(self, content: bytes, decode: Callable[[], pa.Table]) -> pa.Table:
        """The table of a file's content, decoded anew only where it is no longer kept."""
        key = xxhash.xxh3_128_digest(content)
        with self._lock:
            table = self._tables.get(key)
            if table is not None:
                self._tables.move_to_end(key)
                return table
        table = decode()
        with self._lock:
            self._keep(key, table)
        return table

    def _keep(self, key: bytes, table: pa.Table) -> None:
        if table.nbytes > self._limit or key in self._tables:
            return
        self._tables[key] = table
        self._bytes += table.nbytes
        while self._bytes > self._limit:
            self._bytes -= self._tables.popitem(last=False)[1].nbytes
