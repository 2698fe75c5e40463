"""Excerpts of a row: which pieces, how long, and nothing private in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.gym.content import fingerprint
from blade_pipeline.gym.excerpts import LIMIT, ChangedError, Place, read_row, rollout_excerpts, task_excerpt
from blade_pipeline.gym.trajectory import step_texts

CALL = {"type": "function_call", "name": "search", "arguments": '{"q": "pens"}', "call_id": "c1"}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "Error: the service is busy"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No pens."}]}


def _row(*output: Any, **extra: Any) -> dict[str, Any]:
    return {"response": {"output": list(output)}, "reward": 0.0, **extra}


def _read(row: dict[str, Any], step: int | None = None) -> list[tuple[str, str]]:
    return [(found.what, found.text) for found in rollout_excerpts(row, step)]


def test_the_step_the_last_error_the_end_and_the_verifiers_words_are_read() -> None:
    row = _row(CALL, RESULT, SAID, verdict="no order", asserted=3, empty="")
    assert _read(row, 1) == [
        ("step 1 of 3, tool call search (where they part)", '{"q": "pens"}'),
        ("step 2 of 3, tool output search (last error)", "Error: the service is busy"),
        ("step 3 of 3, message assistant (end)", "No pens."),
        ("field verdict", "no order"),
        ("field asserted", "3"),
    ]


def test_the_expected_answer_is_set_against_the_extracted_one_and_errors_of_logs_are_told() -> None:
    log = "nothing of note\n" * 20 + "KeyError: no bus"
    row = _row(SAID, note="late", extracted_answer=None, expected_answer="32", eval_log=log)
    assert _read(row)[1:4] == [
        ("expected answer, field expected_answer", "32"),
        ("extracted answer, field extracted_answer", ""),
        ("error line of field eval_log", "KeyError: no bus"),
    ]
    assert ("field note", "late") in _read(row)[4:]


def test_a_step_beyond_the_end_is_no_mistake() -> None:
    assert _read(_row(SAID), 9) == [("step 1 of 1, message assistant (end)", "No pens.")]
    assert _read({"reward": 1.0}, 1) == []


def test_steps_and_texts_of_an_ng_trajectory() -> None:
    turns = {"turns": [{"role": "user", "content": "Hi"}, {"answer": "Yes"}], "tool_calls": [{"name": "f"}, 7]}
    assert step_texts({"ng_trajectory": turns}, {}) == [
        (["message", "user", 2, None, 0], "Hi"),
        (["message", "assistant", 3, None, 0], "Yes"),
        (["tool_call", "f", 0, None, 0], ""),
    ]


def test_steps_beyond_the_bound_keep_their_texts() -> None:
    """500 steps: the first 300, one for the 101 left out, the last 99."""
    row = _row(*({"type": "message", "role": "user", "content": f"m{n}"} for n in range(1, 501)))
    pairs = step_texts(row, row["response"])
    assert [text for _, text in (pairs[0], pairs[299], pairs[300], pairs[301], pairs[399])] == [
        "m1",
        "m300",
        "",
        "m402",
        "m500",
    ]


@pytest.mark.parametrize("end", [False, True])
def test_a_long_text_is_cut_and_a_secret_across_the_cut_is_gone(end: bool) -> None:
    """The secret begins before the cut and ends behind it, whichever end of the text is shown."""
    secret = "nvapi-" + "Ab1" * 20
    filler = "word " * 8000
    text = filler + secret + "z " + "y" * (LIMIT - 20) if end else "y" * (LIMIT - 20) + " " + secret + " " + filler
    output = [{"type": "message", "role": "assistant", "content": text}]
    [(_, shown)] = _read(_row(*output), None if end else 1)
    assert len(shown) <= LIMIT + 1
    assert "Ab1Ab1" not in shown


def test_secrets_addresses_and_home_folders_are_not_shown() -> None:
    text = "curl http://10.0.0.7:8000 -H 'Authorization: Bearer abcdefghij' > /home/ana/out.txt"
    shown = str(_read(_row({"type": "message", "role": "assistant", "content": text}, note=text)))
    for part in ("10.0.0.7", "abcdefghij", "ana"):
        assert part not in shown
    assert "[not shown]" in shown


def test_a_private_key_is_hidden_to_its_end() -> None:
    text = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" * 400
    assert "MIIE" not in str(_read(_row({"type": "message", "role": "assistant", "content": text})))


def test_the_question_is_the_last_message_of_the_user() -> None:
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is 2 + 2?"}]
    found = task_excerpt({"responses_create_params": {"input": asked}})
    assert found is not None and found.text == "What is 2 + 2?"
    said = task_excerpt({"responses_create_params": {"input": "Hello"}})
    assert said is not None and said.text == "Hello"
    assert task_excerpt({"responses_create_params": {"input": 7}}) is None
    fallback = task_excerpt({"question": "Why?"})
    assert fallback is not None and fallback.text == "Why?"


def test_whitespace_and_lone_surrogates_are_texts_too() -> None:
    shown = _read(_row({"type": "message", "role": "assistant", "content": " " * 20_000}))
    assert shown[0][1].strip() == ""
    assert _read(_row({"type": "message", "role": "assistant", "content": "a\ud800"}))[0][1] == "a\ufffd"


def _place(folder: Path, row: dict[str, Any]) -> Place:
    first, raw = b'{"reward": 1}\n', json.dumps(row).encode()
    (folder / "rollouts.jsonl").write_bytes(first + raw + b"\n")
    return Place("rollouts.jsonl", len(first), len(raw), fingerprint(raw))


def test_a_row_is_read_at_its_place(tmp_path: Path) -> None:
    assert read_row(tmp_path, _place(tmp_path, {"reward": 0.5})) == {"reward": 0.5}


def test_a_row_that_is_no_longer_there_is_named(tmp_path: Path) -> None:
    place = _place(tmp_path, {"reward": 0.5})
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.6"))
    with pytest.raises(
        ChangedError, match=r"^rollouts.jsonl has changed since the run was analysed; run blade analyze"
    ):
        read_row(tmp_path, place)
    path.write_bytes(b"")
    with pytest.raises(ChangedError, match="has changed since"):
        read_row(tmp_path, place)
    path.unlink()
    with pytest.raises(ChangedError, match=r"^rollouts.jsonl is gone from "):
        read_row(tmp_path, place)
    with pytest.raises(ChangedError, match=r"^The run directory .* is gone; put it back to read its rollouts\.$"):
        read_row(tmp_path / "other", place)


def test_a_line_too_long_to_parse_is_named_and_not_read(tmp_path: Path) -> None:
    place = _place(tmp_path, {"reward": 0.5})
    with pytest.raises(ChangedError, match="too long to show"):
        read_row(tmp_path, place._replace(length=2**40))
