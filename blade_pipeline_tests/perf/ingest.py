"""Ingest against a bare ``orjson.loads`` loop over the same file, in the same run.

Run it as ``python -m blade_pipeline_tests.perf.ingest``; the figures go to docs/performance.md by hand, as ratios.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from blade_pipeline_tests.perf.measuring import Row

WORDS = "so let edge factor area circle point value row matrix series step given since equals prime".split()

MEASURED = """
import resource, sys, time
{imports}
def work():
    {work}
def used():
    return [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
def computed():
    return sum(usage.ru_utime + usage.ru_stime for usage in used())
started, before = computed(), time.perf_counter()
work()
seconds, cpu = time.perf_counter() - before, computed() - started
print(seconds, cpu, *(usage.ru_maxrss / 1024 for usage in used()))
"""

BARE = MEASURED.format(
    imports="import orjson",
    work="""
    with open(sys.argv[2], "rb") as lines:
        for line in lines:
            orjson.loads(line)
""",
)

INGEST = MEASURED.format(
    imports="""
from pathlib import Path
import pyarrow as pa
import pyarrow.parquet as pq
from blade_pipeline.gym import discover, rollout_batches
from blade_pipeline.tables import RAW_ROLLOUTS
[run] = discover(Path(sys.argv[1])).runs
pa.array([""])  # the first array imports pandas
""",
    work="""
    with pq.ParquetWriter(sys.argv[1] + "/raw_rollouts.parquet", RAW_ROLLOUTS, compression="zstd") as target:
        for batch in rollout_batches(run):
            target.write_batch(batch)
""",
)


def write_run(folder: Path, tasks: int, repeats: int, row_bytes: int) -> Path:
    """A run directory of ``tasks * repeats`` rows of about ``row_bytes`` bytes each; returns the rollouts file.

    The repeats of a task share its prompt, a third of the row, as they do in real runs.
    """
    random.seed(1)
    folder.mkdir(parents=True)
    path = folder / "rollouts.jsonl"
    with path.open("w") as out:
        for task in range(tasks):
            prompt = _text(row_bytes // 3)
            for repeat in range(repeats):
                row = _row(task, repeat, prompt, _text(row_bytes * 2 // 3 - 600))
                out.write(json.dumps(row, separators=(",", ":")) + "\n")
    return path


def _text(length: int) -> str:
    return " ".join(random.choices(WORDS, k=length // 4))[:length]


def _row(task: int, repeat: int, prompt: str, answer: str) -> dict[str, object]:
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
            "output": [message | {"content": [{"type": "output_text", "text": answer}]}],
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


def measured(program: str, folder: str, path: Path) -> list[float]:
    """Seconds of the work on the wall and of computing, helpers included, and peak resident megabytes of its process
    and of its largest helper; imports are left out.

    Bytecode may be kept, as an installed package has it: without it, most of a helper's start would be compiling.
    """
    command = [sys.executable, "-c", program, folder, str(path)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=kept)
    return [float(figure) for figure in done.stdout.split()]


def compare(tasks: int, repeats: int, row_bytes: int, runs: int) -> dict[str, float]:
    """Best seconds of both over interleaved runs, their ratios, and the highest peaks of ingest."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_run(Path(folder) / "bench" / "run", tasks, repeats, row_bytes)
        size = path.stat().st_size
        pairs = [(measured(BARE, folder, path), measured(INGEST, folder, path)) for _ in range(runs)]
    bare, bare_cpu = (min(pair[0][at] for pair in pairs) for at in (0, 1))
    ingest, cpu = (min(pair[1][at] for pair in pairs) for at in (0, 1))
    return {
        "rows": tasks * repeats,
        "megabytes": round(size / 1e6),
        "bare_seconds": round(bare, 3),
        "ingest_seconds": round(ingest, 3),
        "ratio": round(ingest / bare, 2),
        "bare_cpu_seconds": round(bare_cpu, 3),
        "cpu_seconds": round(cpu, 3),
        "cpu_ratio": round(cpu / bare_cpu, 2),
        "peak_megabytes": round(max(pair[1][2] for pair in pairs)),
        "helper_peak_megabytes": round(max(pair[1][3] for pair in pairs)),
    }


def rows(small: bool) -> list[Row]:
    """Reading of rows of 4 KB and 64 KB, each in a small file and in one whose start does not count."""
    sizes = [(100, 4, 4096)] if small else [(1000, 16, 4096), (8000, 16, 4096), (125, 16, 65536), (500, 16, 65536)]
    return [_row_of(compare(*size, runs=1 if small else 3), size[2]) for size in sizes]


def _row_of(found: dict[str, float], row_bytes: int) -> Row:
    what = f"reading {found['megabytes']:.0f} MB of {row_bytes // 1024} KB rows"
    return {
        "what": what,
        "ours_seconds": found["ingest_seconds"],
        "ours_cpu_seconds": found["cpu_seconds"],
        "bare_seconds": found["bare_seconds"],
        "ratio": found["ratio"],
        "peak_megabytes": found["peak_megabytes"],
        "note": f"{found['cpu_ratio']} times the CPU seconds of the bare loop",
    }


def main() -> None:
    """Print the comparison as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=16)
    parser.add_argument("--row-bytes", type=int, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(json.dumps(compare(options.tasks, options.repeats, options.row_bytes, options.runs)))


if __name__ == "__main__":
    main()
