"""Keeps addresses, user names and secrets out of values that are shown."""

import re
from functools import lru_cache

_REST = r"[^\s\"'`]"
_INTERNAL = r"[\w-]+(?:\.[\w-]+)*\.(?:internal|intranet|corp|local|localdomain|lan)(?!\.?[\w-])"
_SECRET = re.compile(
    rf"""
    (?<![A-Za-z0-9])(?:
        (?:sk|pk|rk|hf)[-_](?:(?=[\w-]*[A-Z0-9])[\w-]{{16,}}|[A-Za-z0-9]{{16,}})
      | (?:gh[opsu]|github_pat|glpat|nvapi|xox[a-z]|ya29)[-_.][\w.-]{{12,}}
      | (?:AKIA|ASIA)[A-Z0-9]{{12,}} | AIza[\w-]{{20,}} | eyJ[\w-]{{8,}}\.[\w.-]{{8,}}
      | (?i:bearer\s+{_REST}+)
    )
    | -----BEGIN[ ].*
    | (?i:(?:passw(?:or)?d|passphrase|pwd|secret|credentials?|(?:api|access|private|secret)[_-]?key|authorization
          |(?:auth|access|api|hf|refresh|session)[_-]?token|(?<![A-Za-z])token(?==))
      [\\"']*\s*[:=]\s*(?:[\\"']*(?:basic|bearer)\s+)?[\\"']*[^\s"'`,;&)\]}}]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ADDRESS = re.compile(
    rf"""
    (?<![\w.+-])[\w.+-]*://{_REST}*
    | (?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?!\.?\w)(?::\d+)?(?:/{_REST}*)?
    | \[[0-9A-Fa-f]{{0,4}}(?::[0-9A-Fa-f]{{0,4}}){{2,7}}\](?::\d+)?
    | (?<![\w.+:%-])[\w.+:%-]+@(?:[A-Za-z0-9][\w-]*(?:\.[\w-]+)*\.[A-Za-z]{{2,}}|(?!sha256:)[A-Za-z][\w-]*:\d+)(?::\d+)?
    | (?<![\w.-]){_INTERNAL}(?::\d+)?
    """,
    re.VERBOSE,
)
_HOME = re.compile(rf"(?<![\w./~-])(?:/(?:home|Users|lustre|scratch|gpfs)/|[A-Za-z]:\\+Users\\){_REST}+")
_SIGN = re.compile(r"[:=@/\\]|[-_.][A-Za-z0-9]{2}|AKIA|ASIA|AIza|[Bb][Ee][Aa][Rr][Ee][Rr]|-----")
_CREDENTIALS = re.compile(r"^[^/@]*@(?!sha256:)")
_REGISTRY = re.compile(
    rf"^(?:\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?|{_INTERNAL}(?::\d+)?|[\w.-]+:\d+)/"
)
_ABSOLUTE = re.compile(r"^(?:/|~|file:|[A-Za-z]:[\\/])")
_QUOTED_PATH = re.compile(r'"(?:/|~|file:|[A-Za-z]:[\\/])(?:[^"]*[\\/])?([^"\\/]*)[\\/]*"')
_HIDDEN = "[not shown]"
_LIMIT = 300
_REMEMBERED = 2**14


def secret_reason(text: str) -> str | None:
    """Why a text that may name a registry may not be shown; ``None`` when it may."""
    return "not shown: it looks like a secret" if _SECRET.search(text) else None


def hidden_reason(text: str) -> str | None:
    """Why a text may not be shown; ``None`` when it may."""
    return secret_reason(text) or ("not shown: it looks like an address" if _ADDRESS.search(text) else None)


@lru_cache(maxsize=_REMEMBERED)
def redacted(text: str) -> str:
    """A text with every part that looks like an address, a home folder or a secret taken out."""
    if _SIGN.search(text) is None:
        return text
    for rule in (_SECRET, _ADDRESS, _HOME):
        text = rule.sub(_HIDDEN, text)
    return text


def shown(text: str) -> str:
    """The text without the folders of an absolute path, also inside JSON, at most 300 characters."""
    stripped = text.strip()
    if _ABSOLUTE.match(stripped):
        stripped = re.split(r"[\\/]", stripped.rstrip("\\/"))[-1]
    return _QUOTED_PATH.sub(r'"\1"', stripped)[:_LIMIT]


def shown_image(text: str) -> str:
    """A container image without folders, credentials, and its registry's private or numeric address and port."""
    if text.startswith(("/", "~", ".")):
        return shown(text)
    bare = _CREDENTIALS.sub("", text.split("://", 1)[-1].replace("#", "/", 1))
    return _REGISTRY.sub("", bare)[:_LIMIT]
