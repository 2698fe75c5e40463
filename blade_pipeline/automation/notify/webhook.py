"""One POST with bounded time and tries, that tells neither address nor token."""

import threading
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from blade_pipeline.environment import NOTIFY_WEBHOOK

SECONDS = 5.0
PAUSES = (1.0, 2.0)
"""Seconds to wait before each further try."""


class ChannelError(Exception):
    """A notice was not taken; the message is one sentence without address or secret."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other: following it would hand the token to another place."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _RefusedError(ChannelError):
    """The receiver will say the same next time."""


def is_address(url: str) -> bool:
    """Whether notices can be posted there."""
    try:
        return urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return False


def post(url: str, body: bytes, token: str | None) -> None:
    """Posts JSON; tries again after a failure to connect, a status of 429 and one from 500 on.

    Raises:
        ChannelError: no try was answered with a status of success.
    """
    for pause in (*PAUSES, None):
        try:
            _within(SECONDS, url, body, token)
            return
        except _RefusedError:
            raise
        except ChannelError:
            if pause is None:
                raise
            time.sleep(pause)


def _within(seconds: float, url: str, body: bytes, token: str | None) -> None:
    """One try in a thread of its own: no receiver that answers byte by byte holds the caller longer."""
    outcome: list[ChannelError | None] = []
    thread = threading.Thread(target=lambda: outcome.append(_try(url, body, token)), daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise ChannelError(f"the webhook did not answer within {seconds:g} s")
    if outcome[0] is not None:
        raise outcome[0]


def _try(url: str, body: bytes, token: str | None) -> ChannelError | None:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        if not is_address(url):
            return _RefusedError(f"{NOTIFY_WEBHOOK} is no http or https address")
        request = urllib.request.Request(url, body, headers, method="POST")
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=SECONDS):
            return None
    except urllib.error.HTTPError as error:
        sentence = f"the webhook answered with status {error.code}"
        return ChannelError(sentence) if error.code == 429 or error.code >= 500 else _RefusedError(sentence)
    except OSError as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        return ChannelError(f"the webhook cannot be reached ({type(cause).__name__})")
    except Exception as error:  # a malformed address or answer; the message may hold the address or the token
        return _RefusedError(f"the webhook cannot be used ({type(error).__name__})")
