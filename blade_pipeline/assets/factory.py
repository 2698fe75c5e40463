"""Dagster assets from stages."""

import warnings
from collections.abc import Iterator

import dagster as dg

from blade_pipeline.assets.check import Check, Verdict
from blade_pipeline.assets.faults import told_in_a_sentence
from blade_pipeline.assets.freshness import freshness_of
from blade_pipeline.assets.metadata import definition_of
from blade_pipeline.assets.partitions import cell_of, mapping_between, partitions_of
from blade_pipeline.assets.perform import Made, perform
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.assets.workspace import Workspace

Results = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]

OWNER = "team:evaluation"

_CELLS = "One partition per benchmark and run. Pairs without a run directory stay missing, and nothing is to be done."
_KEPT = "Made by the sensor run_directory_sensor, the schedule nightly_reanalysis and blade analyze."
_ON_REQUEST = "Made by blade analyze --shareable, when somebody asks for it."


def assets_of(graph: Graph) -> list[dg.AssetsDefinition]:
    """One asset per stage."""
    return [_asset(stage, graph) for stage in graph]


def _asset(stage: Stage, graph: Graph) -> dg.AssetsDefinition:
    @dg.asset(
        name=stage.name,
        deps=[_dependency(stage, graph[name]) for name in stage.deps],
        partitions_def=partitions_of(stage.level),
        group_name=stage.group,
        code_version=stage.code_version,
        description=_description(stage),
        kinds=set(stage.kinds),
        owners=[OWNER],
        tags={"level": stage.level},
        metadata=definition_of(stage),
        freshness_policy=freshness_of(stage),
        check_specs=[_check_spec(check, stage) for check in graph.checks_of(stage)],
    )
    def asset(context: dg.AssetExecutionContext, workspace: Workspace) -> Results:
        cell = cell_of(context.partition_key)
        with told_in_a_sentence():
            live = workspace.see()
            with live.store.lock([cell.benchmark]):
                made = perform(stage, cell, live, graph)
            live.memo.save()
        yield from _results(made)
        yield dg.MaterializeResult(data_version=dg.DataVersion(made.version), metadata=made.metadata)

    return asset


def _description(stage: Stage) -> str:
    kept = _ON_REQUEST if stage.shares else _KEPT
    return "\n\n".join([stage.description, *([_CELLS] if stage.level == "run" else []), kept])


def _results(made: Made) -> Iterator[dg.AssetCheckResult]:
    yield from (_check_result(verdict) for verdict in made.verdicts)
    if made.error is not None:
        raise dg.Failure(made.error, allow_retries=False)


def _dependency(stage: Stage, upstream: Stage) -> dg.AssetDep:
    return dg.AssetDep(upstream.name, partition_mapping=mapping_between(stage.level, upstream.level))


def _check_spec(check: Check, stage: Stage) -> dg.AssetCheckSpec:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return dg.AssetCheckSpec(
            check.name,
            asset=check.asset,
            description=check.description,
            blocking=check.severity == "ERROR",
            partitions_def=partitions_of(stage.level),
        )


def _check_result(verdict: Verdict) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=verdict.finding.passed,
        check_name=verdict.check.name,
        severity=dg.AssetCheckSeverity[verdict.check.severity],
        description=verdict.finding.sentence,
        metadata=dict(verdict.finding.numbers),
    )
