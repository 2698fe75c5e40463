"""What a secret looks like: keys and tokens by the form their makers give them, and values by the name before them."""

from blade_pipeline.gym.rule import REST, Rule

ALONE = r"(?<![A-Za-z0-9])"
_TOKEN_SIGN = r"[-_.]\w|[A-Z]{2}|AIza|dapi|\d:|1//|[Bb][Aa][Ss\u017f][Ii\u0130\u0131][Cc]|Bearer|BEARER|bearer|ssh-"
_RANDOM = r"(?=[\w.-]{0,80}[A-Z0-9])[\w.-]{12,}"
_NO_VALUE = (
    r"(?!\$|[<{(*%]|\?(?!\w)|your[_-]|(?:none|null|true|false|str|int|bytes|optional|string|required|x{3,}|\.{3,})\b"
    r"|(?:self|os|env|config|settings|args|kwargs|cfg)[.\[]|[\w.]{1,60}[(\[])"
)
_NAMED = (
    r"(?<!\$\{)(?:passw(?:or)?d|passphrase|pwd|secret|credentials?|(?:api|access|private|secret|account|signing)[_-]?key"
    r"|authorization|(?:auth|access|api|hf|refresh|session|bearer)[_-]?token|(?<![A-Za-z])token(?==))"
)
_PHRASE = r"(?=[^\s\"']{1,80}[ ])(?=[^\"'\n\d]{0,80}\d)[^\"'\n]{12,200}"
"""Several words, with a figure among them."""
_BESIDE = r"(?:password|passwd|secret|secret[_-]?key|token|(?:api|access)[_-]?key)"

SECRETS = (
    Rule(
        "secret",
        "private key",
        r"----[ -]{1,2}BEGIN[ ](?:[A-Z0-9]+[ ]){0,4}(?:PRIVATE[ ]KEY|CERTIFICATE)(?s:.*)",
        r"----",
    ),
    Rule("secret", "age key", rf"{ALONE}AGE-SECRET-KEY-1[A-Z0-9]{{20,}}", _TOKEN_SIGN),
    Rule(
        "secret",
        "dashed key",
        rf"{ALONE}(?:sk|pk|rk|hf)[-_](?:(?=[\w-]{{0,80}}[A-Z0-9])[\w-]{{16,}}|[A-Za-z0-9]{{16,}})",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret",
        "forge token",
        rf"{ALONE}(?:(?:gh[opsur]|github_pat|npm|dckr_[op]at|rubygems|CCIPAT|bkua|sqp|sbp|sb_secret|vcp|wandb_v1)_"
        rf"|(?:gl(?:pat|rt|ptt|dt|cbt|ft|soat|imt|agent|oas|ffct)-|pypi-Ag)){_RANDOM}",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret",
        "service token",
        rf"{ALONE}(?:(?:nvapi|xox[a-z]|xapp|ya29|GOCSPX|hv[bsr]|SG|shpat|pplx|PMAK|NRAK|HRKU|glsa|figd|lin_api|api_org"
        r"|sntrys|dop_v1|dp\.pt|sq0[a-z]{3}|tvly|lsv2_[a-z]{2}|pcsk|jina|whsec|tskey|pscale_[a-z]+|esecret)[-_.]"
        rf"{_RANDOM}|(?:xai|gsk|csk|r8|glc|ntn|e2b|dtn|fc|fw|nfp|rnd|pul|pnu|fm2)[-_](?=[a-z]{{0,80}}[A-Z0-9])"
        r"[A-Za-z0-9]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{30,}|1//0[\w-]{30,}|secret_[A-Za-z0-9]{40,})",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret",
        "cloud key",
        rf"{ALONE}(?:(?:AKIA|ASIA|ABIA)[A-Z0-9]{{12,}}|AIza[\w-]{{20,}}|ABSK[A-Za-z0-9+/]{{40,}}=*|LTAI[A-Za-z0-9]{{16,}}"
        r"|AKCp[A-Za-z0-9]{40,}|ATBB[A-Za-z0-9]{28,}|ATATT3x[\w=-]{40,}|ops_eyJ[\w-]{40,}"
        r"|(?:LS0tLS1CRUdJTi|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=]+)",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret",
        "shell key",
        rf"{ALONE}ssh-(?:rsa|ed25519)[ ]AAAA[A-Za-z0-9+/=]{{20,}}(?:[ ][\w.+-]+@[\w.-]+)?",
        _TOKEN_SIGN,
    ),
    Rule("secret", "hexadecimal token", rf"{ALONE}(?:dapi|AC|SK|key-)[0-9a-f]{{32}}(?![0-9A-Za-z])", _TOKEN_SIGN),
    Rule("secret", "bot token", rf"{ALONE}\d{{8,10}}:[A-Za-z0-9_-]{{35}}(?![\w-])", _TOKEN_SIGN),
    Rule("secret", "web token", rf"{ALONE}eyJ[\w-]{{8,}}\.[\w.-]{{8,}}", _TOKEN_SIGN),
    Rule(
        "secret",
        "bearer",
        rf"{ALONE}(?:(?:Bearer|BEARER)\s+(?![$<{{(]){REST}+|bearer\s+(?=\S*\d)[\w.~+/-]{{12,}})",
        _TOKEN_SIGN,
    ),
    Rule(
        "secret", "basic login", rf"{ALONE}(?i:basic\s+)(?=[A-Za-z]*[0-9A-Z])[A-Za-z0-9+/]{{12,}}={{1,2}}", _TOKEN_SIGN
    ),
    Rule(
        "secret",
        "quoted value",
        rf"(?i:{_NAMED}[\\\"']*\s*[:=]\s*\\{{0,3}}(?:\"{_PHRASE}\"|'{_PHRASE}'))",
        r"[:=]",
        ("passw", "passphrase", "pwd", "secret", "credential", "key", "authorization", "token"),
    ),
    Rule(
        "secret",
        "named value",
        rf"(?i:{_NAMED}[\\\"']*\s*(?:[:=](?!=)\s*(?:[\\\"']*(?:basic|bearer|token)\s+)?[\\\"']*|==\s*[\\\"']+){_NO_VALUE}"
        r"[^\s\"'`,;&)\]}]+)",
        r"[:=]",
        ("passw", "passphrase", "pwd", "secret", "credential", "key", "authorization", "token"),
    ),
    Rule(
        "secret",
        "named option",
        rf"(?i:(?<![\w-])--?(?:[\w-]{{0,30}}-)?(?:password|passwd|token|secret|api-?key)[ ]+[\\\"']*(?!-){_NO_VALUE}"
        r"[^\s\"'`\\]{6,})",
        r"-[-a-zA-Z\u017f]",
        ("passw", "token", "secret", "key"),
    ),
    Rule(
        "secret",
        "element of a document",
        rf"(?i:<(?:[\w:-]{{0,30}}[_:-])?{_BESIDE}>[^<\s]{{6,}})",
        r"\w>[^<\s]",
        ("passw", "secret", "key", "token"),
    ),
    Rule(
        "secret",
        "value behind its name",
        rf"(?i:[\"'](?:[\w-]{{0,30}}[_-])?{_BESIDE}\\{{0,3}}[\"']\s*,\s*\\{{0,3}}[\"']{_NO_VALUE}"
        r"(?=[^\"'\s\d]{0,80}\d)[^\"'\s]{12,})",
        r"[\"']\s*,",
        ("passw", "secret", "key", "token"),
    ),
    Rule(
        "secret",
        "braced value",
        r"(?i:(?<![A-Za-z])(?:pwd|password)=\{(?=[^}\s\d]{0,80}\d)[^}\s]{6,}\})",
        r"=\{",
        ("pwd", "passw"),
    ),
    Rule(
        "secret",
        "option of a client",
        r"(?<![\w-])(?:sshpass[ ]+-p|redis-cli[ ](?:-[hpn][ ]+[\w.-]+[ ]+){0,4}-a"
        r"|mysql(?:dump|admin)?[ ](?:-[huP][ ]*[\w.-]+[ ]+){0,4}-p)[ ]*[\"']?(?!\$)[^\s\"'`]{6,}",
        r"[ ]-[ap]",
        ("sshpass", "redis-cli", "mysql"),
    ),
    Rule(
        "secret",
        "told value",
        r"(?i:(?<![\w-])(?:api[ ]key|passw(?:or)?d|passphrase|access[ ]token|secret[ ]key)(?:[ ]is|:)?[ ]+)[\"'`]?"
        r"(?=[^\s\"'`\d]{0,80}\d)[^\s\"'`,;)]{8,}",
        r"[A-Za-z:][ ]",
        ("api key", "passw", "passphrase", "access token", "secret key"),
    ),
    Rule(
        "secret",
        "login file",
        r"(?i:(?<![\w-])(?:machine[ ]+\S{1,80}[ ]+)?login[ ]+\S{1,80}[ ]+password[ ]+\S{4,})",
        r"[A-Za-z:][ ]",
        ("login",),
    ),
    Rule("secret", "login option", rf"(?<![\w-])-u[ ]+[A-Za-z][\w.@-]*:{REST}{{6,}}", r"-u[ ]"),
    Rule(
        "secret",
        "password hash",
        r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$[156]\$[^\s$]{1,40}\$[./A-Za-z0-9]{22,}",
        r"\$\d",
    ),
    Rule(
        "secret",
        "login data",
        r"(?i:(?<![A-Za-z])(?:token|_?auth|private_key_id|client-(?:key|certificate)-data|session_?id|csrf_?token)[\\\"']*\s*[:=]\s*[\\\"']*"
        r"(?=[\w+/.=-]{0,80}\d)[\w+/.-]{16,}={0,2})",
        r"[:=]",
        ("token", "auth", "private_key_id", "client-", "session"),
    ),
    Rule("secret", "cookie", r"(?i:(?:set-)?cookie[\\\"']*\s*:\s*[\\\"']*[\w.-]+=)[^\n\"'`]+", r"=", ("cookie",)),
    Rule(
        "secret",
        "signature",
        r"(?i:(?:[?&]|(?<![^\s\"'`]))(?:sig|signature|x-amz-signature|x-goog-signature)=)[\w%+/=-]{8,}",
        r"=",
        ("sig=", "signature="),
    ),
)
"""Told first, so that a key inside an address is told as a secret."""
