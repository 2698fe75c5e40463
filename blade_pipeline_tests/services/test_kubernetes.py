"""The Dockerfile and the chart's values: no cluster is at hand, so they are held against what reads them."""

import importlib.util
import re
import tomllib

import pytest
import yaml

from blade_pipeline.assets.settings import PLACES
from blade_pipeline.automation.home import shipped_config
from blade_pipeline_tests.conftest import PROJECT, unavailable

pytestmark = pytest.mark.services

VALUES = yaml.safe_load((PROJECT / "deploy/values.yaml").read_text())
CHART: dict[str, set[str]] = {
    "": {
        "additionalInstanceConfig", "dagster-user-deployments", "dagsterDaemon", "dagsterWebserver",
        "generatePostgresqlPasswordSecret", "postgresql", "rabbitmq", "redis", "retention", "runLauncher", "telemetry",
    },
    "dagster-user-deployments": {"enabled", "enableSubchart", "imagePullSecrets", "deployments"},
    "dagsterDaemon": {"runCoordinator", "runMonitoring", "runRetries", "sensors", "schedules"},
    "dagsterDaemon.runRetries": {"enabled", "maxRetries", "retryOnAssetOrOpFailure"},
    "postgresql": {
        "enabled", "postgresqlHost", "postgresqlUsername", "postgresqlDatabase", "postgresqlParams", "postgresqlScheme",
    },
    "retention": {"enabled", "sensor", "schedule", "autoMaterialize"},
    "runLauncher": {"type", "config"},
}  # fmt: skip
"""Names that the chart of Dagster 1.13 knows, as far as ours use them; from the chart's own schema."""
DEPLOYMENT = {
    "name", "image", "dagsterApiGrpcArgs", "port", "env", "envSecrets", "volumes", "volumeMounts", "resources",
    "includeConfigInLaunchedRuns",
}  # fmt: skip


@pytest.mark.parametrize("section", CHART)
def test_the_chart_knows_every_name_of_the_values(section: str) -> None:
    values = VALUES
    for name in filter(None, section.split(".")):
        values = values[name]
    assert set(values) <= CHART[section]


def test_kubernetes_takes_what_a_run_gets() -> None:
    """As the chart passes it on: the deployment's variables, secrets and volumes, and the launcher's resources."""
    if importlib.util.find_spec("dagster_k8s") is None:
        unavailable("needs dagster-k8s: pip install '.[k8s]'")
    from dagster_k8s.container_context import K8sContainerContext

    [deployment] = VALUES["dagster-user-deployments"]["deployments"]
    assert set(deployment) == DEPLOYMENT
    launcher = VALUES["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]
    context = K8sContainerContext.create_from_config(
        {
            "k8s": {
                "env": [{"name": name, "value": value} for name, value in deployment["env"].items()],
                "env_secrets": [secret["name"] for secret in deployment["envSecrets"]],
                "volumes": deployment["volumes"],
                "volume_mounts": deployment["volumeMounts"],
                "run_k8s_config": {
                    "container_config": launcher["containerConfig"],
                    "job_spec_config": launcher["jobSpecConfig"],
                },
            }
        }
    )
    container = context.run_k8s_config.container_config
    assert {variable["name"] for variable in container["env"]} == {variable.name for variable in PLACES.values()}
    assert container["env_from"] == [{"secret_ref": {"name": "blade-secrets"}}]
    assert container["resources"]["limits"] == {"memory": "6Gi"}
    assert context.run_k8s_config.job_spec_config["active_deadline_seconds"] == 12 * 3600
    mounted = {mount["mount_path"]: (mount["name"], mount["read_only"]) for mount in container["volume_mounts"]}
    assert mounted == {"/runs": ("runs", True), "/team": ("team", True)}
    claims = {
        volume["name"]: volume["persistent_volume_claim"]
        for volume in context.run_k8s_config.pod_spec_config["volumes"]
    }
    assert claims["runs"] == {"claim_name": "nemo-gym-runs", "read_only": True}
    assert claims.keys() == {"runs", "team"}


def test_the_image_is_made_of_what_is_there() -> None:
    lines = [line.split() for line in (PROJECT / "deploy/Dockerfile").read_text().splitlines()]
    sources = [source for line in lines if line[0] == "COPY" for source in line[1:-1]]
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert sources == ["pyproject.toml", project["readme"], "requirements.lock", "blade_pipeline"]
    assert all((PROJECT / source).exists() for source in sources)
    assert {"k8s", "postgres", "s3"} <= set(project["optional-dependencies"])
    [deployment] = VALUES["dagster-user-deployments"]["deployments"]
    assert deployment["image"]["tag"] == project["version"]


@pytest.mark.parametrize("page", ["deploy/values.yaml", "docs/scaling.md"])
def test_the_chart_is_of_the_dagster_in_the_image(page: str) -> None:
    [locked] = re.findall(r"^dagster==(.+)$", (PROJECT / "requirements.lock").read_text(), re.MULTILINE)
    assert re.findall(r"dagster/dagster --version (\S+)", (PROJECT / page).read_text()) == [locked]


def test_runs_are_started_again_as_on_one_machine() -> None:
    """A run whose own step failed would fail again, and be told of twice."""
    retries = VALUES["dagsterDaemon"]["runRetries"]
    shipped = yaml.safe_load(shipped_config())["run_retries"]
    assert retries == {
        "enabled": shipped["enabled"],
        "maxRetries": shipped["max_retries"],
        "retryOnAssetOrOpFailure": shipped["retry_on_asset_or_op_failure"],
    }
