"""A stage's code version follows the sources that it runs, and nothing else."""

from pathlib import Path

import pytest

from blade_pipeline.assets.code import _SHARED, PACKAGE, ROOMS, code_version, source_digest
from blade_pipeline.assets.graph import SHARING_GRAPH
from blade_pipeline_tests.test_imports import rooms_imported


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in ("method/a.py", "method/deep/b.py", "gym/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def copied(package: Path, name: str) -> Path:
    other = package.parent / name
    for path in package.rglob("*.py"):
        target = other / path.relative_to(package)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return other


def test_equal_sources_have_equal_digests_wherever_they_lie(package: Path) -> None:
    assert source_digest(package, ["method"]) == source_digest(copied(package, "other"), ["method"])


def test_a_changed_a_new_and_a_renamed_source_count(package: Path) -> None:
    before = source_digest(package, ["method"])
    changed, new, renamed = (copied(package, name) for name in ("changed", "new", "renamed"))
    (changed / "method/deep/b.py").write_text("other")
    (new / "method/d.j2").write_text("template")
    (renamed / "method/a.py").rename(renamed / "method/z.py")
    digests = {source_digest(folder, ["method"]) for folder in (changed, new, renamed)}
    assert len(digests | {before}) == 4


def test_other_rooms_and_caches_do_not_count(package: Path) -> None:
    before = source_digest(package, ["method"])
    other = copied(package, "other")
    (other / "gym/c.py").write_text("changed")
    (other / "method/__pycache__").mkdir()
    (other / "method/__pycache__/a.pyc").write_bytes(b"cache")
    assert source_digest(other, ["method"]) == before


def test_every_stage_has_the_version_of_its_group() -> None:
    assert {stage.group for stage in SHARING_GRAPH} == set(ROOMS)
    for stage in SHARING_GRAPH:
        assert stage.code_version == code_version(stage.name, stage.group)
    assert len({stage.code_version for stage in SHARING_GRAPH}) == len(SHARING_GRAPH.stages)


def test_the_single_modules_that_the_analysis_runs_count_in_every_version() -> None:
    """Errors, settings of the environment and processes change no artifact."""
    rooms = [path for room in ("gym", "method", "statistics", "reporting") for path in (PACKAGE / room).rglob("*.py")]
    used = set().union(*map(rooms_imported, rooms)) - {"errors", "environment", "processes"}
    single = {f"{name}.py" for name in used if (PACKAGE / f"{name}.py").is_file()}
    assert "rewards.py" in single and single <= set(_SHARED)
