"""Services that the tests start on this machine, each in a process of its own, and what one machine alone makes."""

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from uuid import uuid4

import pytest

from blade_pipeline.automation.analysis import analyse
from blade_pipeline_tests.automation.world import write_run
from blade_pipeline_tests.cli.conftest import blade
from blade_pipeline_tests.conftest import unavailable
from blade_pipeline_tests.processes import answers, free_port, started, wait_until
from blade_pipeline_tests.services.alone import Alone
from blade_pipeline_tests.services.postgres import postgres_server

__all__ = ["blade"]

_AWS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """Two benchmarks with two runs each, analysed on one machine into a folder; tests change nothing in it."""
    folder = tmp_path_factory.mktemp("alone")
    for benchmark in ("aime", "gpqa"):
        for age, run in enumerate(("m1", "m2")):
            write_run(folder / "runs" / benchmark / run, age=age, model=f"model-{run}", rows=6 - age)
    found = Alone(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.chdir(folder)
        assert analyse(found.settings).errors == []
    return found


@pytest.fixture(scope="session")
def s3_address() -> Iterator[str]:
    """The address of an S3-compatible server."""
    if any(importlib.util.find_spec(package) is None for package in ("s3fs", "moto", "flask")):
        unavailable("needs s3fs and moto's server: pip install '.[test,test-services,s3]'")
    port = free_port()
    with started([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]) as server:
        wait_until(lambda: answers(port), server)
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def bucket(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty bucket, reached by the variables that every AWS client reads."""
    import s3fs

    for name, value in {**_AWS, "AWS_ENDPOINT_URL": s3_address}.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    name = f"bucket-{uuid4()}"
    s3fs.S3FileSystem().mkdir(name)
    return f"s3://{name}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a Postgres server, up to the name of a database."""
    if importlib.util.find_spec("dagster_postgres") is None:
        unavailable("needs dagster-postgres: pip install '.[postgres]'")
    with postgres_server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres: str) -> str:
    """The URL of an empty database."""
    from sqlalchemy import create_engine, text

    name = f"blade_{uuid4().hex}"
    engine = create_engine(f"{postgres}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"create database {name}"))
    engine.dispose()
    return f"{postgres}/{name}"


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The URL of an empty Redis server, up to the number of a database."""
    if importlib.util.find_spec("dagster_celery") is None:
        unavailable("needs dagster-celery: pip install '.[celery]'")
    program = shutil.which("redis-server")
    if program is None:
        unavailable("needs a Redis server: apt-get install redis-server")
    port = free_port()
    settings = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with started([program, *settings]) as server:
        wait_until(lambda: answers(port), server)
        yield f"redis://127.0.0.1:{port}"
