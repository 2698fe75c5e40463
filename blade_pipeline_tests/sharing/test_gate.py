"""The gate finds what is private through every encoding, and tells the kind and the place alone."""

import base64
import html
import json
import random
import urllib.parse
from collections.abc import Callable

import pytest

from blade_pipeline.reporting.sharing.gate import Hit, inspect
from blade_pipeline.reporting.sharing.scrub import Scrubber
from blade_pipeline_tests.sharing.canaries import SECRETS, draw


def _entities(text: str) -> str:
    return "".join(f"&#{ord(sign)};" if n % 2 else f"&#x{ord(sign):x};" for n, sign in enumerate(text))


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "entities": _entities,
    "named entities": lambda text: html.escape(text).replace("-", "&#45;"),
    "JSON escapes": lambda text: "".join(f"\\u{ord(sign):04x}" for sign in text),
    "URL": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 at an offset": lambda text: "ab" + base64.b64encode(text.encode()).decode(),
    "Markdown escapes": lambda text: text.replace("_", "\\_").replace("-", "\\-"),
}
PAIRS = [(outer, inner) for outer in ENCODINGS for inner in ENCODINGS if "plain" not in (outer, inner)]


def _report(text: str) -> dict[str, bytes]:
    return {"b/r/report.md": f"# b\n\n## Scores\n\nfine\n\n## Notes\n\nsaid {text} there\n".encode()}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", SECRETS)
def test_every_encoding_of_every_secret_is_found(encoding: str, kind: str) -> None:
    seed = random.SystemRandom().randrange(2**32)
    for text in draw(random.Random(seed))[kind]:
        hits = inspect(_report(ENCODINGS[encoding](text)), Scrubber())
        assert {(hit.file, hit.section) for hit in hits} == {("b/r/report.md", "Notes")}, f"seed {seed}"
        assert "secret" in {hit.kind for hit in hits} or kind in ("address with login", "signed address")


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_an_encoding_inside_another_is_found(outer: str, inner: str) -> None:
    text = ENCODINGS[outer](ENCODINGS[inner]("nvapi-Zx81kQwErTyUiOp00112233"))
    assert [hit.kind for hit in inspect(_report(text), Scrubber())] == ["secret"]


def test_base64_wrapped_at_76_columns_and_base64_of_bytes_around_a_secret_are_found() -> None:
    long = base64.encodebytes(b"x" * 100 + b" ghp_0123456789abcdefghij " + b"y" * 100).decode()
    inside = base64.b64encode(b"\x89PNG\x00\xff" + b"nvapi-Zx81kQwErTyUiOp00112233" + b"\x00\xfe").decode()
    for text in (long, inside):
        assert [hit.kind for hit in inspect(_report(text), Scrubber())] == ["secret"]


def test_a_private_term_is_found_in_json_keys_html_and_file_names() -> None:
    scrubber = Scrubber(["Zephyr-Kite"])
    page = b"<h1>x</h1><h2 id='a'>Scores</h2><p>1</p><h2>Notes</h2><p>zephyr&nbsp;kite &#122;ephyr_kite</p>"
    files = {
        "b/metrics.json": json.dumps({"scores": {"ok": 1}, "agents": {"Zephyr_Kite": 2}}).encode(),
        "b/index.html": page,
        "zephyr-kite/report.md": b"## A\n",
    }
    assert inspect(files, scrubber) == [
        Hit("private term", "a file name", "file names"),
        Hit("private term", "b/metrics.json", "agents"),
        Hit("private term", "b/index.html", "Notes"),
    ]


def test_a_hit_holds_nothing_of_the_value() -> None:
    value = "nvapi-Zx81kQwErTyUiOp00112233"
    assert value[6:] not in repr(inspect(_report(urllib.parse.quote(value)), Scrubber()))


def test_encodings_without_end_are_read_to_a_bound() -> None:
    text = "nothing private"
    for _ in range(30):
        text = base64.b64encode(text.encode()).decode()
    assert inspect(_report(text), Scrubber()) == []
