"""The errors that a person must act on."""


class BladeError(Exception):
    """Something a person must mend; the message is one sentence that names the file and the mend."""


class UsageProblem(BladeError):  # noqa: N818 - it is no fault of the program
    """What was asked, on the command line or in the environment, cannot be done; exit code 2."""
