import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blade_pipeline.gym import lines as lines_module
from blade_pipeline.gym.lines import MALFORMED, classify, read_lines
from blade_pipeline.models import BladeError

GOOD = b'{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1.0}'
CLASSES = {"row", "blank", *MALFORMED}


def classes(path: Path, content: bytes) -> list[str]:
    path.write_bytes(content)
    return [line.line_class for line in read_lines(path)]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"reward": NaN}', "row"),
        (b'{"reward": -Infinity}', "row"),
        (b'{"reward": 1e400}', "row"),
        (b'{"id": ' + b"9" * 5000 + b"}", "row"),
        (b'{"id": 123456789012345678901234567890}', "row"),
        (rb'{"text": "a\ud83d b"}', "row"),
        ('{"text": "a\u0085b\u2028c\u000b"}'.replace("\x0b", "\\u000b").encode(), "row"),
        (b'{"a": 1, "a": 2}', "row"),
        (GOOD + b"TRAILER", "invalid_json"),
        (b'{"reward": 1', "invalid_json"),
        (b'{"text": "\xff"}', "invalid_utf8"),
        (b'{"text": "\xed\xa0\x80"}', "invalid_utf8"),
        (b"null", "not_object"),
        (b"[1, 2]", "not_object"),
        (b"17", "not_object"),
        (b'"text"', "not_object"),
        (b"NaN", "not_object"),
        (b"", "blank"),
        (b" \t\r", "blank"),
        (b"placeholder", "placeholder"),
        (b"<rollouts go here>", "placeholder"),
        (b"version https://git-lfs.github.com/spec/v1", "placeholder"),
        (b"\x00\x00\x00\x00", "invalid_json"),
        (b'some "quoted" words', "invalid_json"),
        (b"\xef\xbb\xbf" + GOOD, "invalid_json"),
        (gzip.compress(GOOD, mtime=0), "invalid_utf8"),
        (GOOD.decode().encode("utf-16"), "invalid_utf8"),
        (GOOD.decode().encode("utf-16-le"), "invalid_json"),
        (b'{"a":' * 20_000 + b"1" + b"}" * 20_000, "invalid_json"),
        (b'{"_ng_task_index":0,"_ng_rollout_index":1,"rew' + GOOD, "glued"),
        (GOOD + GOOD, "glued"),
        (b'{"response": {"a": 1}', "invalid_json"),
    ],
)
def test_every_hard_line_has_the_class_the_specification_names(raw: bytes, expected: str) -> None:
    line_class, row = classify(raw)
    assert line_class == expected
    assert (row is not None) == (expected == "row")


def test_a_deep_row_with_a_task_index_beyond_64_bits_is_a_row_among_rows(tmp_path: Path) -> None:
    deep = b'{"_ng_task_index":' + b"9" * 30 + b',"x":' + b"[" * 1015 + b"]" * 1015 + b"}"
    assert classes(tmp_path / "rollouts.jsonl", GOOD + b"\n" + deep + b"\n" + GOOD) == ["row", "row", "row"]


def test_a_byte_order_mark_is_tolerated_on_the_first_line_only(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    assert classes(tmp_path / "f", mark + GOOD + b"\n" + mark + GOOD + b"\n") == ["row", "invalid_json"]


def test_windows_line_ends_leave_rows_rows(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(GOOD + b"\r\n\r\n" + GOOD + b"\r\n")
    assert [(line.line_class, line.length) for line in read_lines(path)] == [
        ("row", len(GOOD) + 1),
        ("blank", 1),
        ("row", len(GOOD) + 1),
    ]


def test_b26_a_half_row_glued_to_a_full_one_does_not_touch_its_neighbours(tmp_path: Path) -> None:
    half = b'{"_ng_task_index":0,"_ng_rollout_index":1,"rew'
    content = GOOD + b"\n" + half + GOOD + b"\n" + GOOD + b"\n"
    assert classes(tmp_path / "f", content) == ["row", "glued", "row"]


def test_b27_only_the_newline_byte_ends_a_line(tmp_path: Path) -> None:
    rows = [json.dumps({"text": f"a{mark}b"}, ensure_ascii=False).encode() for mark in ("\u0085", "\u2028\u2029")]
    assert classes(tmp_path / "f", b"\n".join(rows) + b"\n") == ["row", "row"]


def test_b28_an_unterminated_last_line_is_a_row_when_it_parses(tmp_path: Path) -> None:
    assert classes(tmp_path / "f", GOOD + b"\n" + GOOD) == ["row", "row"]


@pytest.mark.parametrize("cut", ['{"text": "caf\u00e9'.encode()[:-1], b'{"text": "ab', b"{"])
def test_b28_an_unterminated_last_line_that_does_not_parse_is_torn(tmp_path: Path, cut: bytes) -> None:
    assert classes(tmp_path / "f", GOOD + b"\n" + cut) == ["row", "torn"]


def test_b45_bad_lines_stay_bad_and_the_rest_of_the_file_stays_there(tmp_path: Path) -> None:
    content = b"\n".join([GOOD, GOOD + b"TRAILER", GOOD, b'{"reward":NaN}', GOOD]) + b"\n"
    assert Counter(classes(tmp_path / "f", content)) == {"row": 4, "invalid_json": 1}


def test_a_line_over_the_cap_is_located_and_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(GOOD + b"\n" + b'{"text":"' + b"x" * 500 + b'"}\n' + GOOD + b"\n")
    found = list(read_lines(path, cap=100))
    assert [(line.line_class, line.offset, line.length) for line in found] == [
        ("row", 0, 55),
        ("too_long", 56, 511),
        ("row", 568, 55),
    ]
    assert found[1].raw is None


def test_a_line_of_exactly_the_cap_is_read(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(GOOD + b"\n" + GOOD)
    assert [line.line_class for line in read_lines(path, cap=len(GOOD))] == ["row", "row"]
    assert [line.line_class for line in read_lines(path, cap=len(GOOD) - 1)] == ["too_long", "too_long"]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert classes(tmp_path / "f", b"") == []


def test_a_missing_file_is_one_sentence_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(BladeError, match=r"gone\.jsonl cannot be read \(No such file or directory\)"):
        list(read_lines(tmp_path / "gone.jsonl"))


@pytest.mark.parametrize("change", ["grow", "replace"])
def test_a_file_that_changes_while_it_is_read_is_a_sentence(tmp_path: Path, change: str) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(GOOD + b"\n")
    lines = read_lines(path)
    next(lines)
    if change == "grow":
        with path.open("ab") as stream:
            stream.write(b"\n\n")
    else:
        path.unlink()
        path.write_bytes(GOOD + b"\n" * 3)
    with pytest.raises(BladeError, match=r"rollouts\.jsonl changed while it was read"):
        list(lines)


_PIECES = st.sampled_from(
    [GOOD, GOOD[:20], b"\n", b"\r\n", b" ", b"null", b"NaN", b"{", b"}", b'"', b"\xff", b"\x00", b"words", b"\\ud800"]
)


@given(st.lists(st.one_of(_PIECES, st.binary(max_size=30))).map(b"".join))
@example(b"\n")
@example(GOOD)
def test_any_bytes_split_into_lines_of_one_class_each(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.jsonl"
    path.write_bytes(content)
    found = list(read_lines(path))
    pieces = content.split(b"\n")
    expected = pieces[:-1] if pieces[-1] == b"" else pieces
    assert [content[line.offset : line.offset + line.length] for line in found] == expected
    assert [line.raw for line in found] == expected
    assert [line.number for line in found] == list(range(1, len(expected) + 1))
    assert all(line.line_class in CLASSES for line in found)
    assert all((line.row is not None) == (line.line_class == "row") for line in found)


@given(st.binary(max_size=60), st.booleans(), st.booleans())
def test_any_line_has_one_of_the_classes(raw: bytes, terminated: bool, first: bool) -> None:
    line_class, row = classify(raw.replace(b"\n", b""), terminated=terminated, first=first)
    assert line_class in CLASSES
    assert isinstance(row, dict) == (line_class == "row")


def test_the_cap_of_a_line_is_64_mib() -> None:
    assert lines_module.LINE_CAP == 67_108_864
