"""Turns what goes wrong into one sentence on standard error and an exit code."""

import errno
import os
import sys
import traceback
from types import TracebackType

import click

from blade_pipeline.cli.output import on_one_line
from blade_pipeline.errors import fault_of
from blade_pipeline.models import BladeError
from blade_pipeline.models import UsageProblem as UsageProblem

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class OneSentence:
    """Prints an error that a person can act on as its sentence, a fault of the program as its places, and exits."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(FAILED)
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            error.show()
            sys.exit(WRONG_USAGE)
        found = _told(error) if error is not None else None
        if found is not None:
            from blade_pipeline.gym.public import without_secrets

            sentence, code = found
            sys.stderr.write(f"blade: {on_one_line(without_secrets(sentence))}\n")
            sys.exit(code)
        if isinstance(error, Exception):
            sys.stderr.write("".join(traceback.format_tb(trace)))
            sys.stderr.write(f"blade: {fault_of(error)}; report it with the lines above, which quote no run.\n")
            sys.exit(FAILED)


def _told(error: BaseException) -> tuple[str, int] | None:
    """Sentence and exit code of an error; None for a fault of the program."""
    if isinstance(error, UsageProblem):
        return str(error), WRONG_USAGE
    if isinstance(error, BladeError):
        return str(error), FAILED
    if isinstance(error, click.ClickException):
        return " ".join(error.format_message().split()), error.exit_code
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "stopped", INTERRUPTED
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} cannot be used ({error.strerror}); mend its permissions or name another.", FAILED
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return f"what was asked for could not be written ({error.strerror})", FAILED
    return None
