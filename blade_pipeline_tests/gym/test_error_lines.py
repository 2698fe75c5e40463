"""The lines of long logs that tell of an error, with planted logs."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from blade_pipeline.gym import read_rollouts
from blade_pipeline.gym.error_lines import MOST_LINES, lines_of_logs, telling_line
from blade_pipeline.gym.logs import is_log
from blade_pipeline_tests.gym.run_folder import jsonl, rollout, write_run

CHATTER = "\n".join(f"collecting item {n}, nothing of note here" for n in range(40))


def _lines(log: str, name: str = "container_stderr") -> list[str]:
    row: dict[str, Any] = {name: log}
    return [text for _, text in lines_of_logs(row, (name,))]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("E       ValueError: width must be even", "ValueError: width must be even"),
        ("java.lang.NullPointerException: no bus", "java.lang.NullPointerException: no bus"),
        ("/code/rtl/alu.sv:41: error: Unknown module type: adder", "error: Unknown module type: adder"),
        ("error[E0308]: mismatched types", "error[E0308]: mismatched types"),
        ("2031-05-01 10:00:00,123 ERROR cocotb: port missing", "ERROR cocotb: port missing"),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ("FAILED tests/test_a.py::test_sum[3] - KeyError: 'total'", "KeyError: 'total'"),
        ("sort: write failed: No space left on device", "sort: write failed: No space left on device"),
    ],
)
def test_a_line_is_kept_from_where_it_names_its_error(line: str, kept: str) -> None:
    assert _lines(f"{CHATTER}\n{line}\n{CHATTER}") == [kept]


@pytest.mark.parametrize(
    "line",
    [
        "0 errors, 3 warnings", '"failed": 0,', "no failures", "    raise ValueError(width)", "12 passed in 0.4s",
        "assert failed == 0", "errors: none",
    ],
)  # fmt: skip
def test_counts_of_none_and_lines_of_source_tell_of_no_error(line: str) -> None:
    assert _lines(f"{CHATTER}\n{line}\n{CHATTER}") == []


def test_an_error_counts_more_than_those_that_pass_it_on() -> None:
    log = f"{CHATTER}\nE   TypeError: no port\nE   SystemExit: ERROR: Failed 1 of 8 tests.\n1 failed in 0.4s"

    assert _lines(log) == ["TypeError: no port"]
    assert _lines(log.replace("E   TypeError: no port\n", "")) == ["SystemExit: ERROR: Failed 1 of 8 tests."]


def test_equal_errors_count_once_and_of_many_the_first_and_the_last_are_kept() -> None:
    names = "abcdefghijklmnop"
    log = "\n".join(f"KeyError: port {name} of step {n}" for name in names for n in range(3))

    kept = _lines(f"{CHATTER}\n{log}")

    assert len(kept) == MOST_LINES
    assert (kept[0], kept[-1]) == ("KeyError: port a of step 0", "KeyError: port p of step 0")


@pytest.mark.parametrize("before", [0, 20_000, 90_000])
def test_an_error_in_the_middle_of_a_huge_log_is_found_where_its_ends_name_none(before: int) -> None:
    filler = "unpacking a layer of the image\n"
    near, far = filler * (1 + before // len(filler)), filler * 10_000
    assert len(far) > 300_000
    assert _lines(f"{near}KeyError: middle\n{far}2 checks failed\n") == ["KeyError: middle"]
    assert _lines(f"{far}KeyError: middle\n{near}2 checks failed\n") == ["KeyError: middle"]


def test_what_stands_far_from_both_ends_of_a_huge_log_is_not_searched() -> None:
    filler = "unpacking a layer of the image\n" * 4_000
    assert len(filler) > 112_000
    assert _lines(f"{filler}KeyError: middle\n{filler}2 checks failed\n") == ["2 checks failed"]


def test_what_stands_in_the_middle_of_a_huge_log_is_not_searched_where_its_ends_name_errors() -> None:
    filler = "nothing of note\n" * 40_000

    assert _lines(f"KeyError: first\n{filler}KeyError: middle\n{filler}KeyError: last") == [
        "KeyError: first",
        "KeyError: last",
    ]


def test_a_long_line_is_cut_between_words() -> None:
    [kept] = _lines(f"ValueError: {'word ' * 60}password=hunter2")

    assert kept == ("ValueError: " + "word " * 60)[:200].rpartition(" ")[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("container_stderr", True), ("eval_log", True), ("traceback", True), ("test_output", True),
        ("verifier_stdout", True), ("output_tail", True), ("model_output", False), ("judge_output", False),
        ("rubric", False), ("extracted_code", False), ("dialog", False), ("catalogue", False),
    ],
)  # fmt: skip
def test_names_that_promise_a_log(name: str, expected: bool) -> None:
    assert is_log(name) is expected


def test_logs_inside_objects_speak_where_no_log_of_the_row_does() -> None:
    log = f"{CHATTER}\nKeyError: 'bus'"
    row = {"services": [{"name": "sim", "stderr": log}], "stderr": CHATTER}

    assert lines_of_logs(row, tuple(row)) == [["services_stderr", "KeyError: 'bus'"]]
    assert lines_of_logs(row | {"stderr": f"{CHATTER}\nTypeError: none"}, tuple(row)) == [["stderr", "TypeError: none"]]


def test_of_a_failed_tool_the_last_named_error_is_told_or_its_first_words() -> None:
    assert (
        telling_line("Traceback (most recent call last):\n  File x\nOSError: [Errno 28] full")
        == "OSError: [Errno 28] full"
    )
    assert telling_line("\n  no such table: orders\nmore") == "no such table: orders"
    assert telling_line(" \n--\n") is None


def test_the_rows_of_a_run_hold_the_lines_and_not_the_log(tmp_path: Path) -> None:
    row = rollout(0, 0, 0.0, eval_log=f"{CHATTER}\nKeyError: 'bus'", instructions_log="short")

    [lines] = read_rollouts(write_run(tmp_path, jsonl(row)))["error_lines"].to_pylist()

    assert orjson.loads(lines) == [["eval_log", "KeyError: 'bus'"]]


def test_the_message_of_an_object_is_read_as_json() -> None:
    assert telling_line('{"error": "no key \\"a\\" in\\nline 2"}') == 'no key "a" in'
    assert telling_line('{"fehler": "Zutat \\u00e4 fehlt"}') == "Zutat ä fehlt"
    assert telling_line('{"error": "it broke off he') == "it broke off he"
