"""Whether a run's writer is done; NeMo Gym 0.7 leaves no mark of its own."""

from pathlib import Path
from typing import NamedTuple

from blade_pipeline.gym.documents import read_json
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.identity import identity
from blade_pipeline.gym.lines import read_lines, unreadable

MAX_ATTEMPTS = 3
"""Failed attempts after which the collector gives a rollout up (its default)."""

GIVEN_UP_FACTOR = 10
"""An unfinished run counts as crashed after this many quiet periods without a write."""

_JSONL = ("rollouts", "reverified", "materialized_inputs", "failures", "reward_profiling")

_Key = tuple[int, str | None, str | None]


class Settled(NamedTuple):
    """``ok`` when the run may be analysed; ``reason`` says why or why not, in plain words."""

    ok: bool
    reason: str


class _Watched(NamedTuple):
    role: str
    path: Path
    age: float
    whole: bool
    mtime_ns: int


def settled(run: RunDirectory, now: float, quiet_seconds: float) -> Settled:
    """Judges from file times, last bytes and keys whether anyone still writes.

    Nothing may have changed for ``quiet_seconds`` before ``now`` (seconds since 1970). Then the run is settled when
    an aggregate newer than all rows parses and every line is whole; or when every expected rollout has a row, a
    terminal failure or three failed attempts; or, unfinished, after ten quiet periods: a crashed run.

    Raises:
        BladeError: a file vanished or cannot be read.
    """
    files = [_watch(file.role, file.path, now) for file in run.having(*_JSONL)]
    for file in files:
        if file.age < quiet_seconds:
            return Settled(False, _fresh(file))
    latest = min((file.age for file in files), default=quiet_seconds)
    silence = f"nothing was written for {_span(latest)}"
    torn = next((file.path.name for file in files if not file.whole), None)
    if torn is None and (aggregate := _finished_aggregate(run, files)):
        return Settled(True, f"{aggregate} is newer than the rows and {silence}")
    open_rollouts, expected = _open_rollouts(run)
    if torn is None and expected and not open_rollouts:
        return Settled(True, f"all {expected} expected rollouts have a row or a final failure and {silence}")
    unfinished = _unfinished(open_rollouts, expected, torn)
    patience = GIVEN_UP_FACTOR * quiet_seconds
    if latest >= patience:
        return Settled(True, f"{unfinished}, but {silence}: taken as stopped")
    return Settled(False, f"{unfinished}; {silence}, and {_span(patience)} without a write count as stopped")


def _fresh(file: _Watched) -> str:
    if file.whole:
        return f"{file.path.name} was written {_span(file.age)} ago"
    return f"the last line of {file.path.name} has no newline and was written {_span(file.age)} ago"


def _unfinished(open_rollouts: int, expected: int, torn: str | None) -> str:
    if torn is not None:
        return f"the last line of {torn} has no newline"
    if expected:
        return f"{open_rollouts} of {expected} expected rollouts have neither a row nor a final failure"
    return "there is no finished aggregate and no list of expected rollouts"


def _watch(role: str, path: Path, now: float) -> _Watched:
    try:
        status = path.stat()
        whole = status.st_size == 0
        if not whole:
            with path.open("rb") as stream:
                stream.seek(-1, 2)
                whole = stream.read(1) == b"\n"
    except OSError as error:
        raise unreadable(path, error) from error
    return _Watched(role, path, abs(now - status.st_mtime), whole, status.st_mtime_ns)


def _finished_aggregate(run: RunDirectory, files: list[_Watched]) -> str | None:
    newest = max((file.mtime_ns for file in files if file.role != "materialized_inputs"), default=0)
    for aggregate in run.having("aggregate_metrics"):
        try:
            if aggregate.path.stat().st_mtime_ns < newest:
                continue
        except OSError as error:
            raise unreadable(aggregate.path, error) from error
        if read_json(aggregate.path)[1] is None:
            return aggregate.path.name
    return None


def _open_rollouts(run: RunDirectory) -> tuple[int, int]:
    """How many expected rollouts have neither row nor final failure, and how many are expected."""
    expected = set(_keys([file.path for file in run.having("materialized_inputs")]))
    if not expected:
        return 0, 0
    missing = expected.difference(_keys(list(run.rollouts)))
    return len(missing - _final_failures(run)), len(expected)


def _keys(paths: list[Path]) -> list[_Key]:
    found = []
    for path in paths:
        for line in read_lines(path):
            if line.row is not None:
                who = identity(line.row)
                found.append((who.stage, who.task, who.repeat))
    return found


def _final_failures(run: RunDirectory) -> set[_Key]:
    attempts: dict[_Key, int] = {}
    final: set[_Key] = set()
    for file in run.having("failures"):
        for line in read_lines(file.path):
            if line.row is None:
                continue
            who = identity(line.row)
            key = (who.stage, who.task, who.repeat)
            attempts[key] = attempts.get(key, 0) + 1
            if line.row.get("_ng_failure_terminal") in (True, 1) or attempts[key] >= MAX_ATTEMPTS:
                final.add(key)
    return final


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172800 else f"{seconds / 86400:.0f} days"
