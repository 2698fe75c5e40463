"""Where the steps of Dagster's runs are executed: in the run's own process, or by the workers of Celery."""

from pathlib import Path

import dagster as dg
import yaml

from blade_pipeline.environment import CELERY
from blade_pipeline.models import UsageProblem


def executor() -> dg.ExecutorDefinition:
    """Celery's, set up by the YAML file that ``BLADE_CELERY`` names, else the one of the run's own process.

    The file is the one that ``dagster-celery worker start -y`` takes, so that a run and its workers agree.

    Raises:
        UsageProblem: the file cannot be used, or the package dagster-celery is missing.
    """
    path = CELERY.value()
    if not path:
        return dg.in_process_executor
    try:
        from dagster_celery import celery_executor
    except ImportError:
        raise UsageProblem(f"{CELERY} is set, which needs dagster-celery; install blade-pipeline[celery].") from None
    try:
        config = yaml.safe_load(Path(path).read_text(encoding="utf-8"))["execution"]["config"]
    except (OSError, yaml.YAMLError, KeyError, TypeError):
        raise UsageProblem(f"{CELERY} names {path}, which holds no settings below execution and config.") from None
    chosen: dg.ExecutorDefinition = celery_executor.configured(config)
    return chosen
