"""The files of a run and of a benchmark, on a disk and in an object store."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from blade_pipeline.storage import Artifact, Cell, Store, delete, files_of, leftovers_of, sizes_of

AIME, M1 = Cell("aime"), Cell("aime", "m1")


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Two runs with pages and one artifact each, the benchmark's page and artifact, and a benchmark of a like name."""
    found = Store(tmp_path / "store" if request.param == "disk" else f"memory://{uuid4()}")
    for cell in (AIME, M1, Cell("aime", "m10"), Cell("aime2", "m1")):
        found.write("coverage", cell, Artifact(document={}, files={"page.html": b"12345"}))
        found.write_bytes(b"123", "shareable", *str(cell).split("/"), "page.html")
    yield found
    if not found.local:
        found.filesystem.rm(found.root, recursive=True)


def relative(store: Store, paths: dict[str, int]) -> dict[str, int]:
    return {path.removeprefix(f"{store.root}/"): size for path, size in paths.items()}


def test_a_run_and_a_benchmark_have_their_own_files(store: Store) -> None:
    document = len(store.read_bytes("artifacts", "coverage", "aime.json") or b"")
    for cell, name in ((M1, "aime/m1"), (AIME, "aime")):
        assert relative(store, files_of(store, cell)) == {
            f"artifacts/coverage/{name}.json": document,
            f"reports/{name}/page.html": 5,
            f"shareable/{name}/page.html": 3,
        }
    assert sizes_of(store) == {"artifacts": 4 * document, "reports": 20, "shareable": 12}


def test_what_is_deleted_takes_its_empty_folders_along(store: Store) -> None:
    delete(store, [*files_of(store, M1), store.path("reports", "aime", "m1", "gone.html")])
    assert files_of(store, M1) == {}
    assert len(files_of(store, AIME)) == 3
    assert len(files_of(store, Cell("aime", "m10"))) == 3
    delete(store, [*files_of(store, Cell("aime", "m10")), *files_of(store, AIME)])
    if store.local:
        below = {str(path.relative_to(store.root)) for path in Path(store.root).rglob("*") if path.is_dir()}
        assert below == {
            "artifacts",
            "artifacts/coverage",
            "artifacts/coverage/aime2",
            "reports",
            "reports/aime2",
            "reports/aime2/m1",
            "shareable",
            "shareable/aime2",
            "shareable/aime2/m1",
        }


def test_only_files_that_nobody_uses_are_left_over(tmp_path: Path) -> None:
    (tmp_path / ".writing-a").write_text("half")
    (tmp_path / ".dagster").mkdir()
    (tmp_path / ".dagster/.writing-b").write_text("not ours")
    assert leftovers_of(Store(tmp_path)) == [str(tmp_path / ".writing-a")]
    assert leftovers_of(Store("memory://nowhere")) == []
