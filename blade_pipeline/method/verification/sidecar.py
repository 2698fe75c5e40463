"""Holds the numbers of a ``metrics.json`` (or a golden report's sidecar) against the rows."""

from collections.abc import Iterator, Mapping
from typing import Any

from blade_pipeline.method.verification.ablation import ablation_numbers
from blade_pipeline.method.verification.repeats import Repeats
from blade_pipeline.method.verification.sliced import Sliced
from blade_pipeline.method.verification.truths import BUCKETS, OUTCOMES, Truths

Json = dict[str, Any]
_TOLERANCE = 1e-6
_WRITTEN_BY_HAND = 0.0005
_SIDES = ("measured", "masked", "unscored", "failed", "missing", "unexpected", "duplicates", "lines")


def sidecar_figures(document: dict[str, Any], truths: Truths) -> Iterator[dict[str, Any]]:
    """One record per number of the document: confirmed, contradicted with the right value, or unplaced."""
    known = _known(truths) | _of_slices(document.get("slices"), Sliced(truths.evidence))
    known |= Repeats(truths.evidence).numbers(truths.ks)
    stated = _stated(truths.evidence.documents)
    for path, value in _numbers(document):
        by, right = ("the rows", known[path]) if path in known else stated.get(path, (None, None))
        yield record_of(path, value, right, by)


def _of_slices(entries: Any, sliced: Sliced) -> dict[str, float | None]:
    """The numbers of each slice by their path; entries that name no slice of the run are left to other artifacts."""
    found: dict[str, float | None] = {}
    for place, entry in enumerate(entries if isinstance(entries, list) else ()):
        name = (str(entry.get("field")), str(entry.get("value")))
        right = sliced.numbers(name)
        if right:
            interval, modes = sliced.interval(name), sliced.modes(name)
            ends = {f"interval/{end}": getattr(interval, end) for end in ("low", "high", "se", "df")}
            named = filter(sliced.is_mode, entry.get("failure_modes") or ())
            shown = {f"failure_modes/{mode}": modes[mode] for mode in named}
            test = {f"against_rest/{part}": value for part, value in sliced.apart.tests.get(name, {}).items()}
            mean = {"mean_reward": sliced.apart.mean(name)} if sliced.apart.graded else {}
            recounted = right | ends | shown | test | mean
            found |= {f"slices/{place}/{path}": value for path, value in recounted.items()}
    return found


def _stated(documents: Mapping[str, Json]) -> dict[str, tuple[str, float | None]]:
    """Numbers that other artifacts state, by their path, with the artifact."""
    causes, comparison = (documents.get(name) or {} for name in ("root_causes", "run_comparison"))
    scores = {row["name"]: row["score_fraction"] for row in comparison.get("references") or []}
    parts = {
        "run_comparison": {"ablation": {"references": scores}},
        "root_causes": {"ablation": causes.get("ablation") or {}},
        "pass_at_k": documents.get("pass_at_k") or {},
    }
    return {
        path: (f"the artifact {name}", value) for name, document in parts.items() for path, value in _numbers(document)
    }


def record_of(path: str, value: float | None, right: float | None, by: str | None) -> Json:
    """A number of a document as it is judged; unplaced where nothing says what it should be."""
    status = "unplaced" if by is None else "confirmed" if _same(value, right) else "contradicted"
    told = {"status": status, "right": _written(right) if status == "contradicted" else None, "by": by}
    return {"line": None, "text": _written(value), "context": path, **told}


def _numbers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{path}/{key}" if path else str(key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _numbers(item, f"{path}/{position}")
    elif (isinstance(value, (int, float)) and not isinstance(value, bool)) or (value is None and "/" not in path):
        yield path, value


def _known(truths: Truths) -> dict[str, float | None]:
    counts, k = truths.counts, truths.headline_k
    one, at = truths.pass_at(1), truths.pass_at(k)
    every = max(1.0, counts["rollouts"])
    found: dict[str, float | None] = {
        "pass_at_1": one,
        "pass_at_1_micro": truths.micro,
        "pass_at_k": at,
        "k": k or None,
        "consistency": truths.pass_hat(k),
        "retry_value": None if one is None or at is None else at - one,
        "total_tasks": counts["tasks"],
        "num_tasks": counts["measured_tasks"],
        "total_rollouts": counts["rollouts"],
        "num_rollouts": counts["measured"],
        "passed_rollouts": counts["passed"],
        "failed_rollouts": counts["not_passed"],
        "coverage": counts["completed"] / every if truths.expected_known else None,
        "measured_share": counts["measured"] / every if truths.expected_known else None,
        "accounting/expected": counts["rollouts"] if truths.expected_known else None,
        "accounting/blank_lines": counts["blank"],
        "accounting/malformed_lines": counts["malformed"],
    }
    found |= ablation_numbers(truths.ablation) | truths.graded_ablation.numbers()
    found |= {f"{name}_tasks": truths.bucket_counts[name] for name in BUCKETS}
    found |= {f"accounting/{name}": counts[name] for name in (*OUTCOMES, *_SIDES)}
    if truths.modes:
        most = max(count for count, _ in truths.modes.values())
        found |= {
            "dominant_failure_count": most,
            "dominant_failure_fraction": most / truths.evidence.modes.num_rows,
        }
    for number in truths.ks:
        for curve, value in (("pass_at", truths.pass_at(number)), ("pass_hat", truths.pass_hat(number))):
            found |= {f"{curve}/{number}/value": value, f"{curve}/{number}/eligible_tasks": truths.eligible(number)}
    return found


def _same(stated: float | None, right: float | None) -> bool:
    """Equal, or rounded by hand to three digits or more."""
    if stated is None or right is None:
        return stated is right
    if abs(stated - right) <= _TOLERANCE * max(1.0, abs(right)):
        return True
    digits = len(repr(float(stated)).partition(".")[2])
    return isinstance(stated, float) and digits == 3 and abs(stated - right) <= _WRITTEN_BY_HAND


def _written(value: float | None) -> str:
    return "null" if value is None else f"{value:.10g}"
