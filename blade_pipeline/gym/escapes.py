"""Characters that are written in escapes, as a reader would decode them: of addresses, of JSON and of HTML."""

import html
import re

_NAMES = "amp|sol|bsol|colon|commat|period|equals|lowbar|quot|apos|lt|gt"
ESCAPED = re.compile(
    rf"%[2-7][0-9A-Fa-f]|\\+(?:u00|x)[2-7][0-9A-Fa-f]|\\+/|&(?:#[0-9]{{2,4}}|#[xX][0-9A-Fa-f]{{2,4}}|{_NAMES});"
)
"""A visible character of ASCII: ``%2F``, ``\\u002f``, ``\\x2f``, ``\\/``, ``&#47;``, ``&#x2f;``, ``&sol;``."""

_DEEPEST = 3


def unescaped(text: str) -> tuple[str, list[int]]:
    """The text without such escapes, also of escapes, and for each of its characters and its end the place in the text.

    Three levels are decoded.
    """
    places = list(range(len(text) + 1))
    for _ in range(_DEEPEST):
        if ESCAPED.search(text) is None:
            break
        text, places = _decoded(text, places)
    return text, places


def _decoded(text: str, places: list[int]) -> tuple[str, list[int]]:
    words: list[str] = []
    starts: list[int] = []
    at = 0
    for escape in ESCAPED.finditer(text):
        character = _character(escape[0])
        words += [text[at : escape.start()], character]
        starts += [*places[at : escape.start()], *[places[escape.start()]] * len(character)]
        at = escape.end()
    return "".join([*words, text[at:]]), [*starts, *places[at:]]


def _character(escape: str) -> str:
    if escape.startswith("&"):
        return html.unescape(escape)
    return "/" if escape.endswith("/") else chr(int(escape[-2:], 16))
