"""``blade analyze`` tells the channels of the environment, and a dead one fails nothing."""

import json

import pytest

from blade_pipeline.automation.notify import webhook
from blade_pipeline_tests.automation.world import write_run
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.processes import LONGEST_WAIT_SECONDS


def test_a_dead_webhook_fails_no_analysis(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five of six rollouts are measured, and the profile asks for nine tenths."""
    write_run(blade.folder / "runs/aime/m1", age=0, model="m", rows=5)
    (blade.folder / "data/benchmarks").mkdir(parents=True)
    (blade.folder / "data/benchmarks/aime.yaml").write_text("min_coverage: 0.9\n")
    monkeypatch.setattr(webhook, "PAUSES", ())
    monkeypatch.setattr(webhook, "SECONDS", LONGEST_WAIT_SECONDS)
    monkeypatch.setenv("BLADE_NOTIFY_WEBHOOK", "http://127.0.0.1:1/secret")
    monkeypatch.setenv("BLADE_NOTIFY_FILE", "notices.jsonl")
    for _ in range(2):
        said = blade("analyze", "runs")
        assert said.code == 0
        assert "Notices were not told by webhook: the webhook cannot be reached (ConnectionRefusedError)" in said.err
        assert "secret" not in said.err + said.out
    (line,) = (blade.folder / "notices.jsonl").read_text().splitlines()
    assert json.loads(line)["how_sure"] == "83.3% of the expected rollouts are measured, 5 of 6"
