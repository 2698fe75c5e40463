"""Keeps addresses, user names and secrets out of values that are shown."""

import re

_ADDRESS = re.compile(r"://|\b\d{1,3}(?:\.\d{1,3}){3}\b|\S+@\S+\.\S+")
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|hf|ghp|gho|ghs|glpat|nvapi|xox[a-z]|AKIA|ya29)[-_]?[A-Za-z0-9_-]{16,}|(?i:\bbearer\s)"
)
_HOST_PREFIX = re.compile(r"^[^/@]*@(?!sha256:)|^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]|[\w.-]+(?=:\d+/))(?::\d+)?/")
_LIMIT = 300


def hidden_reason(text: str) -> str | None:
    """Why a text may not be shown; ``None`` when it may."""
    if _SECRET.search(text):
        return "not shown: it looks like a secret"
    if _ADDRESS.search(text):
        return "not shown: it looks like an address"
    return None


def shown(text: str) -> str:
    """The text without the folders of an absolute path, at most 300 characters."""
    stripped = text.strip()
    if stripped.startswith(("/", "~", "file:")) or re.match(r"[A-Za-z]:[\\/]", stripped):
        stripped = re.split(r"[\\/]", stripped.rstrip("\\/"))[-1]
    return stripped[:_LIMIT]


def shown_image(text: str) -> str:
    """A container image without credentials, addresses and ports of its registry."""
    if text.startswith(("/", "~", ".")) or text.endswith(".sqsh"):
        return shown(text)
    bare = text.split("://", 1)[-1].split("#")[-1]
    return _HOST_PREFIX.sub("", bare)[:_LIMIT]
