"""Artifacts and check verdicts as Dagster events."""

from collections.abc import Callable

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData,
)
from dagster._core.events import DagsterEvent
from dagster._core.utils import make_new_run_id

from blade_pipeline.assets.check import Verdict
from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.assets.perform import Made
from blade_pipeline.automation.records import CODE_VERSION, DATA_VERSION

_INPUT_VERSION = "dagster/input_data_version/"
_INPUT_POINTER = "dagster/input_event_pointer/"
_JOB_NAME = "blade"
_USER_PROVIDED = "dagster/data_version_is_user_provided"


Record = Callable[[Made], None]
"""Writes into Dagster's event log what was made."""


def runless(instance: dg.DagsterInstance) -> Record:
    """Records outside any Dagster run, as the command line does; the verdicts of one pass share an id."""
    run_id = make_new_run_id()

    def record(made: Made) -> None:
        if made.error is None:
            instance.report_runless_asset_event(materialization_of(made, instance))
        judged = _latest(made, instance) if made.verdicts and made.error is None else None
        for verdict in made.verdicts:
            _report(verdict, instance, run_id, judged)

    return record


def within(context: dg.OpExecutionContext) -> Record:
    """Records as part of an op's run."""

    def record(made: Made) -> None:
        if made.error is None:
            context.log_event(materialization_of(made, context.instance))
        for verdict in made.verdicts:
            _report(verdict, context.instance, context.run_id)

    return record


def materialization_of(made: Made, instance: dg.DagsterInstance) -> dg.AssetMaterialization:
    """The event of an artifact, with its versions and where they come from."""
    return dg.AssetMaterialization(
        made.stage.name,
        partition=partition_key(made.cell),
        metadata=made.metadata,
        tags={
            DATA_VERSION: made.version,
            _USER_PROVIDED: "true",
            CODE_VERSION: made.stage.code_version,
            **_provenance(made, instance.event_log_storage.get_maximum_record_id()),
        },
    )


def _provenance(made: Made, newest: int | None) -> dict[str, str]:
    """Tags from which Dagster's own pages tell whether a partition is unsynced: every dependency as of now."""
    tags = {}
    for asset in made.stage.deps:
        versions = [version for key, version in made.inputs.items() if key.startswith(f"{asset}/")]
        tags[_INPUT_VERSION + asset] = versions[0] if versions else "unread"
        tags[_INPUT_POINTER + asset] = str(newest or 0)
    return tags


def _latest(made: Made, instance: dg.DagsterInstance) -> AssetCheckEvaluationTargetMaterializationData | None:
    """The materialization that the verdicts judge: a verdict that names none counts as older, and is not shown."""
    of_cell = dg.AssetRecordsFilter(dg.AssetKey(made.stage.name), asset_partitions=[partition_key(made.cell)])
    for record in instance.fetch_materializations(of_cell, limit=1).records:
        return AssetCheckEvaluationTargetMaterializationData(
            storage_id=record.storage_id, run_id=record.run_id, timestamp=record.timestamp
        )
    return None


def _report(
    verdict: Verdict,
    instance: dg.DagsterInstance,
    run_id: str,
    judged: AssetCheckEvaluationTargetMaterializationData | None = None,
) -> None:
    """Reports a verdict under a run id: without one, Dagster takes only a single verdict per partition for ever."""
    event = DagsterEvent(
        event_type_value=dg.DagsterEventType.ASSET_CHECK_EVALUATION.value,
        event_specific_data=evaluation_of(verdict, judged),
        job_name=_JOB_NAME,
    )
    instance.report_dagster_event(event, run_id=run_id)


def evaluation_of(
    verdict: Verdict, judged: AssetCheckEvaluationTargetMaterializationData | None = None
) -> dg.AssetCheckEvaluation:
    """The event of one check, with the materialization that it judges."""
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(verdict.check.asset),
        check_name=verdict.check.name,
        passed=verdict.finding.passed,
        severity=dg.AssetCheckSeverity[verdict.check.severity],
        description=verdict.finding.sentence,
        metadata=dict(verdict.finding.numbers),
        partition=partition_key(verdict.cell),
        target_materialization_data=judged,
    )
