"""Short texts of verifiers turned into labels that group equal failures and give nothing private away."""

import re
from collections.abc import Iterable, Sequence
from itertools import count, takewhile

from blade_pipeline.gym.private import replaced

LONGEST_TEXT = 200
LONGEST_NAME = 60
"""Characters of a cluster's code behind its field; a longer one ends at a word."""

_SOURCE = "py|lean|v|sv|vhdl?|[ch]|cc|cpp|hpp|cu|rs|go|jsx?|tsx?|java|kt|scala|hs|ml|thy|sql|sh|rb|php|swift|tex|ya?ml"
_PLACEHOLDERS = (
    (
        re.compile(r"(?i)\b[\w-]*(?:password|passwd|secret|token|api[_-]?key|credential)s?[\"']?\s*[:=]\s*\S+"),
        "[secret]",
    ),
    (re.compile(r"(?i)\b(?:user|username|login|account|host|hostname|node|partition)\s*[:=]\s*\S+"), "[name]"),
    (re.compile(r"\b[a-zA-Z][\w+.-]*://\S+"), "[url]"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*(?::\S+)?"), "[address]"),
    (re.compile(r"(?:'[^']{1,60}'|\b\w+)!\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?\b"), "[cell]"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"), "[time]"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "[date]"),
    (re.compile(rf"(?:[\w.@+~-]*[\\/])*[\w.@+-]+\.(?:{_SOURCE}):\d+(?::\d+)?\b"), "[place]"),
    (re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'|`[^`]*`|“[^”]*”"), "[text]"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\\/]|~/|\.{1,2}/)[\w.@%+=~-]+(?:[\\/][\w.@%+=~-]*)*"), "[path]"),
    (re.compile(r"\b[\w.-]+(?:(?:/[\w.@%+=~-]+){2,}|/[\w-]+\.\w+)"), "[path]"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "[host]"),
    (re.compile(r"\b(?:[0-9a-fA-F]{1,4}:){3,}[0-9a-fA-F:]+"), "[host]"),
    (
        re.compile(
            r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|ai|dev|local|internal|lan|corp|cloud|edu|gov)\b(?::\d+)?"
        ),
        "[host]",
    ),
    (re.compile(r"\b[\w-]+:\d{2,5}\b"), "[host]"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f-]*\d)[0-9a-f]{8}(?:-?[0-9a-f]{2,})*\b"), "[hex]"),
    (re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{6,}\b|\b[A-Za-z0-9+/]{40,}={0,2}"), "[id]"),
)
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
_NAMED_NUMBER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]+\b")
_UNSAFE = re.compile(r"[^\w\s.,:;()\[\]=+*<>!?%'/-]+")
_COUNTED = frozenset(
    "n s in of out and ms seconds fail failed failures pass passed tests test cases case errors error skipped warnings "
    "total ran run ok xfailed xpassed deselected".split()
)
"""A text of such words counts what failed, and does not say why."""

_NO_MORE = frozenset(
    "the a an your its this that final model models predicted given answer answers response responses output outputs "
    "result results prediction value values solution is are was were be do does did doesn didn isn t not to with as "
    "and expected reference gold golden ground truth target correct incorrect incorrectly wrong right equal equals "
    "equivalent same different differs differ match matches matched matching agree agrees verdict score zero "
    "accepted rejected option options choice choices letter n assert asserts assertion assertionerror".split()
)
"""A text of such words says that the answer is wrong, and no more."""

_SOME_ERROR = frozenset(
    "other others unknown unspecified unclassified uncategorized generic general misc error errors exception "
    "runtimeerror baseexception unexpected an some occurred".split()
)
"""A text of such words says that there was an error, and no more."""

MESSAGE_FIELDS = (
    r"(^|_)(error|errors|exception|reason|message|verdict|status|outcome|kind|error_type|error_mode"
    r"|comment|feedback|explanation|rationale|diagnosis|details?|cause|logs?|notes?|warnings?|stderr|traceback|remarks?"
    r"|violations?|termination)(_|$)"
)
"""Names of the fields that promise a message."""

MESSAGE_HOLDERS = r"(^|_)(errors?|exception|failure|reason|cause)$"
"""Names of objects all of whose texts are one."""
_PRIORITY = ("error", "exception", "kind", "reason", "message", "verdict", "outcome", "status")
_PLAIN_NO = frozenset(
    "incorrect wrong fail failed failure false no none not_correct unresolved rejected loss lose 0 unsolved unequal "
    "not_equal not_equivalent inequivalent different mismatch no_match unsuccessful not_solved not_passed not_accepted "
    "wrong_answer incorrect_answer answer_incorrect answer_wrong negative reject tests_failed test_failed".split()
)


def redact(text: str) -> str:
    """The text with paths, hosts, addresses, ids, quotations and secrets replaced by placeholders, on one line."""
    text = replaced(text, "[secret]", {"secret"})
    for pattern, placeholder in _PLACEHOLDERS:
        text = pattern.sub(placeholder, text)
    return " ".join(_UNSAFE.sub(" ", text).split())


def template(text: str) -> str | None:
    """The redacted text with its numbers replaced too.

    Null for an empty text, one that is longer than 200 characters and so no short message, and one that says no more
    than that the answer is wrong.
    """
    first = text.strip()
    if not first or len(first) > LONGEST_TEXT or first.lower().replace(" ", "_") in _PLAIN_NO:
        return None
    first = _NUMBER.sub("N", _NAMED_NUMBER.sub("[id]", redact(first)))
    words = re.findall(r"[^\W\d_]+", re.sub(r"\[\w+\]", "", first))
    said = {word.lower() for word in words}
    if not any(len(word) > 2 for word in words) or said <= _COUNTED or said <= _NO_MORE:
        return None
    return first


def says_little(code: str) -> bool:
    """Whether a message, as the words of its code, only says that there was some error."""
    return set(code.split("_")) <= _SOME_ERROR


def priority(field: str) -> int | None:
    """How early a field is asked for its message, 0 first; null when its name promises no message."""
    if not re.search(MESSAGE_FIELDS, field):
        return None
    parts = set(field.split("_"))
    found = [rank for rank, word in enumerate(_PRIORITY) if word in parts or word + "s" in parts]
    return min(found, default=len(_PRIORITY))


def code_of(field: str, label: str) -> str:
    """A short code for a cluster: ``verdict:not_attempted``."""
    return f"{_plain(field)[:40]}:{_shortened(_plain(label), LONGEST_NAME)}"


def codes_of(keys: Sequence[tuple[str, str]]) -> list[str]:
    """The code of each field and label; those that begin alike keep the words from where they part."""
    found: list[str] = []
    for field, label in keys:
        code, words = code_of(field, label), _plain(label)
        others = {_plain(other) for own, other in keys if code_of(own, other) == code} - {words}
        if others:
            code = f"{_plain(field)[:40]}:{_parting(words, others)}"
        numbered = (f"{code}_{number}" for number in count(2))
        found.append(code if code not in found else next(other for other in numbered if other not in found))
    return found


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _parting(label: str, others: Iterable[str]) -> str:
    """The first words and, behind two underscores, those from the one at which the nearest other label parts."""
    words = label.split("_")
    same = max(len(shared_start([words, other.split("_")])) for other in others)
    half = LONGEST_NAME // 2
    parts = (_shortened("_".join(part), half) for part in (words[:same], words[same:]))
    return "__".join(part for part in parts if part)


def shared_start(texts: Sequence[Sequence[str]]) -> list[str]:
    """The words with which all texts begin."""
    return [words[0] for words in takewhile(lambda words: len(set(words)) == 1, zip(*texts, strict=False))]


def _shortened(words: str, longest: int) -> str:
    """As many whole words as fit, at least the first as far as it goes."""
    if len(words) <= longest:
        return words
    return words[: words.rfind("_", 1, longest + 1)] if "_" in words[1 : longest + 1] else words[:longest]
