"""One rule for what looks private."""

from typing import Literal, NamedTuple

Kind = Literal["secret", "url", "email", "host", "path", "user", "phone", "number"]

REST = r"[^\s\"'`]"
"""What an address or a path is made of."""


class Rule(NamedTuple):
    """One pattern, the kind of what it finds, and a sign that is in every text that it finds something in."""

    kind: Kind
    name: str
    pattern: str
    needs: str
