"""What looks private in a text: the one table of rules that every mask, scrubber and gate reads.

The kinds of a rule are what a reader is told (``[redacted: host]``). A rule takes time linear in the text.
"""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import groupby

from blade_pipeline.gym.escapes import ESCAPED, unescaped
from blade_pipeline.gym.rule import REST, Kind, Rule
from blade_pipeline.gym.secrets import ALONE, SECRETS

_INSIDE = "internal|intranet|intra|corp|local|localdomain|lan|home\\.arpa|ts\\.net"
_IN_CODE = (
    r"(?!(?:self|cls)\.|(?:threading|config|cfg|settings|options|args)\.(?:local|internal)(?![\w/-]|[.:]\w)"
    r"|(?:(?<=import[ ])|(?<=from[ ])(?=[\w.]+[ ]import[ ]))[A-Za-z_.]+\.(?:local|internal)(?![\w.:/-]))"
)
INTERNAL = rf"{_IN_CODE}[\w-]+(?:\.[\w-]+)*\.(?:{_INSIDE}|{_INSIDE.upper()})(?!\.?[\w-]|\()"

_BYTE = r"(?:25[0-5]|2[0-4]\d|[01]?\d?\d)"
_NO_ADDRESS = (
    r"(?!(?:127\.0\.0\.1|0\.0\.0\.0)(?![\w:/]|\.\w))"
    r"(?:(?<!==)(?<!ersion[ ])|(?=(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.))"
)

_TWO_COLONS = r":[0-9A-Fa-f]{0,4}:"

_PATH_BEGINS = r"(?:(?<![\w./~-])|(?<=[ ]-[A-Za-z])|(?<=--))"
"""Not within another path, but behind an option such as ``-I``."""

RULES = (
    *SECRETS,
    Rule("url", "address", rf"(?<![\w.+-])[\w.+-]*://{REST}*", r"://"),
    Rule(
        "url",
        "chat or tracking link",
        rf"(?<![\w.-])(?:[\w-]{{1,40}}\.(?:slack\.com|atlassian\.net|zoom\.us|webhook\.office\.com)|wandb\.ai|app\.neptune\.ai|discord\.gg|hooks\.zapier\.com|teams\.microsoft\.com"
        r"|discord(?:app)?\.com/api/webhooks|docs\.google\.com/[a-z]{1,20}/d)/"
        rf"{REST}+",
        r"/",
        (
            *("slack.com", "atlassian.net", "zoom.us", "webhook.office.com", "wandb.ai", "app.neptune.ai"),
            *("discord", "hooks.zapier.com", "teams.microsoft.com", "docs.google.com"),
        ),
    ),
    Rule(
        "email",
        "mailbox or login",
        r"(?<![\w.+:%-])[\w.+:%-]+(?:@|%40)(?:[A-Za-z0-9][\w-]*(?:\.[\w-]+)*\.[A-Za-z]{2,}|(?!sha256:)[A-Za-z][\w-]*:\d+)"
        r"(?::(?:\d+|[\w.-]+/[\w./-]+))?",
        r"@|%40",
    ),
    Rule(
        "email",
        "login at a host",
        r"(?<![\w.+-])[A-Za-z][\w.-]*@[A-Za-z][\w.-]*:[~/][^\s\"'`]*"
        r"|(?<=ssh[ ])[A-Za-z][\w.-]*@[A-Za-z][\w.-]*|\[[a-z][\w.-]*@[A-Za-z][\w.-]*[ ][^\]\s]{1,60}\][$#]",
        r"@",
    ),
    Rule(
        "host",
        "IPv4",
        rf"(?:(?<![A-Za-z0-9.]){_NO_ADDRESS}{_BYTE}(?:\.{_BYTE}){{3}}|(?<![\w-])ip(?:-\d{{1,3}}){{4}})(?!\.?\w)(?::\d+)?(?:/{REST}*)?",
        r"\d\.\d|ip-",
    ),
    Rule(
        "host", "IPv6 in brackets", r"(?<![\w\])])\[[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}\](?::\d+)?", _TWO_COLONS
    ),
    Rule(
        "host",
        "IPv6",
        r"(?<![\w:.])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|f[cde][0-9A-Fa-f]{2}(?=[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:)(?::{1,2}[0-9A-Fa-f]{1,4}){1,7}(?:::)?"
        r"|[23][0-9A-Fa-f]{3}:(?:[0-9A-Fa-f]{1,4}:){0,5}(?:(?::[0-9A-Fa-f]{1,4}){1,6}|:))"
        r"(?![\w:])",
        _TWO_COLONS,
    ),
    Rule(
        "host",
        "network card",
        r"(?<![\w:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?![\w:-])",
        r"[:-][0-9A-Fa-f]{2}[:-]",
    ),
    Rule("host", "internal name", rf"(?<![\w.-]){INTERNAL}(?::\d+)?", rf"\.(?:{_INSIDE}|{_INSIDE.upper()})"),
    Rule("host", "local port", r"(?<![\w.-])localhost:\d{2,5}", r":\d"),
    Rule("host", "network share", rf"(?<![\w\\])\\\\[A-Za-z][\w.-]+\\{REST}+", r"\\\\"),
    Rule(
        "host",
        "registry",
        r"(?<![\w./-])(?:gitlab|registry|harbor|artifactory|docker|cr)[\w-]*(?:\.[\w-]+)+(?::\d+)?/[\w.-]+/[\w./-]+"
        r"(?::[\w.-]+)?|(?<![\w./-])(?:[\w-]+\.)+(?:azurecr\.io|amazonaws\.com|pkg\.dev)/[\w./:-]+",
        r"\.[\w-]+(?::\d+)?/",
    ),
    Rule(
        "path",
        "home",
        rf"{_PATH_BEGINS}(?:(?:/export|/usr)?/(?:home|Users|Volumes|lustre|p?scratch|gpfs|cephfs|global/cfs)/|[A-Za-z]:\\+Users\\){REST}+",
        r"[/\\]",
        ("home", "users", "volumes", "lustre", "scratch", "gpfs", "cephfs", "global/cfs"),
    ),
    Rule(
        "path",
        "mount",
        rf"{_PATH_BEGINS}(?:/(?:root|mnt|nfs|fsx|efs|ceph|beegfs|weka|raid|workspaces?|projects?|ssd|nvme\w*)/"
        rf"|/(?:var/home|net/home|data/users|private/var)/|~[A-Za-z][\w-]*/|~/){REST}+",
        r"/",
        (
            *("/root/", "/mnt/", "/nfs/", "/fsx/", "/efs/", "/ceph/", "/beegfs/", "/weka/", "/raid/", "/workspace"),
            *("/project", "/ssd/", "/nvme", "/var/home/", "/net/home/", "/data/users/", "/private/var/", "~"),
        ),
    ),
    Rule(
        "user",
        "account",
        r"(?i:(?<![\w-])(?:--(?:account|partition|nodelist|reservation)|slurm_\w+|user(?:name)?|logname|login|hostname|account_?name)"
        r"[\\\"']*\s*=\s*[\\\"']*(?![$<{(\\]|\w+[(.\[]|(?:true|false|none|null)\b))[\w.-]{2,}",
        r"=",
        ("account", "partition", "nodelist", "reservation", "slurm_", "user", "logname", "login", "hostname"),
    ),
    Rule(
        "user",
        "nodes",
        r"(?i:(?<![\w-])(?:slurm_\w+|(?:--)?nodelist)[\\\"']*\s*[=: ]\s*[\\\"']*[A-Za-z][\w-]*\[\d[\d,-]*\]?)",
        r"\[\d",
        ("slurm_", "nodelist"),
    ),
    Rule(
        "phone",
        "phone",
        r"(?<![\w+.-])\+(?!\d+\.\d+(?![\d.]))(?=(?:[ ().-]{0,2}\d){9,15}(?!\d))"
        r"[1-9]\d{0,2}(?:[ .-]?\(?\d{1,4}\)?){2,6}(?!\w)",
        r"\+\d",
    ),
    Rule(
        "phone",
        "phone with area",
        r"(?<![\w(.-])(?:1[-. ])?(?:\(\d{3}\)[ ]?|[2-9]\d{2}(?=[-. ]))[-. ]?[2-9]\d{2}[-. ]\d{4}(?![\w.-])",
        r"\d[-. ]\d",
    ),
    Rule("number", "social security", r"(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])", r"\d-\d"),
    Rule(
        "number",
        "bank account",
        r"(?<![\w.-])[A-Z]{2}\d{2}(?:(?:[ ]\d{4}){3,7}(?:[ ]\d{1,4})?|[A-Z]{4}\d{14}|\d{16,20})(?![\w-])",
        r"[A-Z]\d",
    ),
    Rule(
        "number",
        "payment card",
        r"(?<![\w.-])(?:[3-6]\d{3}(?:(?:[ ]\d{4}){3}|(?:-\d{4}){3})|3[47]\d{2}[ -]\d{6}[ -]\d{5})(?![\w-])",
        r"\d[- ]\d",
    ),
)


def _joined(patterns: Sequence[str]) -> re.Pattern[str]:
    """One pattern for several; where all begin alike, that beginning is looked for once."""
    if all(pattern.startswith(ALONE) for pattern in patterns):
        return re.compile(f"{ALONE}(?:{'|'.join(pattern.removeprefix(ALONE) for pattern in patterns)})")
    return re.compile("|".join(patterns))


PATTERNS: tuple[tuple[Kind, tuple[str, ...], re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (kind, words, re.compile(needs), _joined([rule.pattern for rule in alike]))
    for (kind, words, needs), alike in groupby(RULES, key=lambda rule: (rule.kind, rule.words, rule.needs))
)
"""Kind, the words and the sign without which nothing is found, and what is found, in the order of the rules."""
SIGN = re.compile("|".join(dict.fromkeys(rule.needs for rule in RULES)))
"""In every text that any rule finds something in."""
KINDS = frozenset(rule.kind for rule in RULES)


_ESCAPE = re.compile(
    r"(?:(?:\x1b|\[U\+001B\])\[|\x9b|\[U\+009B\]|\\+u009b)[0-9;?]{0,20}[A-Za-z]|\[[0-9;]{1,20}[mK]"
    r"|\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[abefnrtv])|%[0-9A-Fa-f]{2}|[^\x00-\x7f]+"
)
"""Colours of a terminal, escapes of JSON and of addresses, letters beyond ASCII."""
_ESCAPE_SIGNS = "\x1b[\\%"
"""One of these is in every text of ASCII that holds an escape."""


def _alike(text: str) -> str:
    """The text with one letter for all that a pattern takes for the same when it ignores the case.

    These are small letters, the long s and the Kelvin sign as in casefolding, and the Turkish i with and without a dot.
    """
    folded = text.casefold()
    return folded if folded.isascii() else folded.replace("i\u0307", "i").replace("\u0131", "i")


def rules_for(text: str) -> Iterator[tuple[Kind, re.Pattern[str]]]:
    """The kinds, in order, whose rules may find something in a text."""
    lower = _alike(text)
    for kind, words, needs, pattern in PATTERNS:
        if (not words or any(word in lower for word in words)) and needs.search(text):
            yield kind, pattern


def bared(text: str) -> str:
    """The text with blanks in the place of escapes, whose last letter would pass for the beginning of a word.

    It has the length of the text, so that a place in it is a place in the text.
    """
    if text.isascii() and not any(sign in text for sign in _ESCAPE_SIGNS):
        return text
    return _ESCAPE.sub(lambda escape: " " * len(escape[0]), text)


def found(text: str) -> Iterator[tuple[Kind, tuple[int, int]]]:
    """Every place of a text that a rule finds, also behind or written in escapes; places may overlap or come twice."""
    for kind, match in _matches(text):
        yield kind, match.span()
    yield from _in_escapes(text)


def _matches(text: str) -> Iterator[tuple[Kind, re.Match[str]]]:
    """What a rule finds in a text as it stands, or with blanks in the place of its escapes."""
    for seen in dict.fromkeys((text, bared(text))):
        for kind, pattern in rules_for(seen):
            for match in pattern.finditer(seen):
                yield kind, match


def _in_escapes(text: str) -> Iterator[tuple[Kind, tuple[int, int]]]:
    """The places that a rule finds once their escapes are decoded."""
    if ESCAPED.search(text) is None:
        return
    plain, places = unescaped(text)
    for kind, match in _matches(plain):
        start, end = places[match.start()], places[match.end()]
        if end - start > len(match[0]):
            yield kind, (start, end)


def replaced(text: str, mark: str, kinds: Container[str]) -> str:
    """The text with a mark in the place of everything that a rule of these kinds finds, also behind or in escapes."""
    text = _with_marks(text, _apart([place for kind, place in _in_escapes(text) if kind in kinds]), mark)
    for kind, rule in rules_for(text):
        text = rule.sub(mark, text) if kind in kinds else text
    bare = bared(text)
    for kind, rule in rules_for(bare) if bare != text else ():
        if kind in kinds and (places := [match.span() for match in rule.finditer(bare)]):
            text, bare = _with_marks(text, places, mark), _with_marks(bare, places, mark)
    return text


def _apart(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places in order, those that overlap as one."""
    taken: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if taken and start < taken[-1][1]:
            start, end = taken[-1][0], max(taken.pop()[1], end)
        taken.append((start, end))
    return taken


def _with_marks(text: str, places: Sequence[tuple[int, int]], mark: str) -> str:
    starts, ends = [0, *(end for _, end in places)], [*(start for start, _ in places), len(text)]
    return mark.join(text[start:end] for start, end in zip(starts, ends, strict=True))
