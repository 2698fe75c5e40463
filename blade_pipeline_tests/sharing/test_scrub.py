"""The scrubber takes out what is private in any surrounding, and nothing that only looks like it."""

import random

import pytest

from blade_pipeline.reporting.sharing.scrub import TERM, Scrubber
from blade_pipeline_tests.sharing.canaries import KINDS, cores, draw, lookalikes

FRAMES = [
    "{}",
    "see {} for more",
    'the field said "{}"',
    "- {}\n",
    '{{"a": "{}"}}',
    "error near `{}`.",
    "({})",
    "x: {}; y: 2",
    "\x1b[31m{}\x1b[0m",
    "line\\n{}",
]


@pytest.fixture
def seed() -> int:
    """A fresh seed; a failing test prints it as its argument."""
    return random.SystemRandom().randrange(2**32)


@pytest.mark.parametrize("kind", KINDS)
def test_private_strings_are_taken_out_in_any_surrounding(kind: str, seed: int) -> None:
    texts = draw(random.Random(seed), each=10)[kind]
    scrubber = Scrubber(texts if kind == "codename" else ())
    for text in texts:
        for frame in FRAMES:
            shown, kinds = scrubber.scrub(frame.format(text))
            assert kinds, f"seed {seed}: {frame.format(text)!r}"
            left = [core for core in cores(kind, text) if core in shown]
            assert left == [], f"seed {seed}: {shown!r}"
            assert scrubber.kinds(shown) == set(), f"seed {seed}: {shown!r}"


def test_sixty_lookalikes_survive(seed: int) -> None:
    texts = lookalikes(random.Random(seed))
    assert len(texts) >= 60
    scrubber = Scrubber(["Zephyr-Kite", "gpt-secret-7"])
    for text in texts:
        for frame in ("{}", "the answer is {} as said", '"{}"', "- {}\n"):
            framed = frame.format(text)
            assert scrubber.scrub(framed) == (framed, []), f"seed {seed}"


@pytest.mark.parametrize(
    "text",
    ["zephyr kite", "ZEPHYR_KITE", "zephyr-kite", "ZephyrKite", "run-zephyr.kite-8b", "zephyr  kite", "myZephyrKite2"],
)
def test_a_private_term_is_found_without_case_and_across_separators(text: str) -> None:
    assert Scrubber(["Zephyr-Kite"]).scrub(f"the {text} run") in [
        (f"the {around} run", [TERM])
        for around in ("[redacted: private term]", "run-[redacted: private term]-8b", "my[redacted: private term]2")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Zephyr\u00adKite", "Ze\u200bphyr\u2060-Kite", "Zephyr\u2011Kite", "Zephyr\u2013Kite", "Zephyr\u2212Kite",
        "Zephyr\u00a0Kite", "Zephyr\u202eKite", "Zephyr/Kite", "Zephyr:Kite", "Zephyr+Kite", "Zephyr    -    Kite",
        "\uff3a\uff45\uff50\uff48\uff59\uff52-\uff2b\uff49\uff54\uff45", "Z\u0435phyr-K\u0456te", "\u0396ephyrKite",
        "z\u00e9phyr-kite", "Ze\u0301phyr-Kite", "z-e-p-h-y-r\u2014k-i-t-e",
    ],
)  # fmt: skip
def test_a_private_term_is_found_however_it_is_drawn(text: str) -> None:
    scrubber = Scrubber(["Zephyr-Kite"])
    assert scrubber.kinds(text) == {TERM}
    assert scrubber.scrub(f"\u00bd the {text} run\u2026") == ("\u00bd the [redacted: private term] run\u2026", [TERM])


@pytest.mark.parametrize(
    ("term", "text"), [("M\u00fcller", "MU\u0308LLER"), ("Stra\u00dfe", "STRASSE"), ("Мир", "МИР"), ("張偉", "(張偉)")]
)
def test_a_term_in_any_script_is_found(term: str, text: str) -> None:
    assert Scrubber([term]).scrub(f"by {text}!")[1] == [TERM]


def test_a_secret_with_an_invisible_character_inside_is_taken_out_as_a_whole() -> None:
    text = "see nvapi-Zx81kQ\u200bwErTyUiOp\u00ad00112233 there"
    assert Scrubber().scrub(text) == ("see [redacted: secret] there", ["secret"])


@pytest.mark.parametrize("text", ["a zephyrkites b", "criterion", "or ion", "Orionid"])
def test_a_private_term_is_not_found_inside_other_words(text: str) -> None:
    assert Scrubber(["zephyr kite", "orion"]).scrub(text) == (text, [])


def test_the_marker_names_the_kind_and_neither_value_nor_length() -> None:
    assert Scrubber().scrub("ask 10.1.2.3 or 192.168.100.200") == (
        "ask [redacted: host] or [redacted: host]",
        ["host", "host"],
    )


def test_a_secret_inside_an_address_is_one_place_under_the_graver_kind() -> None:
    text = "see https://me:pw@host.example/x?key=sk-abcdefgh1234567890abcd&y=1 now"
    assert Scrubber().scrub(text) == ("see [redacted: secret] now", ["secret"])
