"""D3: the golden reports of a package, each with its metrics and anchor facts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blade_pipeline.method.package.finding import PackageFinding
from blade_pipeline.method.package.golden_strict import check_strictly
from blade_pipeline.method.package.scoring import records

ENDINGS = ("_golden_report.md", "-golden-report.md")
IDENTITY = ("model", "model_name", "benchmark", "pass_at_1", "num_tasks", "total_tasks")
_DIFFICULTIES = ("", "high", "medium", "low")
_LINES, _FACT = 40, 20


def check_golden(folder: Path, min_facts: int, *, strict: bool = False) -> Iterator[PackageFinding]:
    """Whether there are golden reports of substance with their sidecars; ``strict`` holds them against the rows."""
    golden = folder / "golden_reports"
    if not golden.exists():
        yield PackageFinding(False, "D3: there are no golden reports; they belong in golden_reports/")
        return
    reports = sorted({path for ending in ENDINGS for path in golden.glob(f"*{ending}")})
    yield PackageFinding(bool(reports), f"D3: golden reports, of which one is needed: {len(reports)}")
    for report in reports:
        yield from _of_report(report, folder, min_facts, strict=strict)


def _of_report(report: Path, folder: Path, min_facts: int, *, strict: bool) -> Iterator[PackageFinding]:
    prefix = next(report.name.removesuffix(ending) for ending in ENDINGS if report.name.endswith(ending))
    optional = "_vs_" in prefix or "-vs-" in prefix
    text = report.read_text(encoding="utf-8", errors="replace")
    substantial = len(text.splitlines()) >= _LINES and "##" in text
    yield PackageFinding(substantial, f"{report.name}: long enough, and divided into sections")
    metrics_path = _sidecar(report, prefix, "_golden_report_metrics.json", report.with_suffix(".metrics.json"))
    facts_path = _sidecar(report, prefix, "_anchor_facts.json")
    metrics, facts = _loaded(metrics_path), _loaded(facts_path)
    yield from _of_metrics(report, metrics_path, metrics, optional=optional)
    yield from _of_facts(report, facts_path, facts, min_facts, optional=optional)
    if _sidecar(report, prefix, "_shallow.md").exists():
        yield PackageFinding(True, f"{report.name}: a shallow baseline lies beside it")
    else:
        yield PackageFinding(True, f"{report.name}: no shallow baseline beside it; only calibrate needs one")
    if strict:
        yield from check_strictly(folder, report.name, prefix, text, metrics, records(facts), optional=optional)


@dataclass(frozen=True)
class _Unreadable:
    """A sidecar that is no JSON, and why."""

    why: str


def _loaded(path: Path) -> Any:
    """The document; None when there is no file, an ``_Unreadable`` when it is no JSON."""
    if not path.exists():
        return None
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        return _Unreadable(type(error).__name__)


def _of_metrics(report: Path, path: Path, document: Any, *, optional: bool) -> Iterator[PackageFinding]:
    if document is None and not path.exists():
        yield _absent(report, path, "metrics sidecar", optional=optional)
        return
    if isinstance(document, _Unreadable):
        yield PackageFinding(False, f"{path.name}: these metrics are no JSON ({document.why})")
        return
    yield PackageFinding(isinstance(document, dict), f"{path.name}: the metrics are a JSON object")
    held = sum(key in document for key in IDENTITY) if isinstance(document, dict) else 0
    yield PackageFinding(optional or held >= 3, f"{path.name}: the metrics say what they are of")


def _of_facts(report: Path, path: Path, document: Any, least: int, *, optional: bool) -> Iterator[PackageFinding]:
    if document is None and not path.exists():
        yield _absent(report, path, "anchor facts", optional=optional)
        return
    if isinstance(document, _Unreadable):
        yield PackageFinding(False, f"{path.name}: these facts are no JSON ({document.why})")
        return
    facts = records(document)
    yield PackageFinding(len(facts) >= least, f"{path.name}: holds {len(facts)} facts")
    malformed = sum(not _is_well_formed(fact) for fact in facts)
    yield PackageFinding(malformed == 0, f"{path.name}: {malformed} facts without a sentence or with an odd difficulty")


def _absent(report: Path, path: Path, what: str, *, optional: bool) -> PackageFinding:
    if optional:
        return PackageFinding(True, f"{report.name}: no {what}; a report of a comparison needs none")
    return PackageFinding(False, f"{report.name}: its {what} {path.name} is not there")


def _is_well_formed(fact: Any) -> bool:
    if not isinstance(fact, dict):
        return False
    difficulty = str(fact.get("difficulty", "")).strip().lower()
    return len(str(fact.get("fact", "")).strip()) >= _FACT and difficulty in _DIFFICULTIES


def _sidecar(report: Path, prefix: str, ending: str, *others: Path) -> Path:
    """The first that is there of the names a sidecar may have, else the first name."""
    names = [report.parent / f"{name}{ending}" for name in (prefix, prefix.replace("-", "_"))]
    return next((path for path in (*names, *others) if path.exists()), names[0])
