"""The files of a shareable report, behind the gate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from blade_pipeline.method.package import shallow_baseline
from blade_pipeline.reporting.build import to_json
from blade_pipeline.reporting.html import to_html
from blade_pipeline.reporting.inputs import Json, ReportInputs
from blade_pipeline.reporting.markdown import to_markdown
from blade_pipeline.reporting.sharing.gate import Hit, inspect
from blade_pipeline.reporting.sharing.names import Names
from blade_pipeline.reporting.sharing.page import page_document, shared_page
from blade_pipeline.reporting.sharing.report import shareable_document
from blade_pipeline.reporting.sharing.scrub import Scrubber
from blade_pipeline.reporting.sharing.shared import share


@dataclass(frozen=True)
class Shareable:
    """Files by path below the shareable folder; where the gate found something, none, and what it found."""

    files: Mapping[str, bytes]
    taken: list[tuple[str, str, int]]
    hits: list[Hit] = field(default_factory=list)


def build_shareable(inputs: ReportInputs, key: bytes, terms: Iterable[str]) -> Shareable:
    """A run's shareable report under the ordinary file names."""
    names = Names(key, inputs.benchmark, Scrubber(terms))
    shared = share(inputs, names)
    document = shareable_document(shared, names.list())
    report = to_markdown(document)
    named = {name: shared.metrics[name] for name in ("benchmark", "run", "model")}
    texts = {
        "report.md": report,
        "report.html": to_html(document),
        "shallow.md": shallow_baseline(report, "report"),
        "metrics.json": to_json(shared.metrics),
        "coverage.json": to_json(shared.coverage),
        "comparability.json": to_json(shared.pairs),
        "anchor_facts.json": to_json({"schema_version": 1, **named, "anchor_facts": shared.facts}),
    }
    return _checked(f"{named['benchmark']}/{named['run']}", texts, names)


def build_shareable_page(
    benchmark: str, rows: list[Json], pairs: Iterable[Json], key: bytes, terms: Iterable[str]
) -> Shareable:
    """A benchmark's shareable page under the ordinary file names."""
    names = Names(key, benchmark, Scrubber(terms))
    shared = shared_page(benchmark, rows, pairs, names)
    document = page_document(shared, names.list())
    texts = {
        "index.html": to_html(document),
        "comparison.md": to_markdown(document),
        "comparison.json": to_json(shared),
    }
    return _checked(shared["benchmark"], texts, names)


def _checked(place: str, texts: Mapping[str, str], names: Names) -> Shareable:
    files = {f"{place}/{name}": text.encode() for name, text in texts.items()}
    hits = inspect(files, names.scrubber)
    return Shareable({} if hits else files, names.list(), hits)
