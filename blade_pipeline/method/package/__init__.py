"""BLADE packages (D1 skill, D2 rollouts, D3 golden reports): validate, score, calibrate, draft, write.

The answers on the same inputs are those of the public BLADE helper; what that helper does not look at stands behind
``strict``.
"""

from blade_pipeline.method.package.drafting import METHOD, draft_facts
from blade_pipeline.method.package.finding import PackageFinding, told
from blade_pipeline.method.package.readiness import readiness
from blade_pipeline.method.package.rollout_rows import object_lines
from blade_pipeline.method.package.scoring import calibration, misses, records, score_report
from blade_pipeline.method.package.shallow import shallow_baseline
from blade_pipeline.method.package.skill_text import skill_text
from blade_pipeline.method.package.validate import MIN_FACTS, PHASES, Phase, validate_package

__all__ = [
    "METHOD",
    "MIN_FACTS",
    "PHASES",
    "PackageFinding",
    "Phase",
    "calibration",
    "draft_facts",
    "misses",
    "object_lines",
    "readiness",
    "records",
    "score_report",
    "shallow_baseline",
    "skill_text",
    "told",
    "validate_package",
]
