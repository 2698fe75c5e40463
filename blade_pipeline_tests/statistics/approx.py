"""pytest.approx with a type that compares with anything."""

from typing import Any

import pytest


def near(value: Any, *, rel: float = 1e-6, abs: float = 1e-9, nan_ok: bool = False) -> Any:
    return pytest.approx(value, rel=rel, abs=abs, nan_ok=nan_ok)
