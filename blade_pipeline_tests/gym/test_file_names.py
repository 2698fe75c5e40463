"""Names of files as reports show them: no machine in them, all else as it stands, and no two alike."""

import pytest

from blade_pipeline.gym.file_names import shown_files


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("slurm-4711-node017.log", "slurm-4711-[not shown].log"),
        ("vllm_db7.cluster.corp.log", "[not shown].log"),
        ("server.10.1.2.3.log", "server.[not shown].log"),
        ("ip-10-1-2-3.out", "[not shown].out"),
        ("logs/nid001234.err", "logs/[not shown].err"),
        ("cw-west-h100-004-123.log", "[not shown].log"),
        ("judge_eos0123.log", "judge_[not shown].log"),
        ("gpu-7.log", "[not shown].log"),
        ("https:__hooks.slack.com_services_T1_B2_cWVMtdy5AvQN.log", "[not shown].log"),
    ],
)
def test_the_machine_in_a_file_name_is_masked(name: str, expected: str) -> None:
    assert shown_files([{"name": name, "role": "log"}]) == [expected]


@pytest.mark.parametrize(
    "name",
    [
        "server.log",
        "vllm-server_1.log",
        "rank12.log",
        "slurm-4711.out",
        "attempt03.log",
        "gym-job-20261019T210000Z-1d9d43.log",
        "../../gym-job.json",
        "rollouts.0-7.jsonl",
        "a/b/stdout.txt",
    ],
)
def test_other_names_stay(name: str) -> None:
    assert shown_files([{"name": name, "role": "log"}]) == [name]


def test_what_a_run_is_read_from_keeps_its_numbers_but_no_address() -> None:
    files = [{"name": name, "role": "rollouts"} for name in ("model17_rollouts.jsonl", "rollouts_10.1.2.3.jsonl")]
    assert shown_files(files) == ["model17_rollouts.jsonl", "rollouts_[not shown].jsonl"]


def test_files_of_several_machines_stay_apart() -> None:
    files = [{"name": f"node0{number}.log", "role": "log"} for number in (1, 2)]
    assert shown_files(files) == ["[not shown].log", "[not shown].log 2"]
