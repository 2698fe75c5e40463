"""Errors of tools that a rollout did not get over, and texts that go in circles, with planted outputs."""

from typing import Any

import orjson
import pytest

from blade_pipeline.gym.repetition import repeated_sentences
from blade_pipeline.gym.trajectory import trajectory

Call = tuple[str, str, str]
FULL = "OSError: [Errno 28] No space left on device"


def _all(*calls: Call, final: str | None = None) -> list[list[str]]:
    items: list[dict[str, Any]] = []
    for number, (tool, arguments, output) in enumerate(calls):
        items.append({"type": "function_call", "name": tool, "arguments": arguments, "call_id": f"c{number}"})
        items.append({"type": "function_call_output", "call_id": f"c{number}", "output": output})
    if final is not None:
        items.append({"type": "message", "role": "assistant", "content": final})
    return trajectory({}, {"output": items}).open_errors


def _open(*calls: Call) -> list[list[str]]:
    return [error for error in _all(*calls) if error[0] not in ("environment_met", "met_error")]


def _errors(*calls: Call) -> list[str]:
    return [line for _, line in _open(*calls)]


def test_an_error_that_nothing_follows_stays_open() -> None:
    assert _errors(("bash", "python job.py", f"<returncode>1</returncode>\n{FULL}"), ("bash", "ls out", "a.csv")) == [
        FULL
    ]


def test_an_error_is_overcome_when_nearly_the_same_call_goes_well() -> None:
    failed = ("bash", "python job.py --out /app/out", f"Traceback (most recent call last):\n{FULL}")
    assert _errors(failed, ("bash", "rm -rf cache", ""), ("bash", "python job.py --out /app/out", "wrote 9 rows")) == []
    assert _errors(failed, ("bash", "python job.py --out /tmp/out", "wrote 9 rows")) == []
    assert _errors(failed, ("shell", "python job.py --out /app/out", "wrote 9 rows")) == [FULL]
    assert _errors(("bash", "python job.py --out /app/out", "wrote 9 rows"), failed) == [FULL]


DONE = ("bash", "wc -l out/result.csv", "40 out/result.csv")


@pytest.mark.parametrize(
    ("line", "after", "field"),
    [
        (FULL, 0, "environment_error"),
        (FULL, 3, "environment_error"),
        (FULL, 4, "tool_error"),
        ("cp: error writing 'a': Disk quota exceeded", 1, "environment_error"),
        ("bash: fork: Cannot allocate memory", 1, "environment_error"),
        ("Error: curl: (6) Could not resolve host: pypi.org", 1, "environment_error"),
        ("Error: 503 Service Unavailable", 1, "environment_error"),
        ("Error: HTTP 429: Too Many Requests", 1, "environment_error"),
        ("Error: connect ECONNREFUSED 10.2.3.4:5432", 1, "environment_error"),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432", 1, "tool_error"),
        ("Error: HTTP 404: no such page", 1, "tool_error"),
        ("ModuleNotFoundError: No module named 'tqdm'", 0, "tool_error"),
    ],
)
def test_the_work_ends_at_an_error_of_the_environment(line: str, after: int, field: str) -> None:
    calls = [("bash", "python job.py --in data", f"<returncode>1</returncode>\n{line}"), *[DONE] * after]
    assert [error[0] for error in _open(*calls)] == [field]
    well = ("bash", "python job.py --in data", "wrote 90 rows")
    assert _open(*calls, well) == [], "an error that was got over counts"


BROWSER = ("goto", '{"url": "https://fares.example/"}')
DENIED = (
    '{"url": "https://fares.example/", "title": "Access Denied", "text": "You don\'t have permission to access '
    '\\"https://fares.example/\\" on this server."}'
)
PAGE = '{"url": "https://fares.example/", "title": "Fares", "text": "Oslo to Bergen from 299"}'


def test_a_brief_output_that_is_only_a_services_words_counts_at_the_end() -> None:
    finish = ("finish", '{"answer": "none"}', '{"done": true}')
    [[field, line]] = _all((*BROWSER, DENIED), finish)
    assert (field, line) == ("environment_error", DENIED)
    assert _all((*BROWSER, DENIED), (*BROWSER, PAGE), finish) == [], "a call that went well got over it"
    others = [("note", '{"text": "a b c"}', "saved")] * 4
    assert _all((*BROWSER, PAGE), *others, finish) == []


def test_a_tool_that_never_answers_again_has_ended_the_work_however_much_follows() -> None:
    busy = ("search", '{"q": "mill"}', '{"error": "429 Too Many Requests: retry after 30s"}')
    notes = [("note", '{"text": "from memory"}', "saved")] * 6
    assert [error[0] for error in _all(busy, busy, *notes)] == ["tool_error", "environment_error"]
    assert [error[0] for error in _all(busy, *notes)] == ["tool_error", "environment_met"], "one failure is no outage"
    well = ("search", '{"q": "mill"}', '{"results": ["a mill"]}')
    assert [error[0] for error in _all(busy, busy, well, *notes)] == ["environment_met", "met_error"]


@pytest.mark.parametrize(
    ("final", "told"),
    [
        ("litellm.APIConnectionError: Connection refused by the model's server", True),
        ("Error response from daemon: No such container: 9f2c", True),
        ("I could not finish: the search API said 429 Too Many Requests.", False),
        ("The log says 'connection refused', so our proxy is down. " + "It was set up wrongly. " * 10, False),
        ("The mill was built in 1850.", False),
    ],
)
def test_a_final_message_that_is_no_more_than_an_error_of_the_environment_is_told(final: str, told: bool) -> None:
    assert [error[0] for error in _all(DONE, final=final)] == ["environment_answer"] * told


def test_an_error_of_the_environment_that_came_before_counts_at_the_end() -> None:
    full = ("bash", "python job.py", f"Traceback (most recent call last):\n{FULL}")
    others = [("query", f'{{"q": "{letter * 9}"}}', f"Error: {letter * 9} is no name") for letter in "abcdefghijkl"]
    assert _open(full, *others, full)[0] == ["environment_error", FULL]


def test_a_tool_that_takes_no_text_is_overcome_by_any_call_that_goes_well() -> None:
    failed = ("find_flights", '{"code": "AB1", "fare": ["flex"]}', "Error: fare must be str")
    assert _errors(failed, ("find_flights", '{"from": "OSL", "day": 4}', "2 flights")) == []
    assert _errors(failed, ("book", '{"code": "AB1"}', "booked")) == ["Error: fare must be str"]
    assert _errors(("find_flights", '{"code": "AB1"}', "1 flight"), failed) == ["Error: fare must be str"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ('{"error": "order 17 not found", "code": 404}', "order 17 not found"),
        ('{"success": false, "message": "no such seat"}', "no such seat"),
        ("Error: unknown column 'total'", "Error: unknown column 'total'"),
        ("bash: foo: command not found", "bash: foo: command not found"),
    ],
)
def test_what_an_error_says(output: str, told: str) -> None:
    assert _errors(("query", "{}", output)) == [told]


def test_no_more_than_eight_errors_are_kept() -> None:
    calls = [("query", f'{{"q": "{letter * 9}"}}', f"Error: {letter * 9} is no name") for letter in "abcdefghijkl"]
    assert _errors(*calls) == [f"Error: {letter * 9} is no name" for letter in "abcdefgh"]


def _dialogue(*pairs: tuple[str, str]) -> int | None:
    items: list[dict[str, Any]] = []
    for said, seen in pairs:
        items.append({"type": "message", "role": "assistant", "content": said})
        items.append({"type": "message", "role": "user", "content": seen})
    return trajectory({}, {"output": items}).repeated_turns


def test_messages_that_are_answered_the_same_again_are_counted() -> None:
    assert _dialogue(*[("scroll", "page"), ("click", "page")] * 3) == 4
    assert _dialogue(*[("scroll", f"page {letter}") for letter in "abcd"]) == 0
    assert _dialogue() == 0


def test_a_model_that_nobody_answers_repeats_no_turn() -> None:
    said = {"type": "message", "role": "assistant", "content": "again"}
    assert trajectory({}, {"output": [said] * 5}).repeated_turns == 0


def test_errors_that_were_got_over_are_kept_once_each_beside_those_that_were_not() -> None:
    """Three lacks of a module and one of a file, each followed by a like call that goes well; the last one stays."""
    lacks = [("bash", f"python fit.py --seed {n}", f"Error: No module named pandas{n}") for n in range(3)]
    well = ("bash", "python fit.py --seed 9", "fitted 4 rows")
    file, found = (
        ("bash", "cat /data/in.csv", "Error: /data/in.csv not found"),
        ("bash", "cat /data/in2.csv", "a,b"),
    )
    assert _all(*lacks, well, file, found, DONE, ("sql", "select 1 from t", "Error: no table t")) == [
        ["tool_error", "Error: no table t"],
        ["met_error", "Error: No module named pandas0"],
        ["met_error", "Error: /data/in.csv not found"],
    ]


SENTENCE = "Wait, the width has to be even once more"
PHRASES = [f"{name} was read with care before the next one" for name in "Alder Birch Cedar Dogwood Elm Fir Gum".split()]
LONG = " ".join(f"Then step {n} gives the value {n * n}." for n in range(200))
OTHER = " ".join(f"Then step {n} gives the value {n * n}." for n in range(20))


def test_a_sentence_that_fills_a_third_of_a_text_is_counted() -> None:
    text = f"{OTHER} " + f"{SENTENCE}. " * 20
    assert repeated_sentences(text) == 20
    assert repeated_sentences(text.replace(". ", "\n")) == 20


@pytest.mark.parametrize(
    "text",
    [
        f"{OTHER} " + f"{SENTENCE}. " * 4,
        f"{LONG} " + f"{SENTENCE}. " * 10,
        f"{SENTENCE}. " * 9,
        "| --- | --- | --- | --- |\n" * 60,
        "    }\n" * 200,
        "x = 1; y = 2; z = 3\n" * 60,
        "yes. " * 300,
        # Seven sentences 12 times each; each follows any other one twice.
        "".join(f"{PHRASES[place * step % 7]}. " for step in range(1, 7) for place in range(7)) * 2,
    ],
)
def test_refrains_tables_code_and_set_phrases_are_no_circles(text: str) -> None:
    assert repeated_sentences(text) == 0


def test_a_circle_of_several_sentences_is_one_where_they_come_in_the_same_order() -> None:
    assert repeated_sentences("".join(f"{phrase}. " for phrase in PHRASES) * 9) == 9


def test_reasoning_and_messages_are_both_looked_at() -> None:
    circle = f"{SENTENCE}. " * 30
    reasoning = {"type": "reasoning", "summary": [{"type": "summary_text", "text": circle}]}
    answer = {"type": "message", "role": "assistant", "content": circle}
    for item in (reasoning, answer):
        assert trajectory({}, {"output": [item]}).repeated_sentences == 30


def test_lines_survive_as_json() -> None:
    found = trajectory({}, {"output": [{"type": "function_call_output", "call_id": "x", "output": "Error: \ud800 no"}]})
    assert orjson.loads(orjson.dumps(found.open_errors)) == [["tool_error", "Error: \ufffd no"]]
