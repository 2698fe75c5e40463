"""Forms of secrets and private strings that a first set of rules did not know, and harmless texts near to each."""

import random
import re
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade_pipeline.gym.private import RULES, SIGN, found
from blade_pipeline.gym.public import redacted, without_secrets
from blade_pipeline.gym.rule import Rule

MIXED = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
FORMS = {
    "glrt-{m20}": "secret", "glptt-{h40}": "secret", "gldt-{m20}": "secret", "dckr_oat_{m27}": "secret",
    "rubygems_{h48}": "secret", "bkua_{h40}": "secret", "sbp_{h40}": "secret", "wandb_v1_{m40}": "secret",
    "sb_secret_{m31}": "secret", "GOCSPX-{m28}": "secret", "hvb.{m90}": "secret", "HRKU-{m50}": "secret",
    "tvly-{m32}": "secret", "lsv2_pt_{h32}_{h10}": "secret", "pcsk_{m60}": "secret", "jina_{m60}": "secret",
    "whsec_{m32}": "secret", "tskey-auth-{m16}-{m32}": "secret", "api_org_{m34}": "secret", "csk-{m48}": "secret",
    "e2b_{h40}": "secret", "dtn_{h64}": "secret", "fc-{h32}": "secret", "fw_{m24}": "secret", "pul-{h40}": "secret",
    "nfp_{m36}": "secret", "{m14}.atlasv1.{m60}": "secret", "1//0{m60}": "secret", "secret_{m43}": "secret",
    "ABSK{m110}": "secret", "AKCp{m69}": "secret", "ATBB{m32}": "secret", "ATATT3x{m180}": "secret",
    "ops_eyJ{m80}": "secret", "LS0tLS1CRUdJTi{m60}": "secret", "b3BlbnNzaC1rZXktdjE{m60}": "secret",
    "ssh-ed25519 AAAA{m64} me@laptop": "secret", "xapp-1-{m10}-{h40}": "secret",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{m60}": "secret", "$2b$12${m53}": "secret",
    "root:$6${m8}${m86}": "secret", "--password {m14}1": "secret", "--api-key {m30}": "secret",
    "serve --hf-token '{m30}1'": "secret", "curl -u jdoe:{m16} x": "secret", "my API key is {m30}1": "secret",
    "login jdoe password {m14}1": "secret", "Authorization: token {m40}": "secret", '"token": "{m40}1"': "secret",
    "client-key-data: {m60}1": "secret", '"auth": "{m28}1=="': "secret", "'Cookie': 'session={h20}'": "secret",
    "sessionid={h32}1": "secret", "sig={m43}%3D&sv=2022": "secret",
    "discord.com/api/webhooks/{m18}/{m68}": "url", "acme.webhook.office.com/webhookb2/{h32}": "url",
    "docs.google.com/document/d/{m30}": "url", "hooks.zapier.com/hooks/catch/{m7}": "url",
    "jane.doe%40acme.com": "email", "jdoe@gpu17:/srv/x": "email", "ssh jdoe@gpu17": "email",
    "[jdoe@node17 gym]$": "email", "jdoe@node17:~$": "email",
    "gcc -I/home/jdoe/include x.c": "path", "select 1 --/home/jdoe/x": "path", "ld -L/lustre/fsw/jdoe": "path",
    "10.1.2.3": "host", "at 10.0.0.1.": "host", "127.0.0.1:8000": "host", "version 10.1.2.3": "host", "8.8.8.8": "host",
    "ip==192.168.1.7": "host", "172.31.255.255": "host", "203.0.113.255": "host", "10.0.0.1/x": "host",
    "127.0.0.10": "host", "read from db.corp.internal": "host", "import from db.corp.internal, which": "host",
    "config.internal:5432": "host", "my-config.internal": "host", "import db7.corp.internal": "host",
    "import db.corp": "host", "10.0.0.1's": "host", "node_10.0.0.1": "host",
    "ip-10-0-12-34": "host", "2001:db8::1": "host", "2a02:2e0:3fe:1001:302::": "host", "2600:1f18:abcd::7": "host",
    "fdc6:847a:3d12::24": "host", "fd00:1::/48": "host", "fe80::1ff:fe23:4567:890a": "host",
    "DB17.ACME.CORP": "host", "nas.home.arpa": "host", "box.tail1234.ts.net": "host",
    "/export/home/jdoe/x": "path", "/pscratch/sd/j/jdoe": "path", "/Volumes/Acme/x": "path",
    "/global/cfs/cdirs/x": "path", "SLURM_NODELIST=gpu[001-004]": "user", '"nodelist": "pool0-[001-004]"': "user",
    "LOGNAME=jdoe": "user", "AccountName=acmedata;": "user", "login jdoe password aBcDefGhiJ": "secret",
    "password == '{m14}1'": "secret", 'password="correct horse {m14}1"': "secret",
    'password=\\"correct horse {m14}1\\"': "secret",
    "<password>{m14}</password>": "secret", "<add:api-key>{m20}</add:api-key>": "secret",
    "('api_key', '{m20}1')": "secret", "Uid=jdoe;Pwd={9{m14}};": "secret", "sshpass -p {m14} ssh x": "secret",
    "redis-cli -h db -a {m14} ping": "secret", "mysql -u jdoe -p{m14} db": "secret",
    "+33 6 12 34 56 78": "phone", "+49 (0)30 901820": "phone", "1-800-555-0199": "phone",
    "DE89370400440532013000": "number", "GB29NWBK60161331926819": "number", "3782 822463 10005": "number",
}  # fmt: skip
HARMLESS = [
    "pypi-publish-action-v1", "npm-run-all-sequentially", "glc-gerontology-community", "xai-explainable-models-2024",
    "gsk-pharmaceutical-report-2", "fc-layer-1-output-norm", "fw_kernel_module_v2_final", "rnd_seed_12345_of_7",
    "e2b_sandbox_template_1", "hvs-high-voltage-system", "ntn-network-transport-node", "secret_santa_list_2024",
    "sha256:" + "ab" * 32, "ab" * 20, "-----BEGIN TEST OUTPUT-----\nall good", "1//0 is no fraction",
    "the password must have 8 characters", "API key is missing", "access token expired", "--token-budget 4096",
    "--max-tokens 4096", "--password-file x", "sort -u a b", "token: 12", "auth: required", '"token": "Paris"',
    "max_tokens: 123456789012345678", "session: 3", "sig=1", "cookie: chocolate", "a @ b:/", "std::fd::open",
    "feed:12", "if password == stored_hash:", "WHERE password=?", "login=True", "user=None",
    "x[1::2]", "at 12:30::", "version ip-2", "v1.2.3.4", "lib-1.2.3.4.so", "self.local", "threading.local()",
    "127.0.0.1", "bind 0.0.0.0,", "127.0.0.1.", "version 1.2.3.4", "Version 2.10.0.1", "torch==1.2.3.4", "999.1.2.3",
    "1.2.3.256", "threading.local", "x = config.internal", "if config.internal:", "settings.local,",
    "import zeep.internal", "from zeep.internal import loop", "import a.local as b", "a.local(1)",
    "SETTINGS.LOCAL.JSON", "/usr/bin/python3", "nodes[0]", "nodelist[0]", "+1.2345678901", "+10 15 20 25",
    "x = +12 34 56 78", "1-2-3", "10-200-3000-40000", "$2 and $10", "$6 per day", "AB1234", "US2024123456",
    "3782 items", "your password=your-password", "api_key=YOUR_API_KEY", "GET /v1/users/7", "x/global/y",
    "src-home/home/x", "a-/home/x",
    "('token', 'count')", "['password', 'username', 'mailbox']", "<token>hello</token>", "<token> is 1",
    "f'Pwd={password}'", "mysql -u root -p db", "sshpass -p $PASSWORD ssh", "redis-cli -a",
    "docs.google.com", "discord.com/developers", "teams of 4", "[a b]$", "user@", "e-2b",
]  # fmt: skip


def _drawn(form: str, rng: random.Random) -> str:
    for letters, sign in ((MIXED, "m"), (HEX, "h")):
        while f"{{{sign}" in form:
            head, _, rest = form.partition(f"{{{sign}")
            count, _, tail = rest.partition("}")
            form = f"{head}{''.join(rng.choice(letters) for _ in range(int(count)))}{tail}"
    return form


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("frame", ["{}", "see `{}` here", '{{"a": "{}", "b": 1}}'])
def test_a_form_is_found_under_its_kind_and_taken_out(form: str, frame: str) -> None:
    seed = random.SystemRandom().randrange(2**32)
    text = frame.format(_drawn(form, random.Random(seed)))
    assert FORMS[form] in {kind for kind, _ in found(text)}, f"seed {seed}: {text!r}"
    assert redacted(text) != text, f"seed {seed}: {text!r}"


BEHIND = [
    "\x9b31m{}", "[U+009B]1;31m{}",
    "\x1b[31m{}\x1b[0m", "\x1b[1;32m{}", "[0K{}", "[U+001B][33m{}", "line\\n{}", "\\t{}\\n", '{{"log": "x\\\\n{}"}}',
    "\\r\\n{}", "\\u0022{}\\u0022", "\\x0a{}", "key%3A%20{}", "键{}键",
]  # fmt: skip
"""What a log, JSON in JSON or an address puts before a text, with a letter or digit at its end."""


PRIVATE = [
    "sk-proj-{m40}", "hf_{m34}", "ghp_{m36}", "xoxb-123456789012-{m24}", "AKIAIOSFODNN7EXAMPLE", "nvapi-{m64}",
    "10.1.2.3:8000", "/home/jdoe/run.sh", "078-05-1120", "gpu-7.acme.corp",
]  # fmt: skip


@pytest.mark.parametrize("before", BEHIND)
@pytest.mark.parametrize("private", PRIVATE)
def test_an_escape_before_it_hides_nothing(before: str, private: str) -> None:
    text = _drawn(private, random.Random(7))
    assert text not in redacted(f"so {before.format(text)} then")
    if "{m" in private:
        assert text not in without_secrets(f"so {before.format(text)} then")


@pytest.mark.parametrize(
    "text", ["C:\\new\\table", "\\textbf{x} \\frac{1}{2}", "100%25 of 50%ab", "a\\nb", "[31mred[0m", "größer"]
)
def test_escapes_alone_stay(text: str) -> None:
    assert redacted(f"so {text} then") == f"so {text} then"


def test_what_stands_around_a_secret_behind_an_escape_stays() -> None:
    assert redacted("a\\nhf_Zx81kQwErTyUiOp00112233 b\\n10.1.2.3 c") == "a\\n[not shown] b\\n[not shown] c"


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_near_to_a_form_stays(text: str) -> None:
    assert redacted(f"so {text} then") == f"so {text} then"


def test_whatever_a_rule_needs_is_a_sign_for_all() -> None:
    assert all(rule.needs in SIGN.pattern for rule in RULES)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.name != "phone"], ids=lambda rule: rule.name)
def test_whatever_a_rule_finds_holds_its_sign_and_one_of_its_words(rule: Rule) -> None:
    """But for the rule whose look ahead for nine digits hypothesis needs minutes to draw; ``FORMS`` has two of it."""

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.from_regex(re.compile(rule.pattern)))
    def holds(text: str) -> None:
        assert re.search(rule.needs, text)
        assert not rule.words or any(word in text.casefold() for word in rule.words)

    holds()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("credent\u0131al: {}", "Zx81kQwErT"),
        ("AUTHOR\u0130ZATION: {}", "Zx81kQwErT"),
        ("s\u0131gnature={}", "Zx81kQwErT"),
        ("log\u0130n jdoe password {}", "aBcDefGhiJ"),
        ("\u017fe\u017f\u017f\u0131on_id={}", "Zx81kQwErTyUiOp0011"),
        ("api_\u212aey: {}", "Zx81kQwErT"),
        ("x ba\u017f\u0131c {}", "dxnlcjpwyxnz1234=="),
        ("run -\u017fecret {}", "hunter22"),
    ],
)
def test_a_letter_that_passes_for_another_in_the_name_of_a_secret_hides_nothing(text: str, value: str) -> None:
    """A pattern that ignores case takes the Turkish i, the long s and the Kelvin sign for plain letters."""
    assert value not in redacted(text.format(value))


def test_a_sentence_loses_secrets_and_logins_and_keeps_its_file() -> None:
    assert without_secrets("/home/me/p.yaml, line 3: unknown field 'nvapi-Zx81kQwErTyUiOp00112233'.") == (
        "/home/me/p.yaml, line 3: unknown field '[not shown]'."
    )
    assert without_secrets("s3://me:pw@host/x cannot be opened.") == "s3://[not shown]@host/x cannot be opened."
