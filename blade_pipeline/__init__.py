"""blade_pipeline: BLADE reports for NVIDIA NeMo Gym run directories.

Importing the package loads neither Dagster nor DuckDB nor pandas; each room is imported by name, and ``load``, ``Run``,
``Comparison``, ``Interval``, ``PassAtK``, ``Profile`` and ``BladeError`` when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blade_pipeline.api import Comparison, Interval, PassAtK, Run, load
    from blade_pipeline.models import BladeError, Profile

__version__ = "0.1.0"

__all__ = ["BladeError", "Comparison", "Interval", "PassAtK", "Profile", "Run", "load"]

_API = ("Comparison", "Interval", "PassAtK", "Run", "load")
_HOMES = dict.fromkeys(_API, "api") | {"BladeError": "models", "Profile": "models"}


def __getattr__(name: str) -> Any:
    """One of the public names, imported now."""
    if name not in _HOMES:
        raise AttributeError(f"module 'blade_pipeline' has no attribute {name!r}")
    return getattr(import_module(f"blade_pipeline.{_HOMES[name]}"), name)
