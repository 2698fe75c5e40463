"""D2: the rollouts of a package."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from blade_pipeline.method.package.finding import PackageFinding
from blade_pipeline.method.package.rollout_rows import RolloutFile, read_rollout_file

SIDECARS = ("_failures", "_materialized_inputs", "_reward_profiling", "_aggregate_metrics", "_coverage")
"""Endings of the stems of files that lie beside rollouts and hold none."""

_NOT_IN_DATA = ("materialized_inputs", "reward_profiling", "aggregate")
_SHOWN = 5
_IN_COMMON = 0.5


def check_rollouts(folder: Path, *, strict: bool = False) -> Iterator[PackageFinding]:
    """Whether at least two files hold scored rollouts of named tasks.

    With ``strict`` sidecars are no rollouts, and the files must share half of all their tasks.
    """
    place = next((name for name in ("rollouts", "data") if (folder / name).exists()), None)
    if place is None:
        yield PackageFinding(False, "D2: there are no rollouts; they go to rollouts/*.jsonl or data/*rollout*.jsonl")
        return
    paths = rollout_paths(folder, strict=strict)
    yield PackageFinding(bool(paths), f"D2: {len(paths)} files of rollouts")
    label = "rollouts/*.jsonl" if place == "rollouts" else "data/*rollout*.jsonl"
    yield PackageFinding(bool(paths), f"D2: read from {label}")
    if not paths:
        return
    files = [read_rollout_file(path) for path in paths]
    for file in files:
        yield from _of_file(file)
    scored = [file for file in files if file.reward_field]
    yield PackageFinding(len(scored) >= 2, f"Scored files, of which two are needed: {len(scored)}")
    if strict:
        yield _comparable(scored)


def rollout_paths(folder: Path, *, strict: bool = False) -> list[Path]:
    """The rollouts files of a package, by name."""
    if (folder / "rollouts").exists():
        paths = sorted((folder / "rollouts").glob("*.jsonl"))
        return [path for path in paths if not (strict and path.stem.endswith(SIDECARS))]
    paths = sorted((folder / "data").glob("*rollout*.jsonl"))
    wanted = [path for path in paths if not any(part in path.name.lower() for part in _NOT_IN_DATA)]
    return [path for path in wanted if not (strict and path.stem.endswith(SIDECARS))]


def _of_file(file: RolloutFile) -> Iterator[PackageFinding]:
    name, bad = file.name, file.bad_lines
    yield PackageFinding(file.records > 0, f"{name}: {file.records} records")
    yield PackageFinding(not bad, f"{name}: {len(bad)} lines hold no JSON object{_lines(bad)}")
    yield PackageFinding(file.reward_field is not None, f"{name}: rows carry a reward or a score")
    yield PackageFinding(file.task_field is not None, f"{name}: rows name their task")
    told_apart = file.rollout_field is not None or file.records == len(file.tasks)
    yield PackageFinding(told_apart, f"{name}: rows name their repeat, or each task has one row")


def _lines(bad: Sequence[int]) -> str:
    if not bad:
        return ""
    more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
    return f" (line {', '.join(map(str, bad[:_SHOWN]))}{more})"


def _comparable(files: Sequence[RolloutFile]) -> PackageFinding:
    tasks = [file.tasks for file in files]
    common = set.intersection(*tasks) if tasks else set()
    every = set.union(*tasks) if tasks else set()
    alike = bool(every) and len(common) >= _IN_COMMON * len(every)
    return PackageFinding(alike, f"The scored files share {len(common)} of {len(every)} tasks")
