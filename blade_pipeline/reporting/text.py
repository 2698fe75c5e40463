"""Every piece of text that comes from data passes here before it is published."""

import re
import unicodedata
from typing import Any

from blade_pipeline.gym.public import redacted

LONGEST = 160
"""Characters of one name or id that a report shows."""

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MARKDOWN = re.compile(r"([\\`*\[\]<~&$]|(?<!\w)_|_(?!\w))")
_LINE_START = re.compile(r"^([>=#]|[-+](?![\d.])|\d+[.)](?=\s|$))")
_MENTION = re.compile(r"(?<!\w)@")


def clean(value: object, limit: int = LONGEST) -> str:
    """One line of visible characters.

    Control characters, terminal escapes, direction overrides, zero-width and unassigned characters become a visible
    ``[U+202E]``; line breaks and tabs become blanks; addresses and secrets are taken out; what is longer than
    ``limit`` ends in an ellipsis.
    """
    text = str(value)
    shown = text.strip() if text.isprintable() else "".join(_visible(character) for character in text).strip()
    shown = redacted(shown)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def published(value: Any) -> Any:
    """A JSON value with addresses and secrets taken out of its texts and keys; keys stay distinct."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, list | tuple):
        return [published(item) for item in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {key: published(item) for key, item in value.items() if redacted(key) == key}
    for key in sorted(value.keys() - found.keys()):
        name, number = redacted(key), 1
        while name in found:
            number += 1
            name = f"{redacted(key)} {number}"
        found[name] = published(value[key])
    return found


def clean_words(value: str) -> str:
    """Clean text whose blanks at both ends still part it from its neighbours."""
    if value.isprintable():
        return redacted(value)
    head, tail = value[:1] == " ", value[-1:] == " " and bool(value.strip())
    return f"{' ' * head}{clean(value, len(value) * 8)}{' ' * tail}"


def clean_lines(text: str) -> str:
    """Text of several lines, each of visible characters."""
    return "\n".join(clean_words(line.expandtabs(4)) for line in re.split(r"\r\n|\r|\n", text))


def _visible(character: str) -> str:
    if character in "\n\r\t":
        return " "
    if unicodedata.category(character) in _INVISIBLE:
        return f"[U+{ord(character):04X}]"
    return character


def markdown(value: str) -> str:
    """Prose that Markdown shows as it stands: no markup, no HTML, no link, no table cell can begin in it.

    What only matters at the start of a line is left to ``at_line_start``.
    """
    text = _MARKDOWN.sub(r"\\\1", value).replace("|", "&#124;").replace("://", ":&#47;/")
    return _MENTION.sub("&#64;", text)


def at_line_start(line: str) -> str:
    """A line of Markdown that begins neither a list nor a heading nor a quotation."""
    start = _LINE_START.match(line)
    if start is None:
        return line
    mark = start.end() - 1
    return f"{line[:mark]}\\{line[mark:]}"


def unmarked(value: str) -> str:
    """Text that can stand between curly quotation marks: its own become straight ones."""
    return value.replace("“", '"').replace("”", '"')


def code_span(value: str) -> str:
    """A Markdown code span that its content cannot close, also inside a table.

    A pipe ends a table cell even inside a code span, so a value that holds one stands in quotation marks.
    """
    if "|" in value:
        return f"“{markdown(unmarked(value))}”"
    longest = max((len(run) for run in re.findall(r"`+", value)), default=0)
    fence = "`" * (longest + 1)
    body = f" {value} " if not value or value[0] in "` " or value[-1] in "` " else value
    return f"{fence}{body}{fence}"
