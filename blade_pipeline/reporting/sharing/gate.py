"""The last look at what would be shared: the built bytes, decoded, against every rule and private term."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from blade_pipeline.reporting.sharing.decode import layers
from blade_pipeline.reporting.sharing.scrub import Scrubber

_HEADINGS = {
    "md": re.compile(r"^(?=## )", re.MULTILINE),
    "html": re.compile(r"(?=<h2\b)"),
}
_TITLE = re.compile(r"^(?:## |<h2\b[^>]*>)\s*([^\n<]{1,60})")


class Hit(NamedTuple):
    """What stopped a file from being shared; never the value."""

    kind: str
    file: str
    section: str


def inspect(files: Mapping[str, bytes], scrubber: Scrubber) -> list[Hit]:
    """Every kind of private string in every section of the files and in their names, in order."""
    hits = [Hit(kind, "a file name", "file names") for name in files for kind in scrubber.kinds(name)]
    for name, content in files.items():
        for section, text in _sections(name, content.decode()):
            kinds = set[str]().union(*(scrubber.kinds(layer) for layer in layers(text)))
            hits += [Hit(kind, name, section) for kind in sorted(kinds)]
    return list(dict.fromkeys(hits))


def _sections(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Titles and texts of a file's parts: sections of a page, top-level keys of a JSON object."""
    ending = name.rsplit(".", 1)[-1]
    if ending in _HEADINGS:
        for part in _HEADINGS[ending].split(text):
            title = _TITLE.match(part)
            yield (title[1].strip() if title else "top"), part
        return
    content = json.loads(text)
    for key, value in content.items() if isinstance(content, dict) else [("top", content)]:
        yield key, f"{key}: {json.dumps(value)}"
        yield key, json.dumps(value, ensure_ascii=False)
