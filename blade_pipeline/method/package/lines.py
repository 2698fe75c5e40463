"""Lines of a Markdown text."""

from collections.abc import Iterator

_FENCE = "```"


def outside_code(text: str) -> Iterator[str]:
    """Every line that stands in no fenced code block, without blanks at its end."""
    fenced = False
    for line in text.splitlines():
        if line.strip().startswith(_FENCE):
            fenced = not fenced
        elif not fenced:
            yield line.rstrip()
