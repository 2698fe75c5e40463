"""A document of blocks as one self-contained HTML page."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from blade_pipeline.reporting.blocks import Document, Filter, Row, Table
from blade_pipeline.reporting.text import clean_words

BESIDE = 6
"""Columns up to which a table stands beside its figure."""
PAGE_ROWS = 100
"""Rows of a filtered table that are shown at a time, and without a script."""
TEMPLATES = files("blade_pipeline.reporting") / "templates"


def to_html(document: Document) -> str:
    """The page; its policy allows its own style and script and nothing from outside."""
    style, script = _own("style.css"), _own("table.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    template = _environment().get_template("page.html.j2")
    return template.render(document=document, policy=policy, style=Markup(style), script=Markup(script)) + "\n"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("blade_pipeline.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = {"kind": _kind, "slug": slug, "pairs": _pairs, "drawing": Markup, "embedded": embedded, "keys": _keys}
    environment.filters |= filters
    environment.globals["page_rows"] = PAGE_ROWS
    return environment


def _shown(value: object) -> object:
    """What a template prints: text is cleaned before it is escaped."""
    return clean_words(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def slug(value: str) -> str:
    """A name made safe for an id and the link that leads to it."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", value)


def embedded(value: object) -> Markup:
    """JSON that a script element holds: no character of it can end the element or open a comment."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _keys(block: Table, row: Row) -> str:
    """The places of a row's names among each filter's options: ``0;2,5;;1``."""
    places = _places(block.filters)
    found = (
        sorted(options[name] for name in names if name in options)
        for options, names in zip(places, row.keys, strict=True)
    )
    return ";".join(",".join(map(str, numbers)) for numbers in found)


@cache
def _places(filters: tuple[Filter, ...]) -> list[dict[str, int]]:
    return [{name: place for place, (name, _) in enumerate(choice.options)} for choice in filters]


def _kind(block: object) -> str:
    return type(block).__name__


def _pairs(block: object) -> bool:
    """Whether a block is a table narrow enough to stand beside the figure before it."""
    return isinstance(block, Table) and len(block.columns) <= BESIDE


@cache
def _own(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
