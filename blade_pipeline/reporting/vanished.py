"""The mark on the published report of a run whose directory is gone, put on and taken off without its inputs."""

import html
import re
from collections.abc import Mapping

from blade_pipeline.reporting.text import clean, markdown

_HTML = re.compile(rb'<p class="absent" id="vanished">.*?</p>\n')
_MARKDOWN = re.compile(rb"> \*\*The directory of this run is gone\.\*\* .*\n\n")


def mark_vanished(files: Mapping[str, bytes], since: str | None) -> dict[str, bytes]:
    """A run's published ``report.html`` and ``report.md`` with the mark, or without it when ``since`` is null.

    Args:
        files: published files by name; those of other names come back as they are.
        since: when the store's ``registry.json`` first recorded that the directory is gone, as text.

    Returns:
        The same files; marking twice is marking once, and taking the mark off gives the bytes of the first report.
    """
    writers = {"report.html": _in_html, "report.md": _in_markdown}
    return {name: writers[name](content, since) if name in writers else content for name, content in files.items()}


def _sentence(since: str) -> str:
    return (
        f"The store's registry records it as missing since {clean(since)}. This report shows the last analysis; "
        "nothing in it can be read again from the rows."
    )


def _in_html(content: bytes, since: str | None) -> bytes:
    plain = _HTML.sub(b"", content, count=1)
    if since is None:
        return plain
    words = f"<strong>The directory of this run is gone.</strong> {html.escape(_sentence(since))}"
    mark = f'<p class="absent" id="vanished">{words}</p>\n'.encode()
    return plain.replace(b"</header>\n", mark + b"</header>\n", 1)


def _in_markdown(content: bytes, since: str | None) -> bytes:
    plain = _MARKDOWN.sub(b"", content, count=1)
    if since is None:
        return plain
    mark = f"> **The directory of this run is gone.** {markdown(_sentence(since))}\n\n".encode()
    return plain.replace(b"## ", mark + b"## ", 1)
