"""The versions that decide what an installation can do."""

import platform
from importlib.metadata import version

_PACKAGES = {"blade": "blade-pipeline", "dagster": "dagster", "duckdb": "duckdb", "pyarrow": "pyarrow"}


def versions() -> dict[str, str]:
    """Version by name: blade, the packages that its results and records rest on, and Python."""
    return {name: version(package) for name, package in _PACKAGES.items()} | {"python": platform.python_version()}
