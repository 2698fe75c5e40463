"""What is written in escapes is found and taken out as its reader would decode it."""

import pytest

from blade_pipeline.gym.escapes import unescaped
from blade_pipeline.gym.public import hidden_reason, redacted, without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see %2Fhome%2Fjdoe%2Fx.sh now", "see [not shown] now"),
        ("see %252Fhome%252Fjdoe now", "see [not shown] now"),
        ("see \\/home\\/jdoe\\/x now", "see [not shown] now"),
        ("see \\u002fhome\\u002fjdoe now", "see [not shown] now"),
        ("see \\\\x2fhome\\\\x2fjdoe now", "see [not shown] now"),
        ("see &#x2F;home&#47;jdoe&sol;x now", "see [not shown] now"),
        ("see &amp;#x2F;home&amp;#x2F;jdoe now", "see [not shown] now"),
        ("see C%3A%5CUsers%5Cjdoe now", "see [not shown] now"),
        ("next=https%3A%2F%2Fa.example%3A8443%2Fv1 now", "next=[not shown] now"),
        ("see 10%2E1%2E2%2E3 now", "see [not shown] now"),
        ("password%3DHunter22x now", "[not shown] now"),
        ("see sk%2Dproj%2DA1b2C3d4E5f6G7h8I9j0 now", "see [not shown] now"),
        ('{"log": "x\\\\n%2Fhome%2Fjdoe"}', '{"log": "x\\\\n[not shown]"}'),
    ],
)
def test_private_text_in_escapes_is_taken_out_and_its_surroundings_stay(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize(
    "text",
    ["a%20b", "1%2F2", "%2Fusr%2Fbin", "value%3A%2010", "R&amp;D", "&lt;/div&gt;", "a\\/b", "&#8211; &copy;", "50%25"],
)
def test_harmless_escapes_stay(text: str) -> None:
    assert redacted(text) == text


def test_a_sentence_of_ours_loses_a_secret_in_escapes_and_keeps_a_path() -> None:
    assert without_secrets("%2Fhome%2Fme: token%3DHunter22x.") == "%2Fhome%2Fme: [not shown]"


def test_an_address_in_escapes_has_a_reason_to_be_hidden() -> None:
    assert hidden_reason("https%3A%2F%2Fa.example%2Fv1") == "not shown: it looks like an address"


def test_every_decoded_character_knows_its_place() -> None:
    """``a%252Fb`` is a, an escaped escape of five characters, and b; the end of the text is its seventh place."""
    assert unescaped("a%252Fb") == ("a/b", [0, 1, 6, 7])
