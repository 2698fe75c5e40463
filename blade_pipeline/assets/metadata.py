"""What Dagster shows of an artifact: numbers, small tables and paths; never text of a rollout."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from blade_pipeline.assets.links import place_of
from blade_pipeline.assets.stage import Markdown, Stage
from blade_pipeline.metrics import Metric
from blade_pipeline.reporting.text import clean, markdown
from blade_pipeline.storage import Artifact, Cell, Store

INPUTS = "blade/inputs"
_ROW_COUNT = "dagster/row_count"
_COLUMN_SCHEMA = "dagster/column_schema"
_METRICS = "definitions of its numbers"
_LIMIT = 30
_LONGEST = 1200


def metadata_of(stage: Stage, cell: Cell, artifact: Artifact, store: Store) -> dict[str, dg.MetadataValue]:
    """Row count, published paths and the stage's own summary of an artifact."""
    shown: dict[str, dg.MetadataValue] = {}
    if artifact.table is not None:
        shown[_ROW_COUNT] = dg.MetadataValue.int(artifact.table.num_rows)
    for name in stage.publishes[:1]:
        place = place_of(store, cell, name)
        shown["report"] = dg.MetadataValue.url(place) if place.startswith("http") else dg.MetadataValue.path(place)
    for name, value in stage.summary(artifact).items():
        if value is not None:
            shown[name] = _shown(value)
    return shown


def definition_of(stage: Stage) -> dict[str, dg.MetadataValue]:
    """The columns of the stage's table, which Dagster shows as the asset's schema, and the numbers of its document."""
    shown: dict[str, dg.MetadataValue] = {}
    if stage.columns:
        columns = [dg.TableColumn(name, str(kind), meaning) for name, (kind, meaning) in stage.columns.items()]
        shown[_COLUMN_SCHEMA] = dg.MetadataValue.table_schema(dg.TableSchema(columns))
    if stage.metrics:
        shown[_METRICS] = dg.MetadataValue.md(_defined(stage.metrics))
    return shown


def _defined(metrics: Sequence[Metric]) -> str:
    """How numbers are defined, as a Markdown table."""
    rows = [f"| {found.name} | {found.formula} | {found.denominator} | {found.question} |" for found in metrics]
    return "\n".join(["| number | formula | denominator | question answered |", "|---|---|---|---|", *rows])


def _shown(value: Any) -> dg.MetadataValue:
    if isinstance(value, Markdown):
        return dg.MetadataValue.md(value.text)
    if isinstance(value, bool):
        return dg.MetadataValue.bool(value)
    if isinstance(value, int):
        return dg.MetadataValue.int(value)
    if isinstance(value, float):
        return dg.MetadataValue.float(value)
    if isinstance(value, str):
        return dg.MetadataValue.text(clean(value, _LONGEST))
    return dg.MetadataValue.md(markdown_table(value))


def markdown_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of the first rows, with a line that counts the rest."""
    if not rows:
        return "none"
    names = list(rows[0])
    lines = [[_cell(name) for name in names], ["---"] * len(names)]
    lines += [[_cell(row.get(name)) for name in names] for row in rows[:_LIMIT]]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return text if len(rows) <= _LIMIT else f"{text}\n\n{len(rows) - _LIMIT} more"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return markdown(clean(text))
