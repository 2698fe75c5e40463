"""Runs whose question is not "why is this number different?" but "why did this run fail?"."""

from collections.abc import Sequence
from typing import Any

from blade_pipeline.method.comparison.side import Side


def debugging_case(side: Side) -> dict[str, Any] | None:
    """What is missing of a run that left nothing to compare or looks crashed; None for any other run.

    Returns:
        ``{run, nothing_measured, missing: [what], sentence}``.
    """
    account = side.coverage["accounting"]
    roles = {file["role"] for file in side.manifest.get("files", ())}
    missing = _missing(account, roles)
    nothing = not account["measured"]
    if not nothing and not _looks_crashed(account, roles):
        return None
    return {
        "run": side.run,
        "nothing_measured": nothing,
        "missing": missing,
        "sentence": f"{side.run} is a debugging case: {', '.join(missing)}",
    }


def debugging_cases(sides: Sequence[Side]) -> list[dict[str, Any]]:
    """The debugging cases among some runs."""
    return [case for side in sides if (case := debugging_case(side)) is not None]


def _missing(account: dict[str, Any], roles: set[str]) -> list[str]:
    found = []
    if not roles & {"rollouts", "reward_profiling"}:
        found.append("there is no rollouts file")
    elif not account["lines"]:
        found.append("its rollouts file is empty")
    elif not account["measured"]:
        found.append("none of its rows holds a score")
    if account["failed"] and not account["measured"]:
        found.append(f"{account['failed']} rollouts stand in the failures sidecar")
    if account["missing"] and account["expected"]:
        found.append(f"{account['missing']} of {account['expected']} expected rollouts left no trace")
    if account["malformed_lines"]:
        found.append(f"{account['malformed_lines']} lines cannot be read")
    if "aggregate_metrics" not in roles:
        found.append("there is no aggregate metrics file")
    elif not account["measured"]:
        found.append("its aggregate metrics have no rows to stand on")
    return found


def _looks_crashed(account: dict[str, Any], roles: set[str]) -> bool:
    """Rollouts left no trace, a line was torn, and nobody wrote the aggregate: the writer died at work."""
    return bool(account["missing"] and account["malformed_lines"] and "aggregate_metrics" not in roles)
