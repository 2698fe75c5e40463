"""Ingest against a bare ``orjson.loads`` loop over the same file, in the same run.

Run it as ``python -m blade_pipeline_tests.perf.ingest``; the figures go to docs/performance.md by hand, as ratios.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = "so let edge factor area circle point value row matrix series step given since equals prime".split()

BARE = """
import orjson, sys
with open(sys.argv[1], 'rb') as lines:
    for line in lines:
        orjson.loads(line)
"""

INGEST = """
import sys
from pathlib import Path
from blade_pipeline.gym import discover, read_rollouts
[run] = discover(Path(sys.argv[1])).runs
assert read_rollouts(run).num_rows == int(sys.argv[2])
"""


def write_run(folder: Path, tasks: int, repeats: int, row_bytes: int) -> Path:
    """A run directory of ``tasks * repeats`` rows of about ``row_bytes`` bytes each; returns the rollouts file."""
    random.seed(1)
    folder.mkdir(parents=True)
    path = folder / "rollouts.jsonl"
    with path.open("w") as out:
        for task in range(tasks):
            for repeat in range(repeats):
                out.write(json.dumps(_row(task, repeat, row_bytes), separators=(",", ":")) + "\n")
    return path


def _row(task: int, repeat: int, row_bytes: int) -> dict[str, object]:
    text = " ".join(random.choices(WORDS, k=row_bytes // 8))
    prompt = " ".join(random.Random(task).choices(WORDS, k=row_bytes // 24))
    message = {"type": "message", "role": "assistant", "status": "completed"}
    return {
        "responses_create_params": {
            "input": [{"role": "user", "content": f"Task {task}: {prompt}"}],
            "temperature": 1.0,
        },
        "response": {
            "id": f"resp_{task}_{repeat}",
            "created_at": 1_700_000_000 + task,
            "model": "bench",
            "output": [message | {"content": [{"type": "output_text", "text": text[row_bytes // 3 :]}]}],
            "usage": {"input_tokens": 100, "output_tokens": 200, "total_tokens": 300},
        },
        "reward": float((task * 7 + repeat) % 3 == 0),
        "extracted_answer": str(task),
        "expected_answer": str(task),
        "category": "abc"[task % 3],
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "agent_ref": {"type": "responses_api_agents", "name": "bench_agent"},
    }


def timed(program: str, *arguments: str) -> tuple[float, float]:
    """Wall seconds and peak resident megabytes of a Python program of its own process."""
    before = time.perf_counter()
    measure = f"{program}\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    done = subprocess.run([sys.executable, "-c", measure, *arguments], check=True, capture_output=True, text=True)
    return time.perf_counter() - before, float(done.stdout.split()[-1])


def main() -> None:
    """Print wall seconds, ratios pair by pair, and peak memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=16)
    parser.add_argument("--row-bytes", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    start, _ = timed("from blade_pipeline.gym import read_rollouts")
    bare_start, _ = timed("import orjson")
    with tempfile.TemporaryDirectory() as folder:
        path = write_run(Path(folder) / "bench" / "run", options.tasks, options.repeats, options.row_bytes)
        rows = options.tasks * options.repeats
        print(
            f"{rows} rows, {path.stat().st_size / 1e6:.0f} MB; start-up {start:.2f} s and {bare_start:.2f} s taken off"
        )
        ratios = []
        for _ in range(options.runs):
            bare, _ = timed(BARE, str(path))
            ingest, peak = timed(INGEST, folder, str(rows))
            ratios.append((ingest - start) / (bare - bare_start))
            times = f"bare loop {bare - bare_start:.2f} s, ingest {ingest - start:.2f} s"
            print(f"{times}, ratio {ratios[-1]:.2f}, {peak:.0f} MB")
        print(f"median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
