"""Writes every page that follows from the code."""

from blade_pipeline_tests.reference import PAGES

for path, page in PAGES.items():
    path.write_text(page())
