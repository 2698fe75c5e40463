"""Where notices go: Dagster's log, a file of JSON lines, a webhook."""

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from blade_pipeline.automation.notify.notice import Notice
from blade_pipeline.automation.notify.webhook import ChannelError, post
from blade_pipeline.environment import NOTIFY_FILE, NOTIFY_TOKEN, NOTIFY_WEBHOOK


class Channel(Protocol):
    """Takes one notice at a time, under a name by which the store remembers what it was told."""

    @property
    def name(self) -> str:
        """The name."""

    def send(self, notice: Notice) -> None:
        """Hands a notice over.

        Raises:
            ChannelError: it was not taken; the sentence holds no address and no secret.
        """


class LogChannel:
    """One line per notice."""

    name = "log"

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def send(self, notice: Notice) -> None:
        """Writes the notice as a line."""
        self._write(notice.text)


class FileChannel:
    """One JSON object per line, appended."""

    name = "file"

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, notice: Notice) -> None:
        """Appends the notice; a line that a killed writer left unfinished is ended first."""
        line = json.dumps(notice.payload(_now()), ensure_ascii=False) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab+") as stream:
                stream.write(b"" if _ends_a_line(self._path) else b"\n")
                stream.write(line.encode("utf-8", "surrogatepass"))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise ChannelError(f"{self._path} cannot be written ({error.strerror})") from None


class WebhookChannel:
    """A POST of the notice as JSON, with the token as bearer where there is one."""

    name = "webhook"

    def __init__(self, url: str, token: str | None) -> None:
        self._url = url
        self._token = token

    def send(self, notice: Notice) -> None:
        """Posts the notice."""
        post(self._url, json.dumps(notice.payload(_now())).encode(), self._token)


def channels_of(environment: Mapping[str, str], log: Callable[[str], None] | None = None) -> list[Channel]:
    """The channels that the environment names, and the log where there is one."""
    channels: list[Channel] = [] if log is None else [LogChannel(log)]
    if (path := NOTIFY_FILE.value(environment)) is not None:
        channels.append(FileChannel(Path(path).expanduser()))
    if (url := NOTIFY_WEBHOOK.value(environment)) is not None:
        channels.append(WebhookChannel(url, NOTIFY_TOKEN.value(environment)))
    return channels


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _ends_a_line(path: Path) -> bool:
    if path.stat().st_size == 0:
        return True
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"
