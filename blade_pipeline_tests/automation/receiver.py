"""A webhook's other end on this machine."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Receiver:
    """Keeps what was posted; answers with the statuses given, the last one for ever."""

    def __init__(self) -> None:
        self.statuses = [204]
        self.headers: dict[str, str] = {}
        self.bodies: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.url = ""

    def answer(self) -> int:
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A receiver that listens."""
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            kept.authorizations.append(self.headers["Authorization"])
            self.send_response(kept.answer())
            for name, value in kept.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kept.url = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
