"""What the shape of a golden report does not show: figures, ids and facts held against the package's own rows."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from blade_pipeline.method.package.drafting import LONGEST
from blade_pipeline.method.package.finding import PackageFinding
from blade_pipeline.method.package.passages import figures, is_prose, passages
from blade_pipeline.method.package.rollout_check import rollout_paths
from blade_pipeline.method.package.rollout_rows import RolloutFile, read_rollout_file
from blade_pipeline.method.package.scoring import score_report

_TOLERANCE = 1e-4
_CITED_TASK = re.compile(r"\b[Tt]ask\s+`([^`\n]+)`")
_CITED_ROLLOUT = re.compile(r"\b[Rr]ollout\s+`([^`\n]+)`")
_ATTEMPT = re.compile(r"-a\d+$")
_SHOWN = 5


def check_strictly(
    folder: Path, name: str, prefix: str, report: str, metrics: Any, facts: Sequence[Any], *, optional: bool
) -> Iterator[PackageFinding]:
    """Figures of the sidecar and ids of the report against the rows; facts against the report."""
    document = metrics if isinstance(metrics, dict) else {}
    rows = _rows(folder, prefix, document)
    if rows is None and not optional:
        yield PackageFinding(False, f"{name}: no rollouts file of {prefix}, so that no figure can be checked")
    if rows is not None:
        yield _figures(name, document, rows)
        yield _ids(name, "task", _CITED_TASK.findall(report), rows.tasks)
        if rows.rollout_field is not None:
            cited = [_ATTEMPT.sub("", found) for found in _CITED_ROLLOUT.findall(report)]
            yield _ids(name, "rollout", cited, rows.rollouts)
    yield from _facts(name, report, facts)
    yield _prose(name, report)


def _rows(folder: Path, prefix: str, metrics: dict[str, Any]) -> RolloutFile | None:
    """The rollouts that a report speaks of: those of its name, or the only ones of its model."""
    named = {prefix, prefix.replace("-", "_")}
    paths = [path for path in rollout_paths(folder, strict=True) if _stem(path) in named]
    score = metrics.get("score_field")
    return read_rollout_file(paths[0], score if isinstance(score, str) else None) if len(paths) == 1 else None


def _stem(path: Path) -> str:
    return path.stem.removesuffix("_rollouts").removesuffix("-rollouts")


def _figures(name: str, metrics: dict[str, Any], rows: RolloutFile) -> PackageFinding:
    threshold = metrics.get("pass_threshold")
    found = rows.figures(float(threshold) if isinstance(threshold, (int, float)) else 1.0)
    wrong = [
        f"{key} is {metrics[key]}, the rows give {found[key]:.6g}"
        for key in ("num_tasks", "num_rollouts", "passed_rollouts", "failed_rollouts", "pass_at_1", "pass_at_1_micro")
        if key in found and key in metrics and not _same(metrics[key], found[key])
    ]
    return PackageFinding(not wrong, f"{name}: {'; '.join(wrong) or 'the figures of its sidecar follow from the rows'}")


def _same(stated: Any, right: float) -> bool:
    return isinstance(stated, (int, float)) and abs(stated - right) <= _TOLERANCE


def _ids(name: str, kind: str, cited: Sequence[str], known: set[str]) -> PackageFinding:
    forms = {_bare(form) for name_of in known for form in (name_of, json.dumps(name_of, ensure_ascii=False))}
    unknown = sorted({found for found in cited if not _is_among(_bare(found), forms)})
    if not unknown:
        return PackageFinding(True, f"{name}: every cited {kind} exists")
    return PackageFinding(False, f"{name}: cited {kind}s that are not in the rows: {', '.join(unknown[:_SHOWN])}")


def _is_among(cited: str, forms: set[str]) -> bool:
    """Whether an id is known; one that was shortened or made visible for display is not judged in full."""
    if cited.endswith("…"):
        return any(form.startswith(cited[:-1]) for form in forms)
    return cited in forms or any(mark in cited for mark in ("[U+", "[not shown]"))


def _bare(name: str) -> str:
    return " ".join(name.replace('"', "").split())


def _facts(name: str, report: str, facts: Sequence[Any]) -> Iterator[PackageFinding]:
    if not facts:
        return
    texts = [str(fact.get("fact", "")) for fact in facts if isinstance(fact, dict)]
    long = sum(len(text.split()) > LONGEST for text in texts)
    yield PackageFinding(long == 0, f"{name}: {long} of {len(texts)} facts run several findings together")
    hits = score_report(report, report, facts, strict=True)["anchor_hits"]
    unmet = [str(hit["id"]) for hit in hits if not hit["met"]]
    where = f" ({', '.join(unmet[:_SHOWN])})" if unmet else ""
    yield PackageFinding(
        not unmet, f"{name}: {len(unmet)} of {len(hits)} facts have no passage with their figures{where}"
    )


def _prose(name: str, report: str) -> PackageFinding:
    """A golden report argues; a list of its words does not."""
    argued = any(figures(passage) and is_prose(passage) for passage in passages(report))
    return PackageFinding(argued, f"{name}: prose states figures, and no vocabulary stands in for it")
