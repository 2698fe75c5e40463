"""A missing browser or server skips a test, and fails it where nothing may be skipped."""

import pytest

from blade_pipeline_tests.conftest import unavailable


def test_what_is_missing_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLADE_NO_SKIP", raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs a browser"):
        unavailable("needs a browser")


def test_what_is_missing_fails_where_nothing_may_be_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_NO_SKIP", "1")
    with pytest.raises(pytest.fail.Exception, match="needs a browser"):
        unavailable("needs a browser")
