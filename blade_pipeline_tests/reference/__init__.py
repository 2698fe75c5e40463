"""The pages of docs/ that are written from the code: ``python -m blade_pipeline_tests.reference`` writes them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.reference.artifacts import artifacts_page
from blade_pipeline_tests.reference.commands import commands_page
from blade_pipeline_tests.reference.environment import environment_page
from blade_pipeline_tests.reference.metrics import metrics_page
from blade_pipeline_tests.reference.profiles import profiles_page

PAGES: Mapping[Path, Callable[[], str]] = {
    PROJECT / "docs/commands.md": commands_page,
    PROJECT / "docs/artifacts.md": artifacts_page,
    PROJECT / "docs/environment.md": environment_page,
    PROJECT / "docs/metrics.md": metrics_page,
    PROJECT / "docs/profiles.md": profiles_page,
}
