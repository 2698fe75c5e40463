"""Labels from verifier texts: equal failures group, and nothing private is left."""

import pytest

from blade_pipeline.method.near_templates import merged
from blade_pipeline.method.verifier_text import code_of, codes_of, priority, redact, template


@pytest.mark.parametrize(
    ("one", "two", "label"),
    [
        ("expected 3 rows, got 17", "expected 40 rows, got 2", "expected N rows, got N"),
        ("KeyError: 'alpha'", "KeyError: 'beta'", "KeyError: [text]"),
        ("no such file: /home/eve/a.txt", "no such file: /srv/x/b.csv", "no such file: [path]"),
        ("the order holds I7, not I12", "the order holds I31, not I2", "the order holds [id], not [id]"),
        ("Sales!F30: cell is blank", "'Q3 plan'!$B$4:$C$9: cell is blank", "[cell]: cell is blank"),
        ("at 2024-03-01 00:00:00+00:00 not 2024-03-01", "at 2025-11-30T07:15Z not 2025-11-30", "at [time] not [date]"),
        (
            "Proof.lean:12:3: error: unsolved goals",
            "src/a/Main.lean:7:45: error: unsolved goals",
            "[place]: error: unsolved goals",
        ),
        ("object at 0x7f3a22", "object at 0xdeadbeef", "object at [hex]"),
    ],
)
def test_equal_failures_share_a_template(one: str, two: str, label: str) -> None:
    assert template(one) == template(two) == label


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-a1b2c3d4e5f6a7b8c9d0",
        "nvapi-Zx81kQwErTyUiOp00112233",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIAIOSFODNN7EXAMPLE",
        "Bearer abcdef0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        "api_key=hunter2hunter2",
        "PASSWORD: tr0ub4dor",
        "eve@example.com",
        "git@github.com:org/private.git",
        "https://user:pw@internal.example.com/v1?sig=abc",
        "10.12.0.7:8000",
        "fe80:0:0:0:200:f8ff:fe21:67cf",
        "/home/eve/project/secret.py",
        "~/notes/plan.md",
        "C:\\Users\\eve\\plan.docx",
        "gpu-node-17",
        "judge.cluster.internal",
        "localhost:8080",
        "user=eve",
        "3f2b8c1d-9a4e-4f6b-8c7d-1e2f3a4b5c6d",
        "'the private answer'",
        '"def private(): return 1"',
    ],
)
def test_private_tokens_do_not_survive(secret: str) -> None:
    shown = redact(f"request to {secret} failed")
    for piece in (secret, secret.strip("'\""), "eve", "hunter2", "tr0ub4dor", "private", "gpu-node"):
        if piece in secret:
            assert piece not in shown


@pytest.mark.parametrize("harmless", ["response contains no Markdown table", "judge evaluation failed", "utf-8 only"])
def test_harmless_words_stay(harmless: str) -> None:
    assert redact(harmless) == harmless


def test_long_and_empty_texts_and_a_plain_no_have_no_template() -> None:
    assert template("x" * 201) is None
    assert template("  ") is None
    assert template("Incorrect") is None
    assert template("A>B") is None
    assert template("17") is None
    assert template("3 failed, 14 passed in 0.21s") is None
    assert template("3 of 7 tests failed") is None
    assert template("The answer does not match the reference answer.") is None
    assert template("no answer") == "no answer"


def test_fields_that_promise_an_error_come_first_and_others_not_at_all() -> None:
    assert [priority(name) for name in ("error_type", "failure_reason", "verdict", "category")] == [0, 3, 5, None]


def test_codes_hold_no_comma() -> None:
    assert code_of("odd,name", "a, b; c") == "odd_name:a_b_c"


def test_a_long_code_ends_at_a_word() -> None:
    # 57 characters up to "verdicts"; with "at_last" it would be 65.
    long = "the harness ended before the last file was read, verdicts at last"
    assert code_of("eval_log", long) == "eval_log:the_harness_ended_before_the_last_file_was_read_verdicts_at"
    assert code_of("eval_log", "x" * 70) == f"eval_log:{'x' * 60}"


def test_codes_that_begin_alike_keep_the_words_from_where_they_part() -> None:
    begin = "the harness ended before the last file of the fourth batch was"
    keys = [("log", f"{begin} {end}") for end in ("read", "written to the new disk at all")]
    assert codes_of([*keys, ("log", "read"), ("note", keys[0][1])]) == [
        "log:the_harness_ended_before_the__read",
        "log:the_harness_ended_before_the__written_to_the_new_disk_at_all",
        "log:read",
        "note:the_harness_ended_before_the_last_file_of_the_fourth_batch",
    ]


def test_codes_that_would_still_be_the_same_are_numbered() -> None:
    assert codes_of([("a", "x y"), ("a", "x, y"), ("b", "x y")]) == ["a:x_y", "a:x_y_2", "b:x_y"]


def test_long_messages_that_begin_alike_are_one() -> None:
    begin = "the build stopped since the compiler found a name that no file of the project says"
    told = [("log", begin), *(("log", f"{begin} {end}") for end in ("alpha and goes on", "beta"))]
    assert merged(told) == dict.fromkeys(told, f"{begin}…")


def test_messages_are_one_where_any_two_differ_in_a_quarter_of_their_words() -> None:
    # Of nine words each pair of bookings differs in two; the slots differ from them in six and from each other in four.
    bookings = [f"the booking of {who} for {day} was lost today" for who, day in (("anna", "may"), ("bo", "june"))]
    bookings.append("the booking of cleo for july was lost today")
    slots = [f"no {size} slot {when} {why} was lost today {end}" for size, when, why, end in (
        ("long", "then", "because", "it"), ("short", "now", "as", "again"), ("free", "later", "since", "there"),
    )]  # fmt: skip
    found = merged(("error", text) for text in [*bookings, *slots])
    assert found == {("error", text): "the booking of [word] for [word] was lost today" for text in bookings}


def test_only_messages_of_one_field_are_put_together() -> None:
    named = [("error", "no slot for anna"), ("error", "no slot for bo"), ("reason", "no slot for cleo")]
    assert merged(named) == {}
