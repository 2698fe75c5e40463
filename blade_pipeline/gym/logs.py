"""Which fields hold logs, told from their names."""

import re
from functools import lru_cache

LOGS = r"(?:^|_)(?:logs?|stderr|traceback|stack_?trace|console|errors?|exceptions?|failures?)(?:_|$)"
OUTPUTS = r"(?:^|_)(?:stdout|output|report|tail)(?:_tail)?$"
OF_HARNESS = (
    r"(?:^|_)(?:tests?|eval|evaluation|verif\w*|check\w*|container|sandbox|build|compil\w*|sim\w*|run|exec\w*|grad\w*"
    r"|harness|lint|pytest|unittest|install|setup|deploy|stdout|output_tail)(?:_|$)"
)
"""Names of logs, of outputs, and of what a harness runs, whose output is a log."""

_LOG, _OUTPUT, _OF_HARNESS = map(re.compile, (LOGS, OUTPUTS, OF_HARNESS))


@lru_cache(maxsize=4096)
def is_log(name: str) -> bool:
    """Whether a field's name promises a log, an error or what a test or build printed."""
    lower = name.lower()
    return _LOG.search(lower) is not None or bool(_OUTPUT.search(lower) and _OF_HARNESS.search(lower))
