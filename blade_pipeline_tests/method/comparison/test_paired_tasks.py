"""The tasks of a run beside those of its baseline."""

from pathlib import Path

from blade_pipeline.method.comparison import paired_tasks
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, planned, rollout, write_run


def test_each_common_task_has_both_counts_and_means_and_the_difference_of_their_shares(tmp_path: Path) -> None:
    """Task 0 goes from 1 of 2 to 2 of 2, task 1 from 1 of 1 to 0 of 2, task 2 is new."""
    for name, scores in (("a", [[1, 0], [1]]), ("b", [[1, 1], [0, 0], [1, 1]])):
        inputs = [planned(t, r) for t, line in enumerate(scores) for r in range(len(line))]
        rows = [rollout(t, r, float(x)) for t, line in enumerate(scores) for r, x in enumerate(line)]
        write_run(tmp_path / "bench" / name, rows, inputs)
    runs = analyzed_folder(tmp_path, Profile())
    a, b = runs["bench/a"].side("a"), runs["bench/b"].side("b")
    assert [tuple(row.values())[2:] for row in paired_tasks(b, a).to_pylist()] == [
        ("0", "0", 2, 2, 2, 1, 0.5, 1.0, 0.5),
        ("1", "1", 2, 0, 1, 1, -1.0, 0.0, 1.0),
    ]
    assert paired_tasks(b, None).num_rows == 0
