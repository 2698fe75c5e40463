"""Rollout files that a coverage-guided fuzzer makes: each line has one class, places tile the file, nothing raises.

Needs the package atheris, which has wheels for few Pythons and so is no dependency.
"""

import argparse
import contextlib
import importlib
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from blade_pipeline_tests.campaigns.mutations import spoilt
from blade_pipeline_tests.gym.run_folder import jsonl, rollout

_SEEDS = 300
_LONGEST = 600
"""Bytes of a file: one to three rows, so that an execution is cheap; long files are the other campaign's."""
_WHOLE = 100
"""Every so manieth file is read to its end; the others only as far as the columns before Arrow, which is quicker."""


class Target:
    """Reads what the fuzzer makes as the rollouts of a run; counts what it read and keeps what was wrong."""

    def __init__(self, folder: Path) -> None:
        from blade_pipeline.gym import discover

        self._file = folder / "bench" / "run" / "rollouts.jsonl"
        self._file.parent.mkdir(parents=True)
        self._file.write_bytes(jsonl(rollout(0, 0, 1.0)))
        self._run = discover(folder).runs[0]
        self.files = self.lines = 0
        self.wrong: dict[str, bytes] = {}

    def __call__(self, content: bytes) -> None:
        """Reads one file; a fault of the reader does not end the campaign."""
        self._file.write_bytes(content)
        self.files += 1
        try:
            found = self._wrong(content)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"[:200]]
        for sentence in found[:1]:
            self.wrong.setdefault(sentence, content)

    def _wrong(self, content: bytes) -> list[str]:
        from blade_pipeline.gym import read_rollouts
        from blade_pipeline.gym.content import Contents
        from blade_pipeline.gym.lines import cut
        from blade_pipeline.gym.parsing import parse_span
        from blade_pipeline_tests.campaigns.rows import PLACES, wrong_lines

        places: dict[str, list[Any]] = {name: [] for name in PLACES}
        for span in cut(self._file, 2 * _LONGEST):
            columns: dict[str, Any] = parse_span(span, Contents())
            places = {name: columns[name] for name in PLACES}
        self.lines += len(places["line"])
        table = read_rollouts(self._run) if self.files % _WHOLE == 0 else pa.table(places)
        return wrong_lines(content, table)


def seeds(folder: Path, seed: int) -> None:
    """Short files of whole and of spoilt rows, from which the fuzzer starts."""
    draw = random.Random(seed)
    rows = [jsonl(rollout(task, repeat, 1.0)).rstrip(b"\n") for task in range(2) for repeat in range(2)]
    folder.mkdir()
    for number in range(_SEEDS):
        lines = [spoilt(draw, draw.choice(rows)) for _ in range(draw.randint(1, 3))]
        (folder / str(number)).write_bytes(b"\n".join(lines)[:_LONGEST])


def campaign(seconds: float, seed: int) -> Target:
    """What the fuzzer read, and found, in so many seconds."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["blade_pipeline.gym"]):
        importlib.import_module("blade_pipeline.gym.rollouts")
        importlib.import_module("blade_pipeline.gym.discovery")
    with tempfile.TemporaryDirectory() as root:
        seeds(Path(root, "seeds"), seed)
        target = Target(Path(root, "runs"))
        limits = [f"-max_len={_LONGEST}", "-rss_limit_mb=0", f"-seed={seed}", "-verbosity=0"]
        end = time.monotonic() + seconds

        def one(content: bytes) -> None:
            if time.monotonic() > end:
                raise KeyboardInterrupt
            target(content)

        atheris.Setup(["guided", str(Path(root, "seeds")), *limits], one)
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            atheris.Fuzz()
    return target


def main() -> None:
    """Prints how much was read, the peak of memory and what was wrong, and ends with 1 when anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    chosen = parser.parse_args()
    target = campaign(chosen.minutes * 60, chosen.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    wrong = {sentence: repr(content[:500]) for sentence, content in target.wrong.items()}
    told = {"seed": chosen.seed, "files": target.files, "lines": target.lines, "peak_mb": peak, "wrong": wrong}
    print(json.dumps(told, indent=1), flush=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
