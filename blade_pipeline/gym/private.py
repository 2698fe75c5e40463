"""What looks private in a text: the one table of rules that every mask, scrubber and gate reads.

The kinds of a rule are what a reader is told (``[redacted: host]``). A rule takes time linear in the text.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

Kind = Literal["secret", "url", "email", "host", "path", "user", "phone", "number"]

REST = r"[^\s\"'`]"
INTERNAL = r"[\w-]+(?:\.[\w-]+)*\.(?:internal|intranet|corp|local|localdomain|lan)(?!\.?[\w-])"
_ALONE = r"(?<![A-Za-z0-9])"
_TOKEN_SIGN = r"[-_.]\w|AKIA|ASIA|AIza|dapi|AC|SK|\d:|[Bb]asic|Bearer|BEARER|bearer"
_NO_VALUE = (
    r"(?!\$|[<{(*%]|(?:none|null|true|false|str|int|bytes|optional|string|required|x{3,}|\.{3,})\b"
    r"|(?:self|os|env|config|settings|args|kwargs|cfg)[.\[]|[\w.]{1,60}[(\[])"
)
_NAMED = (
    r"(?<!\$\{)(?:passw(?:or)?d|passphrase|pwd|secret|credentials?|(?:api|access|private|secret|account|signing)[_-]?key"
    r"|authorization|(?:auth|access|api|hf|refresh|session|bearer)[_-]?token|(?<![A-Za-z])token(?==))"
)


class Rule(NamedTuple):
    """One pattern, the kind of what it finds, and a sign that is in every text that it finds something in."""

    kind: Kind
    name: str
    pattern: str
    needs: str


RULES = (
    Rule("secret", "private key", r"-----BEGIN[ ](?s:.*)", r"-----"),
    Rule("secret", "age key", rf"{_ALONE}AGE-SECRET-KEY-1[A-Z0-9]{{20,}}", _TOKEN_SIGN),
    Rule(
        "secret",
        "dashed key",
        rf"{_ALONE}(?:sk|pk|rk|hf)[-_](?:(?=[\w-]{{0,80}}[A-Z0-9])[\w-]{{16,}}|[A-Za-z0-9]{{16,}})",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret",
        "forge token",
        rf"{_ALONE}(?:gh[opsur]|github_pat|glpat|dckr_pat|npm|pypi)[-_][\w.-]{{12,}}",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret",
        "service token",
        rf"{_ALONE}(?:nvapi|xox[a-z]|xai|gsk|r8|ya29|hvs|SG|shpat|pplx|PMAK|NRAK|glsa|glc|figd|ntn|lin_api|sntrys"
        r"|dop_v1|dp\.pt|sq0[a-z]{3})[-_.][\w.-]{12,}",
        _TOKEN_SIGN,
    ),
    Rule("secret", "cloud key", rf"{_ALONE}(?:(?:AKIA|ASIA)[A-Z0-9]{{12,}}|AIza[\w-]{{20,}})", _TOKEN_SIGN),
    Rule("secret", "hexadecimal token", rf"{_ALONE}(?:dapi|AC|SK|key-)[0-9a-f]{{32}}(?![0-9A-Za-z])", _TOKEN_SIGN),
    Rule("secret", "bot token", rf"{_ALONE}\d{{8,10}}:[A-Za-z0-9_-]{{35}}(?![\w-])", _TOKEN_SIGN),
    Rule("secret", "web token", rf"{_ALONE}eyJ[\w-]{{8,}}\.[\w.-]{{8,}}", _TOKEN_SIGN),
    Rule(
        "secret",
        "bearer",
        rf"{_ALONE}(?:(?:Bearer|BEARER)\s+(?![$<{{(]){REST}+|bearer\s+(?=\S*\d)[\w.~+/-]{{12,}})",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret", "basic login", rf"{_ALONE}(?i:basic\s+)(?=[A-Za-z]*[0-9A-Z])[A-Za-z0-9+/]{{12,}}={{1,2}}", _TOKEN_SIGN
    ),
    Rule(
        "secret",
        "named value",
        rf"(?i:{_NAMED}[\\\"']*\s*[:=]\s*(?:[\\\"']*(?:basic|bearer)\s+)?[\\\"']*{_NO_VALUE}[^\s\"'`,;&)\]}}]+)",
        r"[:=]",
    ),
    Rule("secret", "cookie", r"(?i:(?:set-)?cookie\s*:\s*[\w.-]+=)[^\n\"'`]+", r"="),
    Rule("secret", "signature", r"(?i:[?&](?:sig|signature|x-amz-signature|x-goog-signature)=)[\w%+/=-]{8,}", r"="),
    Rule("url", "address", rf"(?<![\w.+-])[\w.+-]*://{REST}*", r"/"),
    Rule(
        "url",
        "chat or tracking link",
        rf"(?<![\w.-])(?:[\w-]{{1,40}}\.(?:slack\.com|atlassian\.net)|wandb\.ai|discord\.gg)/{REST}+",
        r"/",
    ),
    Rule(
        "email",
        "mailbox or login",
        r"(?<![\w.+:%-])[\w.+:%-]+@(?:[A-Za-z0-9][\w-]*(?:\.[\w-]+)*\.[A-Za-z]{2,}|(?!sha256:)[A-Za-z][\w-]*:\d+)"
        r"(?::(?:\d+|[\w.-]+/[\w./-]+))?",
        r"@",
    ),
    Rule("host", "IPv4", rf"(?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?!\.?\w)(?::\d+)?(?:/{REST}*)?", r"\d\.\d"),
    Rule("host", "IPv6 in brackets", r"\[[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}\](?::\d+)?", r":"),
    Rule(
        "host",
        "IPv6",
        r"(?<![\w:.])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|f[cde][0-9A-Fa-f]{2}:(?::?[0-9A-Fa-f]{1,4}){1,7})"
        r"(?![\w:])",
        r":",
    ),
    Rule("host", "network card", r"(?<![\w:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?![\w:-])", r"\w[:-]\w"),
    Rule("host", "internal name", rf"(?<![\w.-]){INTERNAL}(?::\d+)?", r"\.[a-z]"),
    Rule("host", "local port", r"(?<![\w.-])localhost:\d{2,5}", r":\d"),
    Rule("host", "network share", rf"(?<![\w\\])\\\\[A-Za-z][\w.-]+\\{REST}+", r"\\\\"),
    Rule(
        "host",
        "registry",
        r"(?<![\w./-])(?:gitlab|registry|harbor|artifactory|docker|cr)[\w-]*(?:\.[\w-]+)+(?::\d+)?/[\w.-]+/[\w./-]+"
        r"(?::[\w.-]+)?|(?<![\w./-])(?:[\w-]+\.)+(?:azurecr\.io|amazonaws\.com|pkg\.dev)/[\w./:-]+",
        r"/",
    ),
    Rule(
        "path", "home", rf"(?<![\w./~-])(?:/(?:home|Users|lustre|scratch|gpfs)/|[A-Za-z]:\\+Users\\){REST}+", r"[/\\]"
    ),
    Rule(
        "path",
        "mount",
        rf"(?<![\w./~-])(?:/(?:root|mnt|nfs|fsx|efs|ceph|beegfs|weka|raid|workspaces?|projects?|ssd|nvme\w*)/"
        rf"|/(?:var/home|net/home|data/users|private/var)/|~[A-Za-z][\w-]*/|~/){REST}+",
        r"/",
    ),
    Rule(
        "user",
        "account",
        r"(?i:(?<![\w-])(?:--(?:account|partition|nodelist|reservation)|slurm_\w+|user(?:name)?|login|hostname)"
        r"[\\\"']*\s*=\s*[\\\"']*(?![$<{(\\]|\w+[(.\[]))[\w.-]{2,}",
        r"=",
    ),
    Rule("phone", "phone", r"(?<![\w+.-])\+\d{1,3}(?:[ .-]?\(?\d{2,4}\)?){2,4}(?!\w)", r"\+\d"),
    Rule(
        "phone",
        "phone with area",
        r"(?<![\w(.-])(?:\(\d{3}\)[ ]?|[2-9]\d{2}(?=[-. ]))[-. ]?[2-9]\d{2}[-. ]\d{4}(?![\w.-])",
        r"\d[-. ]\d",
    ),
    Rule("number", "social security", r"(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])", r"\d-\d"),
    Rule("number", "payment card", r"(?<![\w.-])[3-6]\d{3}(?:(?:[ ]\d{4}){3}|(?:-\d{4}){3})(?![\w-])", r"\d[- ]\d"),
    Rule("number", "bank account", r"(?<![\w.-])[A-Z]{2}\d{2}(?:[ ]\d{4}){3,7}(?:[ ]\d{1,4})?(?![\w-])", r"\d \d"),
)
"""Secrets first, so that a key inside an address is told as a secret."""


def _joined(patterns: Sequence[str]) -> re.Pattern[str]:
    """One pattern for several; where all begin alike, that beginning is looked for once."""
    if all(pattern.startswith(_ALONE) for pattern in patterns):
        return re.compile(f"{_ALONE}(?:{'|'.join(pattern.removeprefix(_ALONE) for pattern in patterns)})")
    return re.compile("|".join(patterns))


PATTERNS: tuple[tuple[Kind, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (kind, re.compile(needs), _joined([rule.pattern for rule in alike]))
    for (kind, needs), alike in groupby(RULES, key=lambda rule: (rule.kind, rule.needs))
)
"""Kind, the sign without which nothing is found, and what is found, in the order of the rules."""


def rules_for(text: str) -> Iterator[tuple[Kind, re.Pattern[str]]]:
    """The kinds, in order, whose rules may find something in a text."""
    for kind, needs, pattern in PATTERNS:
        if needs.search(text):
            yield kind, pattern


def found(text: str) -> Iterator[tuple[Kind, re.Match[str]]]:
    """Every place of a text that a rule finds, kind by kind; places of different kinds may overlap."""
    for kind, pattern in rules_for(text):
        for match in pattern.finditer(text):
            yield kind, match
