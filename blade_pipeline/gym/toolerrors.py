"""Tells from a tool's output whether the call failed."""

import re

from blade_pipeline.gym.errors_in_languages import ERROR_NAMES, TIME_OUTS

FAILED_STATUS = ("failed", "error", "incomplete", "cancelled")
"""Item statuses of a step that did not complete."""

_START = 60
_EDGE = 200

_OPENING = re.compile(
    rf"""(?:
        (?:fatal\s|critical\s|runtime\s)?(?:error|exception|traceback|failed|failure|timed?\s?out|timeout)\b
      | [\w.]*(?:error|exception)\b\s*[:(]
      | [^\s:]{{1,40}}:\d+(?::\d+)?:\s(?:fatal\s)?error\b
      | \{{\s*"(?:error|errors|detail|exception)"\s*:(?!\s*(?:null|""|\[\]|\{{\}}|false))
      | (?:{TIME_OUTS})
      | (?:{ERROR_NAMES})(?!\w)\s*[:：(]
      | \{{\s*"(?:{ERROR_NAMES})"\s*:(?!\s*(?:null|""|\[\]|\{{\}}|false))
      | \{{\s*"(?:success|ok)"\s*:\s*false
      | \{{\s*"(?:status|type|result)"\s*:\s*"(?:error|failed|failure|invalid|rejected|refused|denied)"
      | \{{\s*"(?:code|status|status_code)"\s*:\s*[45]\d\d\b
      | (?:http\W{{0,2}})?(?:status\s)?[45]\d\d\W{{1,3}}
        (?:bad|unauthori|forbidden|access|permission|not|method|conflict|unproc|too|internal|service)
      | (?:invalid|unknown|unsupported|missing|bad|illegal|malformed|unexpected|unrecogni[sz]ed)\s(?:\w+\s){{0,2}}
        (?:arguments?|param(?:eter)?s?|request|value|input|type|field|option|key|format|command|tool|function|json|call)\b
      | (?:permission|access|request|operation|call|arguments?)\s(?:was\s|is\s|has\sbeen\s)?
        (?:denied|refused|rejected|not\s(?:allowed|permitted|supported))
    )""",
    re.VERBOSE,
)
_EXIT_CODE = re.compile(r"(?i)\b(?:exit[ _]?(?:code|status)|return[ _]?code)\b[\"'>]?\s*[:=]?\s*(-?[1-9]\d*)")
_FRAME = re.compile(r"</?\w+>?|\"\w+\"\s*:|\b(?:stdout|stderr|output|status|command|code)\b")
_FEW = 3
_IS_ERROR = re.compile(r"(?i)[\"']is_?error[\"']\s*:\s*true")


def looks_like_error(text: str) -> bool:
    """Whether a tool's output reads like an error.

    It does when it starts with an error word, an error class, a compiler's place and error (``main.c:4:1: error``), a
    refused argument or a JSON error object, in English or by the words of ``errors_in_languages``, or when its first or
    last 200 characters hold a Python traceback, "command not found", a non-zero exit code or ``is_error: true``. An
    exit code of 1 without a word beside it is no error: so a search says that it found nothing.
    """
    if _opens_with_error(text[:_START].lstrip().lower()):
        return True
    return _tells(text if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}")


def _opens_with_error(start: str) -> bool:
    """Whether the first words are those of an error."""
    return _OPENING.match(start) is not None


def _tells(text: str) -> bool:
    """Plain searches come first: a pattern runs only where its word occurs."""
    if "Traceback (most recent call last)" in text or "command not found" in text:
        return True
    if ("xit" in text or "eturn" in text) and (code := _EXIT_CODE.search(text)) is not None:
        return code[1] != "1" or _says_something(text, code)
    return "rror" in text and _IS_ERROR.search(text) is not None


def _says_something(text: str, code: re.Match[str]) -> bool:
    """Whether words stand beside an exit code, tags and names of fields apart."""
    rest = _FRAME.sub(" ", text[: code.start()] + text[code.end() :])
    return sum(map(str.isalpha, rest)) > _FEW
