"""Keeps addresses, user names and secrets out of values that are shown."""

import re

_ADDRESS = re.compile(r"\S*://\S*|\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d+)?\S*|\S+@\S+\.\S+")
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|hf|ghp|gho|ghs|glpat|nvapi|xox[a-z]|AKIA|ya29)[-_]?[A-Za-z0-9_-]{16,}|(?i:\bbearer\s+\S+)"
)
_CREDENTIALS = re.compile(r"^[^/@]*@(?!sha256:)")
_REGISTRY = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?|[\w.-]+:\d+)/")
_ABSOLUTE = re.compile(r"^(?:/|~|file:|[A-Za-z]:[\\/])")
_LIMIT = 300


def hidden_reason(text: str) -> str | None:
    """Why a text may not be shown; ``None`` when it may."""
    if _SECRET.search(text):
        return "not shown: it looks like a secret"
    if _ADDRESS.search(text):
        return "not shown: it looks like an address"
    return None


def redacted(text: str) -> str:
    """A sentence or a source with every part that looks like an address or a secret taken out."""
    return _ADDRESS.sub("[not shown]", _SECRET.sub("[not shown]", text))


def shown(text: str) -> str:
    """The text without the folders of an absolute path, at most 300 characters."""
    stripped = text.strip()
    if _ABSOLUTE.match(stripped):
        stripped = re.split(r"[\\/]", stripped.rstrip("\\/"))[-1]
    return stripped[:_LIMIT]


def shown_image(text: str) -> str:
    """A container image without folders, credentials, and its registry's address and port."""
    if text.startswith(("/", "~", ".")):
        return shown(text)
    bare = _CREDENTIALS.sub("", text.split("://", 1)[-1].replace("#", "/", 1))
    return _REGISTRY.sub("", bare)[:_LIMIT]
