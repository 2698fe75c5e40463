"""Keeps addresses, user names and secrets out of values that are shown."""

import re
from functools import lru_cache

from blade_pipeline.gym.escapes import ESCAPED
from blade_pipeline.gym.private import INTERNAL, KINDS, SIGN, found, replaced

_LOGIN = re.compile(r"://[^/@\s]*@")
_CREDENTIALS = re.compile(r"^[^/@]*@(?!sha256:)")
_TRANSPORT = re.compile(r"^(?:docker|dockerd|docker-daemon|podman|oras|library)://")
_REGISTRY = re.compile(
    rf"^(?:\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?|{INTERNAL}(?::\d+)?|[\w.-]+:\d+)/"
)
_ABSOLUTE = re.compile(r"^(?:/|~|file:|[A-Za-z]:[\\/])")
_QUOTED_PATH = re.compile(r'"(?:/|~|file:|[A-Za-z]:[\\/])(?:[^"]*[\\/])?([^"\\/]*)[\\/]*"')
HIDDEN = "[not shown]"
"""Stands where a part of a text was taken out."""
_SECRET = frozenset({"secret"})
_ADDRESSES = {"url", "email", "host"}
_LIMIT = 300
_PARTS = 40
_REMEMBERED = 2**14


def secret_reason(text: str) -> str | None:
    """Why a text that may name a registry may not be shown; ``None`` when it may."""
    return "not shown: it looks like a secret" if "secret" in _kinds(text) else None


def image_reason(text: str) -> str | None:
    """Why an image, which may name a registry, or its tag may not be shown; ``None`` when it may."""
    address = "not shown: it looks like an address" if {"url", "email"} & _kinds(text) else None
    return secret_reason(text) or address


def hidden_reason(text: str) -> str | None:
    """Why a text may not be shown; ``None`` when it may."""
    return secret_reason(text) or ("not shown: it looks like an address" if _ADDRESSES & _kinds(text) else None)


def _kinds(text: str) -> set[str]:
    return {kind for kind, _ in found(text)}


@lru_cache(maxsize=_REMEMBERED)
def redacted(text: str) -> str:
    """A text with every part that looks like a secret, an address, a private path or a number of a person taken out."""
    return replaced(text, HIDDEN, KINDS) if SIGN.search(text) or ESCAPED.search(text) else text


def redacted_parts(dotted: str) -> str:
    """A dotted path or a file's name, redacted also where a machine's name stands between the dots of other parts."""
    parts = redacted(dotted).split(".")
    if len(parts) > _PARTS:
        return HIDDEN
    for start in range(len(parts)):
        for end in range(len(parts), start + 1, -1):
            window = ".".join(parts[start:end])
            if (safe := redacted(window)) != window:
                rest = [redacted_parts(".".join(parts[end:]))] if end < len(parts) else []
                return ".".join([*parts[:start], safe, *rest])
    return ".".join(parts)


def without_secrets(text: str) -> str:
    """A sentence of our own whose quoted values may hold a secret or a login, without them; its file names stay."""
    return _LOGIN.sub(f"://{HIDDEN}@", replaced(text, HIDDEN, _SECRET))


def shown(text: str) -> str:
    """The text without the folders of an absolute path, also inside JSON, at most 300 characters.

    A text that holds an address or a secret is redacted as a whole: its last part alone would no longer look like one.
    """
    stripped = text.strip()
    if {"secret", "url"} & _kinds(stripped):
        return redacted(stripped)[:_LIMIT]
    if _ABSOLUTE.match(stripped):
        stripped = re.split(r"[\\/]", stripped.rstrip("\\/"))[-1]
    return _QUOTED_PATH.sub(r'"\1"', stripped)[:_LIMIT]


def shown_image(text: str) -> str:
    """A container image without folders, credentials, and its registry's private or numeric address and port.

    An address that no container tool reads as an image stays one, for ``image_reason`` to find.
    """
    if text.startswith(("/", "~", ".")):
        return shown(text)
    bare = _CREDENTIALS.sub("", _TRANSPORT.sub("", text).replace("#", "/", 1))
    return _REGISTRY.sub("", bare)[:_LIMIT]
