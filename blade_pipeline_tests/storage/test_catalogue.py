"""SQL sees every artifact and nothing else."""

from pathlib import Path

import pyarrow as pa
import pytest

from blade_pipeline.models import BladeError
from blade_pipeline.storage import Artifact, Cell, Store
from blade_pipeline.storage.catalogue import Catalogue


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    store = Store(tmp_path / "store")
    store.write("samples", Cell("aime", "m1"), Artifact(pa.table({"task": ["1", "2"], "reward": [1.0, 0.0]}), {"k": 2}))
    store.write("samples", Cell("gpqa", "m1"), Artifact(pa.table({"task": ["1"], "tokens": [5]})))
    store.write("coverage", Cell("aime", "m1"), Artifact(document={"coverage": 0.5}))
    store.write("comparability", Cell("aime"), Artifact(document={"pairs": [1, 2]}))
    return Catalogue(store)


def test_tables_of_all_cells_are_one_view_with_their_place(catalogue: Catalogue) -> None:
    found = catalogue.query("select benchmark, run, task, reward, tokens from samples order by all").to_pylist()
    assert [tuple(row.values()) for row in found] == [
        ("aime", "m1", "1", 1.0, None),
        ("aime", "m1", "2", 0.0, None),
        ("gpqa", "m1", "1", None, 5),
    ]


def test_documents_are_json_alone_and_together(catalogue: Catalogue) -> None:
    assert catalogue.query("select document->>'$.coverage' as c, run from coverage").to_pylist() == [
        {"c": "0.5", "run": "m1"}
    ]
    found = catalogue.query("select asset, benchmark, run from documents order by asset").to_pylist()
    assert [tuple(row.values()) for row in found] == [
        ("comparability", "aime", None),
        ("coverage", "aime", "m1"),
        ("samples", "aime", "m1"),
    ]


def test_views_join(catalogue: Catalogue) -> None:
    statement = "select count(*) as n from samples join coverage using (benchmark, run)"
    assert catalogue.query(statement).to_pylist() == [{"n": 2}]


def test_views_and_columns_are_listed(catalogue: Catalogue) -> None:
    assert catalogue.views() == ["comparability", "coverage", "documents", "samples"]
    assert [name for name, _ in catalogue.columns("samples")] == ["benchmark", "run", "task", "reward", "tokens"]


@pytest.mark.parametrize(
    "statement",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/hostname')",
        "select * from glob('/*')",
        "select * from read_parquet('{root}/artifacts/samples/aime/m1.parquet')",
        "select * from read_blob('https://example.com/a')",
        "select * from sqlite_scan('/etc/a.db', 'a')",
    ],
)
def test_nothing_outside_can_be_read(catalogue: Catalogue, statement: str) -> None:
    with pytest.raises(BladeError) as error:
        catalogue.query(statement)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "copy (select 1) to '/tmp/blade-sql-test.csv'",
        "attach '/tmp/blade-sql-test.db'",
        "create table t as select 1",
        "install httpfs",
        "set enable_external_access = true",
        "select 1; select 2",
        "explain analyze copy (select 1) to '/tmp/blade-sql-test.csv'",
        "",
    ],
)
def test_only_one_select_runs(catalogue: Catalogue, statement: str) -> None:
    with pytest.raises(BladeError, match=r"Only one SELECT can be run; the store is read-only\."):
        catalogue.query(statement)


def test_python_variables_are_no_tables(catalogue: Catalogue) -> None:
    secret = pa.table({"password": ["x"]})
    with pytest.raises(BladeError, match="Table with name secret does not exist; the views are comparability"):
        catalogue.query("select * from secret")
    assert secret.num_rows == 1


def test_a_mistake_is_one_sentence(catalogue: Catalogue) -> None:
    with pytest.raises(BladeError, match=r"^The query failed: Binder Error.*rewardd.*$"):
        catalogue.query("select rewardd from samples")
