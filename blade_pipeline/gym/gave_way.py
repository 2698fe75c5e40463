"""Words of services, sandboxes, networks and storage that gave way, in lower-case texts."""

import re

from blade_pipeline.gym.error_lines import LONGEST_LINE

GAVE_WAY = (
    r"too many requests|rate.?limit|payment required|quota.{0,20}exceeded|exceeded.{0,30}quota",
    r"insufficient.{0,20}(quota|credit|balance|funds)",
    r"(http|status|code|error|failed)[^a-z0-9]{1,12}(402|429|5\d\d)\b",
    r"\b(402|429|5\d\d)\s+(payment|too many|internal server|bad gateway|service)",
    r"connection (was )?(refused|reset|aborted|error|closed|lost|timed out)|econnrefused|econnreset|socket hang up",
    r"connect(ion)?error|remoteprotocolerror|server disconnected|network is unreachable|no route to host",
    r"name or service not known|name resolution|could not resolve host|getaddrinfo|\benotfound\b|eai_again",
    r"bad gateway|service unavailable|gateway time-?out",
    r"out of memory|cannot allocate memory|\boom\b|oom.?kill",
    r"no space left|disk quota|read-only file system|\benospc\b|\bedquot\b",
    r"image.?pull|errimagepull|pull(ing)? (access|image)|manifest unknown|toomanyrequests",
    r"(sandbox|container|pod|node|worker|actor)s? .{0,30}(failed to start|not start|unavailable|died|lost|evicted)",
    r"(429|5\d\d)[^a-z0-9]{0,4}overloaded|overloaded_error|\b(server|service|model|engine) .{0,20}overloaded",
    r"actordiederror|preempted|slurmstepd|node failure",
)
_GAVE_WAY = re.compile("|".join(GAVE_WAY))
_OWN = re.compile(r"\b(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)\b|\[?::1\b|heap out of memory|cuda out of memory")
"""Servers and limits of the rollout's own programs."""


_SHORT = 2_000
"""Characters of an output that is read line by line where no line of it names an error."""


def environment_line(text: str, line: str | None) -> str | None:
    """The line of a failed tool's output that names what the rollout's own calls do not bring about; null for none.

    Args:
        text: the output.
        line: the line of it that says most.
    """
    if line is not None and _gave_way(line):
        return line
    lines = text.splitlines() if len(text) <= _SHORT else ()
    return next((each.strip() for each in reversed(lines) if len(each) <= LONGEST_LINE and _gave_way(each)), None)


def _gave_way(line: str) -> bool:
    lower = line.lower()
    return _GAVE_WAY.search(lower) is not None and _OWN.search(lower) is None
