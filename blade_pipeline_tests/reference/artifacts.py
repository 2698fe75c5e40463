"""docs/artifacts.md: every asset of the graph, its checks and the columns of its table."""

from collections.abc import Iterator

from blade_pipeline.assets.graph import SHARING_GRAPH
from blade_pipeline.assets.stage import Stage
from blade_pipeline.automation.nightly import nightly_report

_HEAD = """# Artifacts

Every asset of the graph, group by group in the order in which they are made: what it holds, what it is made from, which
files it publishes, its checks, and the columns of its table. This page is written from the code by
`python -m blade_pipeline_tests.reference`.

A table lies in the store as `artifacts/<asset>/<benchmark>/<run>.parquet`, and `blade sql` reads the tables of all runs
under the asset's name, with the columns `benchmark` and `run` besides. Ids are text: the JSON literal of the value as
the file holds it, so that `7` and `"7"` stay different. [Metrics](metrics.md) has the numbers of the documents.
"""
_LEVELS = {"run": "one per run", "benchmark": "one per benchmark"}


def artifacts_page() -> str:
    """The whole page."""
    groups = dict.fromkeys(stage.group for stage in SHARING_GRAPH)
    return "\n".join([_HEAD, *(line for name in groups for line in _group(name)), *_operation()])


def _group(name: str) -> Iterator[str]:
    yield f"## {name.replace('_', ' ').capitalize()}\n"
    for stage in SHARING_GRAPH:
        if stage.group == name:
            yield from _asset(stage)


def _asset(stage: Stage) -> Iterator[str]:
    yield f"### {stage.name}\n"
    yield f"{stage.description}\n"
    yield f"- {_LEVELS[stage.level]}, {_origin(stage)}"
    if stage.publishes:
        yield f"- publishes {_names(stage.publishes)}"
    for check in SHARING_GRAPH.checks_of(stage):
        yield f"- check `{check.name}` ({check.severity}): {check.description}"
    yield ""
    if stage.columns:
        yield "| column | type | means |\n|---|---|---|"
        yield from (f"| `{name}` | {kind} | {_cell(means)} |" for name, (kind, means) in stage.columns.items())
        yield ""


def _origin(stage: Stage) -> str:
    files = [*stage.reads, *([f"the team's {stage.folder}"] if stage.folder else [])]
    read = f"read from {', '.join(files).replace('_', ' ')}" if files else ""
    made = f"made from {_names(stage.deps)}" if stage.deps else ""
    return ", ".join(filter(None, (read, made)))


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _operation() -> Iterator[str]:
    yield f"## {str(nightly_report.group_name).capitalize()}\n"
    yield f"### {nightly_report.key.to_user_string()}\n"
    yield f"{nightly_report.description}"
    yield ""
