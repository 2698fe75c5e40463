"""Pieces of a YAML file that no field name or value can break."""

import re
from collections.abc import Iterable

import yaml

from blade_pipeline.gym.public import redacted

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_COMMENT = 200
_LONGEST_NAME = 100


def scalar(value: str | int | float | bool) -> str:
    """A value on one line, quoted unless it is a plain word that YAML reads as that word."""
    if isinstance(value, bool) or not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else f"{value:.12g}"
    if _PLAIN.fullmatch(value) and yaml.safe_load(value) == value:
        return value
    return yaml.safe_dump(value, default_style='"', width=10**9, allow_unicode=False).strip()


def comment(text: str) -> str:
    """A comment on one line, without secrets and addresses and without what would end the line."""
    shown = "".join(sign if sign.isprintable() else f"[U+{ord(sign):04X}]" for sign in redacted(text))
    return f"# {shown if len(shown) <= _LONGEST_COMMENT else shown[: _LONGEST_COMMENT - 1] + '…'}"


def named(name: str) -> str:
    """A field's name for a comment."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def usable(name: str) -> bool:
    """Whether a field's name may stand in a proposal: printable, of bounded length, and no secret."""
    return name.isprintable() and 0 < len(name) <= _LONGEST_NAME and redacted(name) == name


def listed(names: Iterable[str]) -> str:
    """A YAML list on one line."""
    return f"[{', '.join(map(scalar, names))}]"
