"""Names and sentences from data stay inert in Markdown and readable."""

import pytest

from blade_pipeline.reporting.blocks import quoted
from blade_pipeline.reporting.markdown import inline
from blade_pipeline.reporting.text import at_line_start, clean, code_span, markdown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\nb\tc", "a b c"),
        ("\x1b[31mred\x1b[0m", "[U+001B][31mred[U+001B][0m"),
        ("user\u202egnp.exe", "user[U+202E]gnp.exe"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("line\u2028break", "line[U+2028]break"),
        ("lone\ud800", "lone[U+D800]"),
        ("naïve 東京 ✓", "naïve 東京 ✓"),
        (7, "7"),
    ],
)
def test_clean_shows_what_would_be_invisible_and_keeps_the_rest(value: object, shown: str) -> None:
    assert clean(value) == shown


def test_clean_cuts_long_names() -> None:
    assert clean("x" * 500, 10) == "xxxxxxxxx…"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
        ("a | b", "a &#124; b"),
        ("[x](http://evil.example)", "\\[x\\](http:&#47;/evil.example)"),
        ("![i](x)", "!\\[i\\](x)"),
        ("**bold** `code`", "\\*\\*bold\\*\\* \\`code\\`"),
        ("snake_case stays, _emphasis_ not", "snake_case stays, \\_emphasis\\_ not"),
        ("@team see a@b", "&#64;team see a@b"),
        ("&lt;b&gt;", "\\&lt;b\\&gt;"),
        ("$x$", "\\$x\\$"),
        ("pass@1 is 87.5%", "pass@1 is 87.5%"),
    ],
)
def test_prose_cannot_become_markup(value: str, written: str) -> None:
    assert markdown(value) == written


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("# no heading", "\\# no heading"),
        ("- no item", "\\- no item"),
        ("---", "\\---"),
        ("1. no item", "1\\. no item"),
        ("> no quotation", "\\> no quotation"),
        ("=== no underline", "\\=== no underline"),
        ("1.5 points", "1.5 points"),
        ("-12.0 points", "-12.0 points"),
    ],
)
def test_a_line_cannot_begin_a_block(line: str, written: str) -> None:
    assert at_line_start(line) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", "`plain`"),
        ("with ` one", "``with ` one``"),
        ("```fence", "```` ```fence ````"),
        ("", "`  `"),
        ("<b>&amp;", "`<b>&amp;`"),
        ("a|`b`", "“a&#124;\\`b\\`”"),
        ("a|“b”", '“a&#124;"b"”'),
    ],
)
def test_a_code_span_cannot_be_closed_by_its_content(value: str, written: str) -> None:
    assert code_span(value) == written


@pytest.mark.parametrize(
    ("sentence", "names", "in_markdown"),
    [
        ("`f.json` says `mean/reward`.", ["f.json", "mean/reward"], "`f.json` says `mean/reward`."),
        ("Of `a`gent` no row, `b` has 2.", ["a`gent", "b"], "Of ``a`gent`` no row, `b` has 2."),
        ('`"a`b"-0`, `"a`b"-1`', ['"a`b"-0', '"a`b"-1'], '``"a`b"-0``, ``"a`b"-1``'),
        ("`a` and `cut off", ["a"], "`a` and \\`cut off"),
        ("`<b>` and `x|y`", ["<b>", "x|y"], "`<b>` and “x&#124;y”"),
        ("no name, it`s a tick", [], "no name, it\\`s a tick"),
    ],
)
def test_names_between_backticks_are_code(sentence: str, names: list[str], in_markdown: str) -> None:
    pieces = quoted(sentence)
    assert [piece.text for piece in pieces if piece.kind == "code"] == names
    assert inline(pieces) == in_markdown


def test_a_long_name_in_a_sentence_is_cut() -> None:
    [plain, name, rest] = quoted(f"Field `{'x' * 900}` is known for 2 rows.")
    assert (plain.text, name.text, rest.text) == ("Field ", "x" * 159 + "…", " is known for 2 rows.")
