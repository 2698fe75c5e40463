"""Strings that must never leave the team, and strings that only look like them, drawn afresh from a seed."""

import base64
import random
import string
import uuid
from collections.abc import Callable

ALPHANUMERIC = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
Draw = random.Random


def _some(rng: Draw, letters: str, count: int) -> str:
    return "".join(rng.choice(letters) for _ in range(count))


def _word(rng: Draw, count: int = 7) -> str:
    return _some(rng, string.ascii_lowercase, count)


def _user(rng: Draw) -> str:
    return f"{_word(rng, 1)}{_word(rng)}"


def _codename(rng: Draw) -> str:
    return f"{_word(rng, 6).capitalize()}-{_word(rng, 6).capitalize()}"


SECRETS: dict[str, Callable[[Draw], str]] = {
    "model service key": lambda rng: f"sk-proj-{_some(rng, ALPHANUMERIC, 40)}",
    "catalogue key": lambda rng: f"nvapi-{_some(rng, ALPHANUMERIC + '-_', 64)}",
    "hub token": lambda rng: f"hf_{_some(rng, ALPHANUMERIC, 34)}",
    "forge token": lambda rng: f"ghp_{_some(rng, ALPHANUMERIC, 36)}",
    "cloud key id": lambda rng: f"AKIA{_some(rng, string.ascii_uppercase + '234567', 16)}",
    "web token": lambda rng: (
        f"eyJ{_some(rng, ALPHANUMERIC, 30)}.eyJ{_some(rng, ALPHANUMERIC, 40)}.{_some(rng, ALPHANUMERIC, 43)}"
    ),
    "bearer": lambda rng: f"Authorization: Bearer {_some(rng, ALPHANUMERIC, 40)}",
    "private key": lambda rng: f"-----BEGIN OPENSSH PRIVATE KEY-----\n{_some(rng, ALPHANUMERIC, 60)}\n",
    "password": lambda rng: f"password={_some(rng, ALPHANUMERIC, 14)}",
    "chat token": lambda rng: f"xoxb-{_some(rng, string.digits, 12)}-{_some(rng, ALPHANUMERIC, 24)}",
    "address with login": lambda rng: (
        f"https://{_user(rng)}:{_some(rng, ALPHANUMERIC, 12)}@{_word(rng)}.example.com/v1"
    ),
    "signed address": lambda rng: (
        f"https://{_word(rng)}.blob.example.net/c/x?sv=2024&sig={_some(rng, ALPHANUMERIC, 43)}%3D"
    ),
}
PRIVATE: dict[str, Callable[[Draw], str]] = {
    "mailbox": lambda rng: f"{_user(rng)}.{_word(rng)}@{_word(rng)}.com",
    "network address": lambda rng: f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}:8000",
    "internal host": lambda rng: f"{_word(rng)}-{rng.randrange(99)}.{_word(rng)}.corp",
    "home folder": lambda rng: f"/home/{_user(rng)}/{_word(rng)}/run.sh",
    "cluster folder": lambda rng: f"/lustre/fsw/{_word(rng)}/{_user(rng)}/ckpt_{rng.randrange(9999)}",
    "code remote": lambda rng: f"git@{_word(rng)}.example.org:{_word(rng)}/{_word(rng)}.git",
    "telephone": lambda rng: f"+1 {rng.randrange(201, 990)} {rng.randrange(201, 990)} {rng.randrange(1000, 9999)}",
    "chat webhook": lambda rng: (
        f"https://hooks.slack.com/services/T{_some(rng, string.digits, 9)}/B{_some(rng, string.digits, 9)}"
        f"/{_some(rng, ALPHANUMERIC, 24)}"
    ),
    "codename": _codename,
}
KINDS = SECRETS | PRIVATE
"""Twenty-one kinds; a codename looks like nothing and is found by the profile's private terms alone."""


def draw(rng: Draw, each: int = 3) -> dict[str, list[str]]:
    """So many strings of every kind."""
    return {kind: [make(rng) for _ in range(each)] for kind, make in KINDS.items()}


def cores(kind: str, text: str) -> list[str]:
    """The parts of a string that give it away: what a search for a leak looks for."""
    if kind == "private key":
        return [text.splitlines()[1]]
    if kind == "chat webhook":
        return [text.rsplit("/", 1)[1]]
    if kind in ("bearer", "password"):
        return [text.replace("=", " ").split()[-1]]
    if kind == "address with login":
        return [text.split("//")[1].split("@")[0].split(":")[1], text.split("@")[1].split("/")[0]]
    return [text.split("sig=")[1][:43]] if "sig=" in text else [text]


def lookalikes(rng: Draw) -> list[str]:
    """Sixty harmless strings that look like secrets."""
    digest = _some(rng, HEX, 40)
    fixed = [
        "api_key: ${OPENAI_API_KEY}", 'api_key="${secret:judge}"', "api_key=os.environ['KEY']",
        "token = tokenizer.encode(text)", "password = getpass.getpass()", "def check(password: str) -> bool:",
        "secret_key=None", "hf_token: <your token>", "<task-notification>", "</task-notification>",
        "skill_execution_and_planning", "risk-adjusted-return-estimates", "$\\frac{1}{2} \\cdot 10^{-3}$",
        "\\begin{aligned} x &= 1 \\\\ y &= 2 \\end{aligned}", "for i in range(10): print(i)", "x[1:3, ::2] = y",
        "a = b @ c", "@pytest.mark.parametrize", "import numpy as np", "np.float64(0.25)", "1.2.3", "v0.12.1",
        "2.14.0rc1", "12:30:45", "2026-10-20T20:04:05Z", "pass@1 is 87.5%", "pass@4", "3/4 of 1,234",
        "max_output_tokens=4096", "max_tokens: 512", "tokens=2048", "settings.local.json", "rollouts.jsonl:17",
        "meta-llama/Llama-3.1-8B-Instruct", "and/or", "/v1/chat/completions", "https", "C++ and C#", "1-2-3",
        "555-1234", "basic arithmetic", "a bearer of bad news", "user: what is 2+2?", "role=user",
        "std::vector<int>", "f(x) = x^2",
    ]  # fmt: skip
    drawn = [
        digest, digest[:7], f"sha256:{_some(rng, HEX, 64)}", str(uuid.UUID(int=rng.getrandbits(128))),
        f"call_{_some(rng, ALPHANUMERIC, 24)}", f"chatcmpl-{_some(rng, HEX, 32)}", f"resp_{_some(rng, HEX, 40)}",
        f"rs_{_some(rng, HEX, 32)}", f"data:image/png;base64,{base64.b64encode(rng.randbytes(60)).decode()}",
        f"nvcr.io/nvidia/nemo@sha256:{_some(rng, HEX, 64)}", f"{rng.random():.16f}", f"-{rng.random():.6e}",
        f"task-{_some(rng, HEX, 12)}", str(rng.randrange(10**9, 10**10)),
    ]  # fmt: skip
    return fixed + drawn
