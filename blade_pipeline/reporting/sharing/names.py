"""Names that may leave the team, pseudonyms for the others, and a list of what was taken out where."""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from blade_pipeline.reporting.sharing.scrub import Scrubber

_PLAIN = re.compile(r"[A-Za-z0-9][\w.+-]*(?:/[A-Za-z0-9][\w.+-]*){0,2}")
_LONGEST = 100
_DIGITS = 12
_QUOTED = 240
_SEEN = 16_384


class Names:
    """Turns names into what a shareable report may say, the same name always into the same word.

    ``taken`` counts by section and kind what was taken out.
    """

    def __init__(self, key: bytes, benchmark: str, scrubber: Scrubber) -> None:
        """``key`` is the project's: without it a pseudonym cannot be guessed from a list of names."""
        self.taken: Counter[tuple[str, str]] = Counter()
        self.scrubber = scrubber
        self._key = key
        self._benchmark = benchmark
        self._section = ""
        self._numbered: dict[tuple[str, str], dict[str, int]] = {}

    @contextmanager
    def section(self, title: str) -> Iterator[None]:
        """What is taken out meanwhile is told under this title."""
        before, self._section = self._section, title
        yield
        self._section = before

    def take(self, kind: str, count: int = 1) -> None:
        """Notes what was taken out."""
        self.taken[self._section, kind] += count

    def list(self) -> list[tuple[str, str, int]]:
        """Section, kind and count of everything that was taken out, in order."""
        return [(section, kind, count) for (section, kind), count in sorted(self.taken.items()) if count]

    def task(self, task: object) -> str:
        """A pseudonym that is the same in every report of the benchmark."""
        self.take("task id")
        return self._pseudonym("task", self._benchmark, str(task))

    def known(self, kind: str, name: object) -> str:
        """The name of a benchmark, run or model as it is; a pseudonym where it looks private or is no plain name."""
        text = str(name)
        if len(text) <= _LONGEST and _PLAIN.fullmatch(text) and not self.scrubber.kinds(text):
            return text
        self.take(f"{kind} name")
        return self._pseudonym(kind, "" if kind == "benchmark" else self._benchmark, text)

    def numbered(self, kind: str, name: object, within: str = "") -> str:
        """A number in the order of appearance in the place of a name, counted anew ``within`` another name."""
        self.take(f"{kind} name")
        places = self._numbered.setdefault((kind, within), {})
        return f"{kind} {places.setdefault(str(name), len(places) + 1)}"

    def quoted(self, text: object) -> str:
        """A text that the profile lets out, scrubbed before it is cut."""
        whole = str(text)
        seen = whole if len(whole) <= _SEEN else whole[:_SEEN].rpartition(" ")[0]
        shown, kinds = self.scrubber.scrub(" ".join(seen.split()))
        for kind in kinds:
            self.take(kind)
        return shown if len(shown) <= _QUOTED else f"{shown[: _QUOTED - 1]}…"

    def _pseudonym(self, kind: str, *parts: str) -> str:
        message = "\0".join((kind, *parts)).encode("utf-8", "surrogatepass")
        return f"{kind}-{hmac.new(self._key, message, hashlib.sha256).hexdigest()[:_DIGITS]}"
