"""The checks of the graph's artifacts."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.assets.check import Check, Finding
from blade_pipeline.method.lines import line_classes
from blade_pipeline.rounding import percent
from blade_pipeline.storage import Artifact

_PARTS = ("measured", "masked", "unscored", "failed", "missing")
_MOST_TOLD = 5
_AGAINST_ROWS = (
    "aggregate disagrees with the rows",
    "imputed zeros in the aggregate",
    "impossible share",
    "stale aggregate",
    "unreadable aggregate",
)


def accounting_sums(artifact: Artifact) -> Finding:
    """Expected is the sum of its outcomes, and agents sum to the run."""
    document = _document(artifact)
    total, agents = document["accounting"], document["by"]["agent"]
    parts = {name: total[name] for name in _PARTS}
    wrong = []
    if total["expected"] is not None and total["expected"] != sum(parts.values()):
        wrong.append(f"expected {total['expected']} is not {' + '.join(map(str, parts.values()))}")
    wrong += [
        f"{name} {total[name]} is not the agents' {summed}"
        for name in _PARTS
        if (summed := sum(agent[name] for agent in agents)) != total[name]
    ]
    classes = {entry["class"]: entry["count"] for entry in document["line_classes"]}
    if total["lines"] != classes.get("row", 0) + total["blank_lines"] + total["malformed_lines"]:
        wrong.append(f"{total['lines']} lines are not rows, blank and malformed lines together")
    expected = {} if total["expected"] is None else {"expected": total["expected"]}
    whole = f"{total['lines']} lines and {sum(parts.values())} rollouts are each in one place"
    return Finding(not wrong, "; ".join(wrong) or whole, expected | parts)


def rows_readable(artifact: Artifact) -> Finding:
    """No line is malformed."""
    classes = line_classes(_table(artifact))
    lines = sum(classes.values())
    malformed = lines - classes.get("row", 0) - classes.get("blank", 0)
    return Finding(malformed == 0, f"{malformed} of {lines} lines are malformed", {"malformed": malformed})


def no_duplicates(artifact: Artifact) -> Finding:
    """No two lines claim the same rollout."""
    duplicates = int(pc.sum(_table(artifact)["duplicates"]).as_py() or 0)
    return Finding(duplicates == 0, f"{duplicates} further lines repeat a rollout", {"duplicates": duplicates})


def coverage_is_complete(artifact: Artifact) -> Finding:
    """Every expected rollout was measured, or at least the share that the profile demands."""
    document = _document(artifact)
    share, floor = document["measured_share"], document["min_coverage"]
    needed = 1.0 if floor is None else floor
    if share is None:
        return Finding(True, "how many rollouts were expected is unknown")
    counts = {name: document["accounting"][name] for name in ("measured", "expected")}
    measured, expected = counts.values()
    sentence = f"{percent(share)} of the expected rollouts are measured, {measured} of {expected}"
    return Finding(share >= needed, sentence, {"measured share": share} | counts)


def peer_aggregate_agrees(artifact: Artifact) -> Finding:
    """The shipped aggregates say the same as the rows, and nothing impossible."""
    document = _document(artifact)
    files = document["aggregates"]
    if not files:
        return Finding(True, "no aggregate file")
    numbers = {name: sum(file[name] for file in files) for name in ("compared", "different")}
    told = [found["sentence"] for found in document["findings"] if found["kind"] in _AGAINST_ROWS]
    return Finding(not told, " ".join(told) or f"{numbers['compared']} numbers agree", numbers)


def labels_fit_the_run(artifact: Artifact) -> Finding:
    """No analyst's label speaks of rollouts or outcomes that the run no longer has."""
    stale = _document(artifact)["stale_labels"]
    told = [f"{'line ' + str(label['line']) if label['line'] else label['task']}: {label['reason']}" for label in stale]
    sentence = f"{len(stale)} stale labels ({'; '.join(told[:_MOST_TOLD])})" if stale else "no label is stale"
    return Finding(not stale, sentence, {"stale": len(stale)})


def figures_are_borne_out(artifact: Artifact) -> Finding:
    """The published files say what the rows say, and cite what there is; told by place and kind, never by value."""
    found = _document(artifact)["verification"]
    told = [f"a {wrong['kind']} in {_place(wrong)} {wrong['problem']}" for wrong in found["wrong"]]
    confirmed, unplaced = (
        sum(counts[name] for counts in found["counts"].values()) for name in ("confirmed", "unplaced")
    )
    numbers = {"confirmed": confirmed, "not placed": unplaced, "contradicted": len(told)}
    if not told:
        return Finding(True, f"{confirmed} figures are borne out", numbers)
    more = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    hint = "this is a fault of the program; `blade verify` shows the right values"
    return Finding(False, f"{'; '.join(told[:_MOST_TOLD])}{more}; {hint}", numbers)


def _place(wrong: dict[str, Any]) -> str:
    return f"{wrong['file']}, {wrong['path'] or 'line ' + str(wrong['line'])}"


def _document(artifact: Artifact) -> dict[str, Any]:
    return dict(artifact.document or {})


def _table(artifact: Artifact) -> pa.Table:
    assert isinstance(artifact.table, pa.Table)
    return artifact.table


CHECKS = (
    Check("rows_readable", "raw_rollouts", "WARN", "Every line of the rollouts is a readable row.", rows_readable),
    Check("no_duplicates", "aligned_samples", "WARN", "No two lines claim the same rollout.", no_duplicates),
    Check("accounting_sums", "coverage", "ERROR", "Every expected rollout and line is counted once.", accounting_sums),
    Check("coverage_is_complete", "coverage", "WARN", "As many rollouts are measured as needed.", coverage_is_complete),
    Check(
        "peer_aggregate_agrees",
        "coverage",
        "WARN",
        "The aggregate that NeMo Gym shipped says the same as the rows.",
        peer_aggregate_agrees,
    ),
    Check(
        "labels_fit_the_run",
        "root_causes",
        "WARN",
        "No analyst's label speaks of rollouts or outcomes that the run no longer has.",
        labels_fit_the_run,
    ),
    Check(
        "figures_are_borne_out",
        "blade_report",
        "ERROR",
        "Every figure and id of the report follows from the rows, recomputed without the facts that wrote it.",
        figures_are_borne_out,
    ),
    Check(
        "figures_are_borne_out",
        "benchmark_report",
        "ERROR",
        "Every figure and run of the benchmark's page is that of its comparisons.",
        figures_are_borne_out,
    ),
)
