"""Equal arguments give equal bytes, bad ones a sentence, and nothing of a user's is touched."""

from pathlib import Path

import pytest

from blade_pipeline.example import write_example
from blade_pipeline_tests.example.conftest import lines_of


def bytes_below(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    write_example(tmp_path / "a", tasks=3, repeats=2, seed=5)
    write_example(tmp_path / "b", tasks=3, repeats=2, seed=5)
    first = bytes_below(tmp_path / "a")
    assert len(first) > 30
    assert first == bytes_below(tmp_path / "b")


def test_two_seeds_differ_in_tasks_and_outcomes(tmp_path: Path) -> None:
    write_example(tmp_path / "a", tasks=3, repeats=2, seed=5)
    write_example(tmp_path / "b", tasks=3, repeats=2, seed=6)
    first, second = bytes_below(tmp_path / "a"), bytes_below(tmp_path / "b")
    assert set(first) == set(second)
    differing = {name.rsplit("/", 1)[-1] for name in first if first[name] != second[name]}
    assert differing >= {"rollouts.jsonl", "rollouts_materialized_inputs.jsonl", "truth.json"}


def test_more_tasks_leave_the_others_as_they_are(tmp_path: Path) -> None:
    write_example(tmp_path / "a", tasks=3, repeats=2)
    write_example(tmp_path / "b", tasks=5, repeats=2)
    name = "ledger_math/lumen-8b/rollouts_materialized_inputs.jsonl"
    assert lines_of(tmp_path / "b" / name)[:6] == lines_of(tmp_path / "a" / name)


def test_further_models_get_names(tmp_path: Path) -> None:
    folders = write_example(tmp_path, tasks=2, repeats=1, models=5)
    assert [folder.name for folder in folders[:5]] == ["lumen-8b", "lumen-30b", "marl-8b", "tarn-1", "tarn-2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"tasks": 1}, "tasks is 1; an example needs at least 2."),
        ({"repeats": 0}, "repeats is 0; an example needs at least 1."),
        ({"models": 0}, "models is 0; an example needs at least 1."),
    ],
)
def test_numbers_that_are_too_small(tmp_path: Path, arguments: dict[str, int], sentence: str) -> None:
    with pytest.raises(ValueError) as error:
        write_example(tmp_path / "out", **arguments)
    assert str(error.value) == sentence
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["ledger_math", "shop_tools", "gym-job-20261019T210000Z-1d9d43"])
def test_a_folder_with_content_is_never_written_into(tmp_path: Path, name: str) -> None:
    own = tmp_path / name / "mine.txt"
    own.parent.mkdir()
    own.write_text("mine")
    with pytest.raises(FileExistsError, match=r"exists and is not empty; name another folder or move it away\.$"):
        write_example(tmp_path, tasks=2, repeats=1)
    assert bytes_below(tmp_path) == {f"{name}/mine.txt": b"mine"}


def test_a_second_example_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    write_example(tmp_path, tasks=2, repeats=1)
    before = bytes_below(tmp_path)
    with pytest.raises(FileExistsError):
        write_example(tmp_path, tasks=2, repeats=1, seed=8)
    assert bytes_below(tmp_path) == before


def test_a_truth_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text("mine")
    with pytest.raises(FileExistsError, match=r"truth\.json exists"):
        write_example(tmp_path, tasks=2, repeats=1)


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(FileExistsError, match="is a file; name a folder"):
        write_example(tmp_path / "out", tasks=2, repeats=1)


def test_empty_folders_and_other_content_beside_the_example_are_fine(tmp_path: Path) -> None:
    (tmp_path / "ledger_math").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    assert len(write_example(tmp_path, tasks=2, repeats=1)) == 6
    assert (tmp_path / "notes.txt").read_text() == "mine"
