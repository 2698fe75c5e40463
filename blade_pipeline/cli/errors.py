"""Turns what goes wrong into one sentence on standard error and an exit code."""

import sys
from types import TracebackType

from blade_pipeline.models import BladeError


class UsageProblem(BladeError):  # noqa: N818 - named after what it is for the person who typed
    """The command cannot do what was asked; exit code 2."""


class OneSentence:
    """Prints a person's error as its sentence: exit 2 for wrong usage, 1 for everything else."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, BladeError):
            sys.stderr.write(f"blade: {error}\n")
            sys.exit(2 if isinstance(error, UsageProblem) else 1)
