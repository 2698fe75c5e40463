"""SQL sees every artifact and nothing else."""

from pathlib import Path

import pyarrow as pa
import pytest

from blade_pipeline.models import BladeError
from blade_pipeline.storage import Artifact, Cell, Store
from blade_pipeline.storage import catalogue as catalogue_module
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
        "select * from '{root}/secret.csv'",
        "from '{root}/store/artifacts/../../secret.csv'",
        "select * from samples, lateral (select * from Read_CSV('{root}/secret.csv'))",
        "select (select max(content) from read_text('{root}/secret.csv'))",
        "from '.tmp/secret.csv'",
        "select * from query('from ''{root}/secret.csv''')",
        "select * from query_table('{root}/secret.csv')",
        "select * from json_execute_serialized_sql(json_serialize_sql('from ''{root}/secret.csv'''))",
        "select * from enable_logging(storage = 'file', storage_path = '{root}/log')",
        "select * from pandas_scan(1)",
        "select * from duckdb_secrets()",
        "select * from read_blob('https://example.com/a')",
        "select * from sqlite_scan('/etc/a.db', 'a')",
    ],
)
def test_nothing_outside_can_be_read(
    catalogue: Catalogue, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in (tmp_path, tmp_path / ".tmp"):
        place.mkdir(exist_ok=True)
        (place / "secret.csv").write_text("canary\n1\n")
    with pytest.raises(BladeError, match=r"^A query can read the store's views and nothing outside it") as error:
        catalogue.query(statement.replace("{root}", str(tmp_path)))
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
        "with x as (copy (select 1) to '{store}/artifacts/samples/aime/m1.parquet') select * from x",
        "with x as (with y as (copy (select 1) to '{store}/artifacts/y.csv') from y) select * from x",
        "select * from (with x as (copy (select 1) to '{store}/artifacts/x.csv') from x)",
        "with x as (delete from samples returning *) select * from x",
        "with x as (insert into samples values (1)) select 1",
        "prepare q as select 1",
        "call enable_logging(storage = 'file')",
        "pragma enable_profiling",
        "update extensions",
        "export database '{store}/artifacts/all'",
        "create macro f(x) as x",
        "select 1" + " + 1" * 900,
        "",
    ],
)
def test_only_one_select_runs(catalogue: Catalogue, statement: str, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(BladeError, match=r"Only one SELECT can be run; the store is read-only\."):
        catalogue.query(statement.replace("{store}", str(tmp_path / "store")))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("from range(3) select sum(range)", [(3,)]),
        ("select unnest([1, 2]) as n union all select 3", [(1,), (2,), (3,)]),
        ("with recursive t(n) as (select 1 union all select n + 1 from t where n < 4) select max(n) from t", [(4,)]),
        ("select key from json_each('{\"a\": 1}')", [("a",)]),
        ("select task from samples -- all of them\n where run = 'm1' and reward = 1 /* ; */", [("1",)]),
        ("values (1), (2)", [(1,), (2,)]),
        ("select column_name from (describe coverage) limit 1", [("benchmark",)]),
    ],
)
def test_what_only_reads_runs(catalogue: Catalogue, statement: str, rows: list[tuple[object, ...]]) -> None:
    assert [tuple(row.values()) for row in catalogue.query(statement).to_pylist()] == rows


@pytest.mark.parametrize(
    "statement",
    [
        "select length(repeat('a', 10000000000::bigint))",
        "select len(range(10000000000))",
        "select repeat(repeat('a', 1000000), 100000)",
        "select regexp_matches('aaa', '((a{1,100}){1,100}){1,100}')",
        "select $1",
        "select getenv('HOME')",
        "select set_config('enable_external_access', 'true')",
        "select " + "[" * 1100 + "]" * 1100,
    ],
)
def test_what_is_too_much_or_unknown_is_a_sentence(catalogue: Catalogue, statement: str) -> None:
    with pytest.raises(BladeError, match=r"^The query failed: \w"):
        catalogue.query(statement)


def test_an_answer_beyond_the_limit_is_refused_before_it_is_whole(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue_module, "LARGEST_ANSWER", 10 << 20)
    with pytest.raises(BladeError, match="The answer is larger than 10 MB; select less, or add a limit"):
        catalogue.query("select * from generate_series(1, 1000000000000)")


def test_python_variables_are_no_tables(catalogue: Catalogue) -> None:
    secret = pa.table({"password": ["x"]})
    with pytest.raises(BladeError, match="Table with name secret does not exist; the views are comparability"):
        catalogue.query("select * from secret")
    assert secret.num_rows == 1


def test_a_mistake_is_one_sentence(catalogue: Catalogue) -> None:
    with pytest.raises(BladeError, match=r"^The query failed: Binder Error.*rewardd.*$"):
        catalogue.query("select rewardd from samples")
