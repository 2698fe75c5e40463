"""Task ids and messages that look like figures, totals or markup: our own reports still hold."""

import json
import random
from pathlib import Path

from blade_pipeline_tests.cli.conftest import Blade

NAMES = [
    "a|b", "`tick`", "t 12 of 9 (99%)", "<b>x</b>", "task 7", "sum", "total", "x" * 300, "new\nline", "bidi\u202eabc",
    "https://e.example/x?key=sk-abcdefgh12345678", "9-9", "measured", "1.5%", 'quote"d', "[F1]", "C:\\path\\x",
    "_under_", "*star*", "#5", "0",
]  # fmt: skip
MESSAGES = [
    "3 of 9 failed rollouts (99%)", "pass@1 is 99%", "error: 5 tasks never pass", "timeout after 30.5 s",
    "`code` | pipe", "Task `zzz`: 3 of 4 measured repeats pass",
]  # fmt: skip


def write(folder: Path, rng: random.Random) -> None:
    folder.mkdir(parents=True)
    rows, inputs = [], []
    for number, name in enumerate(NAMES):
        for repeat in range(3):
            task = {
                "_ng_task_index": name,
                "_ng_rollout_index": repeat,
                "task_id": name,
                "question": f"q {name}",
                "category": ["sum", "total", "1 of 2", "a = b"][number % 4],
                "agent_ref": {"name": "ag|1"},
            }
            inputs.append(task)
            if rng.random() < 0.85:
                message = rng.choice(MESSAGES)
                rows.append({**task, "reward": rng.choice([0, 1, 1, None]), "verifier_message": message})
    for name, lines in (("rollouts", rows), ("rollouts_materialized_inputs", inputs)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_reports_with_hostile_names_hold(blade: Blade) -> None:
    for run in ("m1", "m2"):
        write(blade.folder / "runs/hb" / run, random.Random(run))
    (blade.folder / "prof").mkdir()
    (blade.folder / "prof/hb.yaml").write_text("slices: [category]\n")
    said = blade("analyze", "runs", "--store", "store", "--profiles", "prof")
    assert said.code == 0, said.err
    packed = blade("package", "hb", "--out", "pkg", "--store", "store", "--json").json
    failed = [finding["message"] for finding in packed["validation"]["findings"] if not finding["ok"]]
    assert [message for message in failed if "anchor facts" not in message and "no passage" not in message] == []
