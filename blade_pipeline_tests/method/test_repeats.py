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


def test_cochran_q_holds_a_repeat_against_the_same_repeat_of_other_tasks(tmp_path: Path) -> None:
    # the second repeat always fails; the last two tasks lost another repeat each
    keys = [(t, r) for t in range(6) for r in range(4) if (t, r) not in {(4, 0), (5, 2)}]
    rows = [rollout(t, r, float(r != 1)) for t, r in keys]
    write_run(tmp_path / "bench" / "run", rows, [planned(t, r) for t in range(6) for r in range(4)])
    found = analyzed_folder(tmp_path)["bench/run"].scores["repeats"]
    # four complete tasks, columns 4 0 4 4, rows 3 each: 3 (4*48 - 144) / (4*12 - 4*9)
    assert (found["cochran_q"], found["cochran_df"], found["cochran_tasks"]) == (pytest.approx(12.0), 3, 4)


def test_cochran_q_speaks_of_most_tasks_when_one_has_more_repeats(tmp_path: Path) -> None:
    found = run_of(tmp_path, ["1011", "1011", "1011", "10111011"]).scores["repeats"]
    # four tasks on the four repeats that they share: columns 4 0 4 4
    assert (found["cochran_q"], found["cochran_df"], found["cochran_tasks"]) == (pytest.approx(12.0), 3, 4)


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (["1", "0"], "no task has two measured repeats"),
        (["1", "0", "10"], "too few tasks have the same repeats measured"),
        (["10", "11"], "fewer than two of these tasks pass in one repeat and fail in another"),
    ],
)
def test_no_q_says_why(tmp_path: Path, matrix: list[str], reason: str) -> None:
    found = run_of(tmp_path, matrix).scores["repeats"]
    assert (found["cochran_q"], found["cochran_reason"]) == (None, reason)


def test_without_inputs_a_lost_repeat_leaves_the_others_in_their_places(tmp_path: Path) -> None:
    # repeat 0 is lost for two of four tasks, repeat 2 always fails
    rows = [rollout(t, r, float(r != 2)) for t in range(4) for r in range(3) if r or t > 1]
    write_run(tmp_path / "bench" / "run", rows)
    found = analyzed_folder(tmp_path)["bench/run"].coverage["by"]["repeat"]
    assert [(row["repeat"], row["measured"], row["passed"]) for row in found] == [(0, 2, 2), (1, 4, 4), (2, 4, 0)]


def test_without_inputs_repeats_numbered_over_the_whole_file_rank_within_their_task(tmp_path: Path) -> None:
    write_run(tmp_path / "bench" / "run", [rollout(n // 2, n, float(n % 2)) for n in range(12)])
    found = analyzed_folder(tmp_path)["bench/run"].coverage["by"]["repeat"]
    assert [(row["repeat"], row["measured"], row["passed"]) for row in found] == [(0, 6, 0), (1, 6, 6)]


def test_a_task_of_several_agents_is_one_of_the_sample(tmp_path: Path) -> None:
    # two agents agree on four tasks with means 0, 1/2, 1, 1: SE sqrt(4/3 * 11/16) / 4 as for one of them, df 3
    means = [0.0, 0.5, 1.0, 1.0]
    keys = [(a, t, r) for a in range(2) for t in range(4) for r in range(2)]
    rows = [rollout(t, 2 * a + r, float(r < 2 * means[t]), agent_ref={"name": f"a{a}"}) for a, t, r in keys]
    write_run(tmp_path / "bench" / "run", rows)
    scores = analyzed_folder(tmp_path)["bench/run"].scores
    for found in (scores, scores["agents"]["a0"]):
        interval = found["intervals"]["pass_at_1"]
        assert interval["se"] == pytest.approx((4 / 3 * 11 / 16) ** 0.5 / 4)
        assert (interval["df"], interval["n"]) == (3, 4)


def test_scores_without_a_known_range_have_no_bounds(tmp_path: Path) -> None:
    # the task's mean of -1 and 2 lies in [0, 1], its scores do not; the third repeat is missing
    inputs = [planned(0, repeat) for repeat in range(3)]
    write_run(tmp_path / "bench" / "run", [rollout(0, 0, -1.0), rollout(0, 1, 2.0)], inputs)
    assert "mean_reward" not in analyzed_folder(tmp_path)["bench/run"].scores["bounds"]
    declared = analyzed_folder(tmp_path, Profile(reward_range=(-1.0, 2.0)))["bench/run"].scores["bounds"]
    # (-1 + 2 - 1)/3 and (-1 + 2 + 2)/3
    assert declared["mean_reward"] == pytest.approx({"low": 0.0, "high": 1.0})
