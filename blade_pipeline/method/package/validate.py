"""Validates the shape of a BLADE package: D1 skill, D2 rollouts, D3 golden reports."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from blade_pipeline.method.package.finding import PackageFinding
from blade_pipeline.method.package.golden_check import check_golden
from blade_pipeline.method.package.rollout_check import check_rollouts
from blade_pipeline.method.package.skill_check import check_skill

Phase = Literal["all", "skill", "rollouts", "golden"]
PHASES: tuple[Phase, ...] = ("all", "skill", "rollouts", "golden")
MIN_FACTS = 8


def validate_package(
    folder: Path, phase: Phase = "all", min_facts: int = MIN_FACTS, *, strict: bool = False
) -> Iterator[PackageFinding]:
    """The findings of one phase or of all, in the public BLADE helper's order and with its answers.

    ``strict`` adds what that helper does not look at: figures and cited ids against the rows, comparable task sets,
    facts that run on or that no passage of the report states, sidecars that are no rollouts.
    """
    if phase in ("all", "skill"):
        yield from check_skill(folder)
    if phase in ("all", "rollouts"):
        yield from check_rollouts(folder, strict=strict)
    if phase in ("all", "golden"):
        yield from check_golden(folder, min_facts, strict=strict)
