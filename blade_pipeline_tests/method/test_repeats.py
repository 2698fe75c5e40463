"""Drift between repeats, copies among them, best-of-k and families, on run directories with worked values."""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, planned, rollout, write_run

# case S34: ten tasks x four repeats, the third repeat ran while something was down
MATRIX = ["1101", "0000", "1001", "1111", "0100", "1110", "1101", "1101", "0101", "1100"]
# case S07: six tasks x four repeats
RUN_A = ["1101", "0000", "1001", "1111", "0100", "1110"]


def output(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return {"id": text, "output": [{"type": "message", "role": "assistant", "content": content}]}


def run_of(tmp_path: Path, matrix: list[str], profile: Profile | None = None, **fields: Any) -> Analyzed:
    keys = [(task, repeat) for task, row in enumerate(matrix) for repeat in range(len(row))]
    rows = [rollout(t, r, float(matrix[t][r]), response=output(f"answer {t} {r}")) for t, r in keys]
    inputs = [planned(t, r, **{name: values[t] for name, values in fields.items()}) for t, r in keys]
    write_run(tmp_path / "bench" / "run", rows, inputs)
    return analyzed_folder(tmp_path, profile)["bench/run"]


def test_cochran_q_finds_the_odd_repeat(tmp_path: Path) -> None:
    found = run_of(tmp_path, MATRIX).scores["repeats"]
    assert found["cochran_q"] == pytest.approx(9.222222222222221, abs=1e-9)
    assert (found["cochran_df"], found["cochran_tasks"]) == (3, 10)
    assert found["cochran_p"] == pytest.approx(0.02647767598259056, abs=1e-9)


def test_one_repeat_has_no_q(tmp_path: Path) -> None:
    found = run_of(tmp_path, ["1", "0"]).scores["repeats"]
    assert found["cochran_q"] is None
    assert found["cochran_p"] is None


def test_copied_repeats_are_counted(tmp_path: Path) -> None:
    rows = [rollout(t, r, float(t % 2), response=output(f"same {t}")) for t in range(3) for r in range(4)]
    rows += [rollout(3, r, 1.0, response=output(f"own {r}")) for r in range(4)]
    write_run(tmp_path / "bench" / "run", rows)
    found = analyzed_folder(tmp_path)["bench/run"].scores["repeats"]
    assert (found["identical_tasks"], found["compared_tasks"]) == (3, 4)


def test_best_of_k_of_scores_that_are_not_binary(tmp_path: Path) -> None:
    rows = [rollout(0, repeat, score) for repeat, score in enumerate([0.2, 0.9, 0.5, 1.0])]
    write_run(tmp_path / "bench" / "run", rows)
    scores = analyzed_folder(tmp_path)["bench/run"].scores
    # case S29: (.5*1 + .9*2 + 1.0*3) / 6
    assert scores["best_of"]["2"]["value"] == pytest.approx(0.8833333333333333, abs=1e-9)
    assert scores["mean_reward"] == pytest.approx(0.65)
    assert scores["pass_at"]["2"]["value"] == pytest.approx(0.5)
    assert scores["pass_at_1"] == pytest.approx(0.25)


def test_binary_scores_need_no_best_of(tmp_path: Path) -> None:
    assert run_of(tmp_path, RUN_A).scores["best_of"] is None


def test_families_are_the_clusters(tmp_path: Path) -> None:
    families = ["g1", "g1", "g2", "g2", "g3", "g3"]
    interval = run_of(tmp_path, RUN_A, Profile(family_field="source"), source=families).scores["intervals"]["pass_at_1"]
    # case S38: group sums of deviations -1/3, 5/12, -1/12
    assert interval["se"] == pytest.approx(0.1102396379610246, abs=1e-9)
    assert interval["df"] == 2


def test_families_are_the_clusters_of_every_k(tmp_path: Path) -> None:
    families = ["g1", "g1", "g2", "g2", "g3", "g3"]
    interval = run_of(tmp_path, RUN_A, Profile(family_field="source"), source=families).scores["intervals"]["pass@2"]
    # passes 3 0 2 4 1 3 of 4: pass@2 is 1, 0, 5/6, 1, 1/2, 1 with mean 13/18; sums of deviations by family
    # -8/18, 7/18, 1/18; sqrt(3/2 * 114/324) / 6
    assert interval["estimate"] == pytest.approx(13 / 18)
    assert interval["se"] == pytest.approx((1.5 * 114 / 324) ** 0.5 / 6)
    assert (interval["df"], interval["n"], interval["note"]) == (2, 3, "only 3 families")


def test_a_lower_score_may_be_the_better_one(tmp_path: Path) -> None:
    rows = [rollout(0, repeat, score) for repeat, score in enumerate([3.0, 1.0, 2.0])]
    write_run(tmp_path / "bench" / "run", rows)
    profile = Profile(higher_is_better=False, pass_threshold=1.0)
    # best of two of 3, 1, 2 is the lower: (1 + 2 + 1) / 3
    found = analyzed_folder(tmp_path, profile)["bench/run"].scores["best_of"]
    assert [found[k]["value"] for k in "123"] == pytest.approx([2.0, 4 / 3, 1.0])


def test_two_repeats_agree_as_often_as_counted(tmp_path: Path) -> None:
    found = run_of(tmp_path, ["11", "10", "1"]).scores["repeats"]
    # one of the two tasks with two repeats agrees
    assert (found["repeat_agreement"], found["agreement_tasks"]) == (0.5, 2)


def test_without_families_the_task_is_the_cluster(tmp_path: Path) -> None:
    interval = run_of(tmp_path, RUN_A).scores["intervals"]["pass_at_1"]
    assert interval["se"] == pytest.approx(0.15023130314433292, abs=1e-9)
    assert interval["estimate"] == pytest.approx(13 / 24)
