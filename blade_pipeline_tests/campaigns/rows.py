"""Spoilt rollout files by the thousand: each line has one class, places tile the file, the run is analysed."""

import argparse
import json
import math
import random
import resource
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

import blade_pipeline as blade
from blade_pipeline.example import write_example
from blade_pipeline.gym import discover, read_rollouts
from blade_pipeline.gym.lines import MALFORMED
from blade_pipeline.rewards import LARGEST
from blade_pipeline_tests.campaigns.mutations import spoilt

LINES_OF_A_FILE = 400
ANALYSED = 50
"""Every so manieth file is also scored and accounted for."""

PLACES = ["line", "offset", "length", "line_class"]
CLASSES = {"row", "blank", *MALFORMED}


def wrong_lines(content: bytes, table: pa.Table) -> list[str]:
    """What does not hold of the lines that were read from a file, by a plain split and the standard JSON reader.

    The table has the columns ``PLACES``; rewards are looked at where it has them.
    """
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    rewards = [name for name in ("reward", "reward_status") if name in table.column_names]
    rows = table.select([*PLACES, *rewards]).to_pylist()
    wrong = [] if len(rows) == len(lines) else [f"{len(rows)} rows for {len(lines)} lines"]
    offset = 0
    for number, (line, row) in enumerate(zip(lines, rows, strict=False), 1):
        place = (row["line"], row["offset"], row["length"])
        wrong += [] if place == (number, offset, len(line)) else [f"line {number} is said to be {place}"]
        offset += len(line) + 1
        wrong += [f"line {number}: {sentence}" for sentence in _wrong_row(line, row, first=number == 1)]
    return wrong


def _wrong_row(line: bytes, row: dict[str, Any], *, first: bool) -> list[str]:
    wrong = [] if row["line_class"] in CLASSES else [f"class {row['line_class']}"]
    is_object = _is_object(line.removeprefix(b"\xef\xbb\xbf") if first else line)
    if is_object is not None and is_object != (row["line_class"] == "row"):
        wrong.append(f"class {row['line_class']}, and an object: {is_object}")
    if row.get("reward_status") == "scored" and not (math.isfinite(row["reward"]) and abs(row["reward"]) < LARGEST):
        wrong.append(f"a reward of {row['reward']} is scored")
    return wrong


def _is_object(line: bytes) -> bool | None:
    """Whether the standard reader finds an object; None where it gives up for want of room."""
    try:
        return isinstance(json.loads(line.decode(), parse_int=len), dict)
    except RecursionError:
        return None
    except ValueError:
        return False


def wrong_sums(folder: Path) -> list[str]:
    """Whether every planned rollout of the run has one outcome, and no probability lies outside 0 and 1."""
    run = blade.load(folder)
    counts: Any = run.coverage["accounting"]
    total = sum(counts[name] for name in ("measured", "masked", "unscored", "failed", "missing"))
    wrong = [] if counts["expected"] in (None, total) else [f"{total} outcomes of {counts['expected']} rollouts"]
    values = [one.value for one in run.pass_at_k().values() if one.value is not None]
    return wrong + [f"pass@k of {value}" for value in values if not 0 <= value <= 1]


def campaign(files: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Counts of lines by class over so many spoilt files, and everything that was wrong."""
    draw, classes, wrong = random.Random(seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as root:
        write_example(Path(root, "example"), tasks=6, repeats=2, models=2)
        sources = [p for p in sorted(Path(root, "example").rglob("*rollouts*.jsonl")) if p.name == "rollouts.jsonl"]
        plain = [line for path in sources for line in path.read_bytes().splitlines() if _is_object(line)]
        folder = Path(root, "fuzz", "bench", "run")
        folder.mkdir(parents=True)
        for number in range(files):
            lines = [spoilt(draw, draw.choice(plain)) for _ in range(LINES_OF_A_FILE)]
            content = b"\n".join(lines) + draw.choice([b"", b"\n"])
            (folder / "rollouts.jsonl").write_bytes(content)
            try:
                table = read_rollouts(discover(Path(root, "fuzz")).runs[0])
                found = wrong_lines(content, table)
                found += wrong_sums(folder) if number % ANALYSED == 0 else []
            except Exception as error:
                found = [f"{type(error).__name__}: {error}"]
            classes.update(table["line_class"].to_pylist())
            wrong += [f"seed {seed}, file {number}: {sentence}" for sentence in found]
    return classes, wrong


def main() -> None:
    """Prints the lines by class, the peak of memory and what was wrong, and ends with 1 when anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2500, help=f"files of about {LINES_OF_A_FILE} lines")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    classes, wrong = campaign(chosen.files, chosen.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = {"seed": chosen.seed, "lines": classes.total(), "classes": classes, "peak_mb": peak, "wrong": wrong[:50]}
    print(json.dumps(told, indent=1))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
