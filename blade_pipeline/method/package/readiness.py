"""Is a benchmark's package ready? What each deliverable has, and what it lacks."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from blade_pipeline.method.package.scoring import GOLDEN_AT_LEAST, SHALLOW_AT_MOST, SPREAD_AT_LEAST
from blade_pipeline.method.package.validate import MIN_FACTS

Json = dict[str, Any]
LEAST_MODELS, BETTER_MODELS = 2, 3
_LINES = 40


def readiness(benchmark: str, *, has_profile: bool, runs: Sequence[Mapping[str, Any]], pairs: Sequence[Json]) -> Json:
    """What D1, D2 and D3 have and lack.

    Args:
        benchmark: its name.
        has_profile: whether the team declared the benchmark's funnel and failure modes.
        runs: one record per run: ``run``, ``model``, ``num_rollouts`` (measured), ``lines`` of its report, ``facts``,
            ``calibration`` (strict summary), ``contradicted``.
        pairs: the comparability pairs of these runs.

    Returns:
        ``{benchmark, ready, deliverables: {D1|D2|D3: {ready, has, lacks}}, runs}``.
    """
    deliverables = {"D1": _skill(has_profile), "D2": _rollouts(runs, pairs), "D3": _golden(runs)}
    ready = all(part["ready"] for part in deliverables.values())
    return {"benchmark": benchmark, "ready": ready, "deliverables": deliverables, "runs": [dict(run) for run in runs]}


def _skill(has_profile: bool) -> Json:
    lacks = [] if has_profile else ["no benchmark profile: the skill can only speak of generic phases and modes"]
    return _deliverable(["an analysis skill, written from the profile"] if has_profile else [], lacks)


def _rollouts(runs: Sequence[Mapping[str, Any]], pairs: Sequence[Json]) -> Json:
    scored = [run for run in runs if run["num_rollouts"]]
    models = {run["model"] or run["run"] for run in scored}
    has = [f"scored rollouts of {_models(len(models))} in {len(scored)} runs"]
    lacks = []
    if len(models) < LEAST_MODELS:
        lacks.append(f"{_models(len(models))} with scored rollouts; at least {LEAST_MODELS} are needed")
    elif len(models) < BETTER_MODELS:
        has.append(f"a third model would be better (of {BETTER_MODELS})")
    names = {run["run"] for run in scored}
    sharing = {frozenset((pair["run_a"], pair["run_b"])) for pair in pairs if _share_tasks(pair)}
    apart = [f"{a} and {b}" for a, b in combinations(sorted(names), 2) if frozenset((a, b)) not in sharing]
    lacks += [f"task sets that do not meet: {pair}" for pair in apart]
    return _deliverable(has, lacks)


def _share_tasks(pair: Json) -> bool:
    """Whether two runs have at least as many tasks in common as apart."""
    found = pair.get("pairing") or {}
    common = found.get("common") or 0
    return bool(common) and common >= (found.get("only_a") or 0) + (found.get("only_b") or 0)


def _golden(runs: Sequence[Mapping[str, Any]]) -> Json:
    has, lacks = [], []
    for run in runs:
        wrong = list(_lacks(run))
        if wrong:
            lacks.append(f"{run['run']}: {'; '.join(wrong)}")
        else:
            has.append(
                f"{run['run']}: report, metrics and {run['facts']} facts, every figure borne out; a draft to review"
            )
    return _deliverable(has, lacks or ([] if runs else ["no run has a report"]))


def _lacks(run: Mapping[str, Any]) -> list[str]:
    scores = run["calibration"]
    golden, shallow, spread = scores["golden_vs_self"], scores["shallow_vs_golden"], scores["spread"]
    told = []
    if run["lines"] < _LINES:
        told.append(f"a report of {run['lines']} lines, below {_LINES}")
    if run["facts"] < MIN_FACTS:
        told.append(f"{run['facts']} anchor facts, below {MIN_FACTS}")
    if run["contradicted"]:
        told.append(f"{run['contradicted']} figures or ids that the rows contradict")
    if golden < GOLDEN_AT_LEAST or shallow > SHALLOW_AT_MOST or spread < SPREAD_AT_LEAST:
        told.append(f"calibration {golden} against {shallow}, a spread of {spread}")
    return told


def _deliverable(has: list[str], lacks: list[str]) -> Json:
    return {"ready": not lacks, "has": has, "lacks": lacks}


def _models(count: int) -> str:
    return "1 model" if count == 1 else f"{count} models"
