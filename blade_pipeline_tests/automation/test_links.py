"""Links to published pages: paths on this machine, or where somebody serves them."""

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.links import place_of
from blade_pipeline.assets.metadata import metadata_of
from blade_pipeline.storage import Artifact, Cell, Store

RUN = Cell("aime", "m 1")


def test_a_page_is_a_path_until_somebody_serves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(tmp_path))
    monkeypatch.delenv("BLADE_REPORTS_URL", raising=False)
    assert place_of(store, RUN, "report.html") == f"{tmp_path}/reports/aime/m 1/report.html"
    monkeypatch.setenv("BLADE_REPORTS_URL", "https://blade.example/reports/")
    assert place_of(store, RUN, "report.html") == "https://blade.example/reports/aime/m%201/report.html"


def test_dagster_links_to_where_pages_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = replace(GRAPH["blade_report"], summary=lambda _: {})
    monkeypatch.setenv("BLADE_REPORTS_URL", "https://blade.example/reports")
    shown = metadata_of(stage, RUN, Artifact(document={}), Store(str(tmp_path)))["report"]
    assert shown == dg.MetadataValue.url("https://blade.example/reports/aime/m%201/report.html")
