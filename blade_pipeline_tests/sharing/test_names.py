"""Pseudonyms, the key behind them, and the list of what may pass."""

import hashlib
import hmac
import stat
from pathlib import Path

import pytest

from blade_pipeline.models import BladeError
from blade_pipeline.reporting.sharing.allow import each, fields, keyed, number, numbered, pattern, word
from blade_pipeline.reporting.sharing.names import Names
from blade_pipeline.reporting.sharing.scrub import Scrubber
from blade_pipeline.storage import Store, share_key

KEY = b"k" * 32


def names(*terms: str) -> Names:
    return Names(KEY, "quiz", Scrubber(terms))


def test_a_task_stands_under_its_keyed_digest() -> None:
    expected = hmac.new(KEY, b"task\0quiz\x0017", hashlib.sha256).hexdigest()[:12]
    assert names().task(17) == f"task-{expected}"
    assert Names(b"other key, other names", "quiz", Scrubber()).task(17) != names().task(17)


@pytest.mark.parametrize("name", ["lumen-30b", "meta-llama/Llama-3.1-8B-Instruct", "gym-job-20261021T210000Z-95e132"])
def test_a_plain_name_is_shown(name: str) -> None:
    assert names("zephyr").known("model", name) == name


@pytest.mark.parametrize("name", ["run-Zephyr-2", "/home/eve/ckpt", "me@host.example", "a run", "x" * 101, "10.1.2.3"])
def test_a_private_or_odd_name_gets_a_pseudonym_and_is_counted(name: str) -> None:
    found = names("zephyr")
    assert found.known("run", name).startswith("run-")
    assert name not in found.known("run", name)
    assert found.list() == [("", "run name", 2)]


def test_only_what_a_shape_names_passes() -> None:
    shape = fields(
        {"a": number, "b": word("same"), "c": each(pattern("[a-z]+")), "d": keyed(numbered("agent"), number)}
    )
    given = {"a": "12", "b": "other", "c": ["ok", "N0", 3], "d": {"bot": 1, "cat": 2e9}, "e": "left behind"}
    assert shape(given, names()) == {
        "a": None,
        "b": None,
        "c": ["ok", None, None],
        "d": {"agent 1": 1, "agent 2": None},
    }
    assert shape("text", names()) is None


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLADE_SHARE_KEY", raising=False)
    key = share_key(Store(tmp_path / "store"))
    file = tmp_path / "store/.share-key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(bytes.fromhex(key.decode())) == 32
    assert share_key(Store(tmp_path / "store")) == key
    assert [path.name for path in file.parent.iterdir()] == [".share-key"]


def test_a_key_that_is_open_to_others_or_too_short_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLADE_SHARE_KEY", raising=False)
    store = Store(tmp_path)
    (tmp_path / ".share-key").write_text("f" * 64)
    (tmp_path / ".share-key").chmod(0o644)
    with pytest.raises(BladeError, match="open to others; run chmod 600"):
        share_key(store)
    monkeypatch.setenv("BLADE_SHARE_KEY", "short")
    with pytest.raises(BladeError, match="too short; give 16"):
        share_key(store)
    monkeypatch.setenv("BLADE_SHARE_KEY", "from the environment")
    assert share_key(store) == b"from the environment"
