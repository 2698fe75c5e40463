"""Letters as a reader sees them: what looks alike becomes alike, and what is invisible goes."""

import re
import unicodedata

_OTHER = re.compile(r"[^\x00-\x7f]+")
_LOOKS = dict(
    zip(
        "авекмнорстухіѕјһԁԛԝАВЕКМНОРСТУХІЅЈαεικνορτυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "abekmhopctyxisjhdqwABEKMHOPCTYXISJaeiknoptuABEZHIKMNOPTYX",
        strict=True,
    )
)
_INVISIBLE = {"Cf"}
_MARKS = re.compile("[\u0300-\u036f\ufe00-\ufe0f]")


class _Folds(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _fold(chr(code))
        return found


def _fold(sign: str) -> str:
    kind = unicodedata.category(sign)
    if kind in _INVISIBLE:
        return ""
    if kind == "Pd" or sign == "\u2212":
        return "-"
    spelt = _MARKS.sub("", unicodedata.normalize("NFKD", sign))
    spelt = "ss" if spelt in ("ß", "ẞ") else spelt
    return "".join(_LOOKS.get(letter, letter) for letter in spelt)


_FOLDS = _Folds()


def folded(text: str) -> str:
    """The text in compatibility letters, without accents and invisible characters, foreign twins of Latin in Latin."""
    return text if text.isascii() else _OTHER.sub(lambda found: found[0].translate(_FOLDS), text)


def places_of(text: str) -> list[int]:
    """For every character of the folded text, and its end, the position in the text that it comes from."""
    if text.isascii():
        return list(range(len(text) + 1))
    found = [at for at, sign in enumerate(text) for _ in (sign if sign.isascii() else _FOLDS[ord(sign)])]
    return [*found, len(text)]
