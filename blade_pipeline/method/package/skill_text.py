"""Writes D1, the analysis skill of a benchmark, from its profile."""

from collections.abc import Iterator, Sequence

from blade_pipeline.method.recommendations import ACTIONS
from blade_pipeline.models import Profile

_STEPS = (
    "Count tasks, expected rollouts, and how each ended; the outcomes sum to what was expected.",
    "Compute pass@1 and pass@k over measured rollouts, with intervals that say which question they answer.",
    "Build the workflow funnel and name the largest drop-off.",
    "Put every task into one bucket: always, sometimes or never passes, or why that is open.",
    "Hold passing against failing rollouts of the same sometimes-pass task.",
    "Read never-pass trajectories in the order in which they happened.",
    "Give each failed or mixed task one root cause, or say that no evidence decides.",
    "Map every root cause to an intervention, ordered by the score that it could recover.",
)
_RULES = (
    "Every percentage stands with what it is a share of.",
    "Every claim names task ids, rollout ids, counts, a verifier message, a tool call or a file.",
    "What the model's own checks say and what the verifier says are kept apart.",
    "Missing rows, timeouts and malformed outputs are outcomes of their own.",
    "An error seen before an action is not blamed on that action.",
    "A claim whose artifact is absent is marked as one that cannot be supported.",
    "No private code, endpoint, credential or user name enters a report that is shared.",
)
_SECTIONS = (
    "Executive Summary",
    "Artifact Inventory",
    "Aggregate Results",
    "Workflow Funnel",
    "Task Outcome Buckets",
    "Dominant Failure Modes",
    "Sometimes-Pass Deep Dives",
    "Never-Pass Deep Dives",
    "Cross-Model Comparison",
    "Recommendations",
    "Reproducibility Notes",
)


def skill_text(benchmark: str, profile: Profile, runs: Sequence[str]) -> str:
    """The skill as Markdown with frontmatter."""
    return "\n".join(_lines(benchmark, profile, runs)) + "\n"


def _lines(benchmark: str, profile: Profile, runs: Sequence[str]) -> Iterator[str]:
    yield from ("---", f"name: {benchmark}-blade-analysis", "description: >")
    yield f"  Analyse {benchmark} rollouts: what the score is, where rollouts are lost, why, and what to do."
    yield from ("---", "", f"# Analysing {benchmark}", "")
    yield from ("## Inputs", "", "Rollouts of these runs, one file each:", "")
    yield from (f"- `rollouts/{run}.jsonl`" for run in runs)
    yield from ("", "## Score", "", *_score(profile), "")
    yield from ("## Workflow", "", *(f"{number}. {step}" for number, step in enumerate(_STEPS, 1)), "")
    yield from ("## Funnel", "", *_funnel(profile), "")
    yield from ("## Failure modes", "", *_modes(profile), "")
    yield from ("## Root causes and interventions", "", "| Label | Intervention |", "| --- | --- |")
    yield from (f"| {label} | {action} |" for label, action in ACTIONS.items())
    yield from ("", "## Evidence rules", "", *(f"- {rule}" for rule in _RULES), "")
    yield from ("## Report structure", "", *(f"- {section}" for section in _SECTIONS), "")
    yield from ("## Before handing over", "", "- `blade verify REPORT.md BENCHMARK RUN` contradicts no figure.")
    yield "- `blade validate --benchmark-dir DIR --strict` finds nothing."


def _score(profile: Profile) -> Iterator[str]:
    yield f"- The score of a rollout is its field `{profile.score}`."
    better = "at or above" if profile.higher_is_better else "at or below"
    yield f"- A rollout passes {better} {profile.pass_threshold:g}."
    if profile.answer_key:
        yield f"- The extracted answer is in `{profile.answer_key}`."
    if profile.slices:
        yield f"- Results are broken down by {', '.join(f'`{name}`' for name in profile.slices)}."


def _funnel(profile: Profile) -> Iterator[str]:
    if not profile.funnel:
        yield "The benchmark declares no phases; those of any agent apply: responded, finished, acted, scored, passed."
        return
    yield from ("| Phase | A rollout reaches it when |", "| --- | --- |")
    yield from (f"| {_cell(phase.phase)} | `{_cell(phase.when)}` |" for phase in profile.funnel)


def _modes(profile: Profile) -> Iterator[str]:
    if not profile.failure_modes:
        yield "The benchmark declares no failure modes; the generic rules apply, the most severe match is primary."
        return
    yield from ("| Mode | When | Severity | Proposes |", "| --- | --- | ---: | --- |")
    for mode in sorted(profile.failure_modes, key=lambda mode: -mode.severity):
        yield f"| {_cell(mode.code)} | `{_cell(mode.when)}` | {mode.severity} | {mode.root_cause or 'nothing'} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
