"""One thing that an examination found, and what to do about it."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "act"]


@dataclass(frozen=True)
class Finding:
    """``act`` needs a hand, ``note`` is worth knowing, ``ok`` is as it should be; ``do`` says what to do."""

    area: str
    level: Level
    what: str
    do: str | None = None
