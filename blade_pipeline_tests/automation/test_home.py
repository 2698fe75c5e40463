"""Dagster's folder: made whole or not at all, and told in a sentence when it cannot be used."""

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from sqlalchemy.exc import OperationalError

from blade_pipeline.assets.settings import Settings
from blade_pipeline.automation.doctor import examine
from blade_pipeline.automation.eventlog import kept_open
from blade_pipeline.automation.home import dagster_home, make_records, open_instance, shipped_config
from blade_pipeline.models import BladeError, UsageProblem

FULL = OperationalError("CREATE TABLE", {}, sqlite3.OperationalError("database or disk is full"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.chdir(tmp_path)


def test_a_disk_that_fills_while_the_records_are_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(folder: str) -> Any:
        history = Path(folder, "history", "runs")
        history.mkdir(parents=True)
        sqlite3.connect(history / "index.db").execute("CREATE TABLE event_logs (id INTEGER)").connection.close()
        raise FULL

    with monkeypatch.context() as patched:
        patched.setattr(dg.DagsterInstance, "from_config", half)
        told = pytest.raises(BladeError, match=r"records in .*\.dagster cannot be used \(database or disk is full\)")
        with told, open_instance(str(tmp_path / "store")):
            pass
    with open_instance(str(tmp_path / "store")) as instance:
        instance.add_dynamic_partitions("benchmarks", ["aime"])
        assert instance.get_dynamic_partitions("benchmarks") == ["aime"]
    assert not (tmp_path / "store" / ".dagster" / ".making").exists()


def test_a_disk_that_fills_while_the_settings_are_written_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of them, or an empty file, would be taken for what somebody chose."""

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            dagster_home(str(tmp_path / "store"))
    assert [path.name for path in (tmp_path / "store").rglob("*")] == [".dagster"]
    assert (dagster_home(str(tmp_path / "store")) / "dagster.yaml").read_text() == shipped_config()


def test_a_half_made_database_in_its_place_would_fail(tmp_path: Path) -> None:
    """What is avoided: Dagster itself takes it for whole."""
    history = tmp_path / "store" / ".dagster" / "history" / "runs"
    history.mkdir(parents=True)
    sqlite3.connect(history / "index.db").execute("CREATE TABLE event_logs (id INTEGER)").connection.close()
    with open_instance(str(tmp_path / "store")) as instance, pytest.raises(Exception, match="dynamic partitions table"):
        instance.add_dynamic_partitions("benchmarks", ["aime"])


def test_an_event_log_without_a_byte_is_made_again(tmp_path: Path) -> None:
    """What opening leaves of a store that was deleted meanwhile."""
    with open_instance(str(tmp_path / "store")):
        pass
    log = tmp_path / "store" / ".dagster" / "history" / "runs" / "index.db"
    log.write_bytes(b"")
    with open_instance(str(tmp_path / "store")) as instance:
        instance.add_dynamic_partitions("benchmarks", ["aime"])
        assert instance.get_dynamic_partitions("benchmarks") == ["aime"]


@pytest.mark.parametrize("name", ["is it?", "a%23b"])
def test_a_name_that_would_lead_dagster_elsewhere_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    told = pytest.raises(UsageProblem, match=r"Dagster cannot keep its records in .*; name another store")
    with told, open_instance(str(tmp_path / name)):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_fails_later_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BladeError, match="cannot be used"), open_instance(str(tmp_path / "store")):
        raise FULL


@pytest.mark.parametrize(
    ("storage", "told"),
    [
        ("{sqlite: {base_dir: {env: BLADE_NO_SUCH_VARIABLE}}}", 'variable "BLADE_NO_SUCH_VARIABLE" which is not set'),
        ("{custom: {module: no_such_package, class: Storage, config: {}}}", "no_such_package"),
    ],
)
def test_settings_that_cannot_be_used_are_told_in_a_sentence(tmp_path: Path, storage: str, told: str) -> None:
    (tmp_path / "dagster.yaml").write_text(f"storage: {storage}\n")
    (tmp_path / "data/runs").mkdir(parents=True)
    with pytest.raises(BladeError, match=told) as refused, open_instance(str(tmp_path / "store")):
        pass
    assert str(refused.value).startswith(f"Dagster's records cannot be opened as {tmp_path}/dagster.yaml says (")
    assert "Stack Trace" not in str(refused.value)
    [finding] = [one for one in examine(Settings.from_environment()).findings if one.area == "automation"]
    assert (finding.level, finding.what) == ("act", str(refused.value))


def test_records_that_are_there_stay(tmp_path: Path) -> None:
    with open_instance(str(tmp_path / "store")) as instance:
        instance.add_dynamic_partitions("benchmarks", ["aime"])
    make_records(tmp_path / "store" / ".dagster")
    with open_instance(str(tmp_path / "store")) as instance:
        assert instance.get_dynamic_partitions("benchmarks") == ["aime"]


def test_a_folder_of_the_users_is_not_moved_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / "schedules").mkdir(parents=True)
    (home / "schedules" / "mine.txt").write_text("mine")
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    with open_instance(str(tmp_path / "store")) as instance:
        assert instance.get_runs_count() == 0
    assert (home / "schedules" / "mine.txt").read_text() == "mine"


def test_a_file_of_the_log_that_is_made_aside_is_dagsters_own(tmp_path: Path) -> None:
    """The same tables and revision as in one that Dagster makes."""
    with open_instance(str(tmp_path / "store")) as instance:
        runs = tmp_path / "store" / ".dagster" / "history" / "runs"
        with instance.event_log_storage._connect("by_dagster"):
            pass
        with kept_open(instance), instance.event_log_storage._connect("by_us"):
            pass
    assert dumped(runs / "by_us.db") == dumped(runs / "by_dagster.db")
    assert not (runs / ".making").exists()


def dumped(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as opened:
        return sorted(opened.iterdump())
