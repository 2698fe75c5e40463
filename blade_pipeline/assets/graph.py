"""The analysis as an ordered list of stages."""

from dataclasses import replace

from blade_pipeline.assets import (
    aligned_samples,
    analyst_labels,
    anchor_facts,
    benchmark_profile,
    benchmark_report,
    blade_package,
    blade_report,
    comparability,
    coverage,
    expected_rollouts,
    failed_attempts,
    failure_modes,
    health_findings,
    measured_samples,
    model_comparison,
    outcome_buckets,
    pass_at_k,
    raw_rollouts,
    reference_scores,
    rollout_excerpts,
    root_causes,
    run_comparison,
    run_manifest,
    shareable_page,
    shareable_report,
    sharing,
    trajectory_contrasts,
    workflow_funnel,
)
from blade_pipeline.assets.checks import CHECKS
from blade_pipeline.assets.code import code_version
from blade_pipeline.assets.stage import Graph, Stage


def _versioned(stage: Stage) -> Stage:
    return replace(stage, code_version=code_version(stage.name, stage.group))


GRAPH = Graph(
    [
        _versioned(stage)
        for stage in (
            benchmark_profile.STAGE,
            reference_scores.STAGE,
            expected_rollouts.STAGE,
            raw_rollouts.STAGE,
            failed_attempts.STAGE,
            health_findings.STAGE,
            run_manifest.STAGE,
            analyst_labels.STAGE,
            aligned_samples.STAGE,
            measured_samples.STAGE,
            pass_at_k.STAGE,
            coverage.STAGE,
            outcome_buckets.STAGE,
            workflow_funnel.STAGE,
            failure_modes.STAGE,
            trajectory_contrasts.STAGE,
            rollout_excerpts.STAGE,
            root_causes.STAGE,
            comparability.STAGE,
            model_comparison.STAGE,
            run_comparison.STAGE,
            anchor_facts.STAGE,
            blade_report.STAGE,
            benchmark_report.STAGE,
            blade_package.STAGE,
        )
    ],
    CHECKS,
)
"""Every stage after those that it depends on, and the checks of their artifacts."""

SHARING_GRAPH = Graph(
    [*GRAPH, *(_versioned(stage) for stage in (shareable_report.STAGE, shareable_page.STAGE))],
    (*CHECKS, *sharing.CHECKS),
)
"""The same, and what is made only when somebody asks for something to share."""
