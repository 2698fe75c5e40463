"""Settings of the built documentation: ``sphinx-build -W --keep-going docs site``.

The pages are plain Markdown that GitHub shows as well. Their grouping stands in index.md alone, from which the
navigation of the built pages follows; a page that is not listed there fails the build.
"""

import re

from sphinx.application import Sphinx

project = "blade_pipeline"
html_title = "blade_pipeline"
html_theme = "furo"
html_copy_source = False
highlight_language = "none"
html_show_sphinx = False
extensions = ["myst_parser"]
exclude_patterns = ["**.ipynb"]
myst_heading_anchors = 4
show_warning_types = True


def navigation(index: str) -> str:
    """The pages of every section of the index as hidden tables of contents."""
    sections = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", index, re.MULTILINE | re.DOTALL)
    return "\n".join(_hidden_contents(name, body) for name, body in sections)


def _hidden_contents(name: str, section: str) -> str:
    listed = re.findall(r"^- \[.+?\]\(([\w/-]+)\.md\)", section, re.MULTILINE)
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {name}", "", *listed, "```"])


def _add_navigation(_: Sphinx, page: str, source: list[str]) -> None:
    if page == "index":
        source[0] += "\n" + navigation(source[0])


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _add_navigation)
