"""One rule for what looks private."""

from typing import Literal, NamedTuple

Kind = Literal["secret", "url", "email", "host", "path", "user", "phone", "number"]

REST = r"[^\s\"'`]"
"""What an address or a path is made of."""


class Rule(NamedTuple):
    """One pattern, the kind of what it finds, and what is in every text that it finds something in.

    That is a sign and, unless there are none, one of the ``words``, in whatever case. To look for them takes a fraction
    of the time of the pattern.
    """

    kind: Kind
    name: str
    pattern: str
    needs: str
    words: tuple[str, ...] = ()
