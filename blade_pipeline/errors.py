"""The errors that a person must act on, and how a fault of the program is told."""

import traceback
from pathlib import Path


class BladeError(Exception):
    """Something a person must mend; the message is one sentence that names the file and the mend."""


class UsageProblem(BladeError):  # noqa: N818 - it is no fault of the program
    """What was asked, on the command line or in the environment, cannot be done; exit code 2."""


def fault_of(error: BaseException) -> str:
    """A fault of the program by its kind and its place, the last of our own frames, and not by its message.

    A message may quote a rollout or a secret: those of JSON, YAML, DuckDB, Arrow and pydantic quote what they read.
    """
    frames = traceback.extract_tb(error.__traceback__)
    package = Path(__file__).parent
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(package)]
    place = "".join(f" in {Path(frame.filename).name} line {frame.lineno}" for frame in (own or frames)[-1:])
    return f"a fault of the program, {type(error).__name__}{place}"
