"""What is shown of values from files: no address, no user name, no secret; the rest as it stands."""

import pytest

from blade_pipeline.gym.public import hidden_reason, redacted, secret_reason, shown, shown_image

PRIVATE = [
    "sk-proj-abc123DEF456ghi789",
    "sk-abcdefghijklmnopqrst",
    "nvapi-ABCDEFGHIJKLMNOPQRSTUVWX",
    "ghp_0123456789abcdefghij",
    "AKIAIOSFODNN7EXAMPLE",
    "Bearer abcdef",
    "password=hunter2",
    "passwd: hunter2",
    'db_password": "hunter2"',
    "secret=hunter2",
    "API_KEY=hunter2",
    "Authorization: Basic aHVudGVyMg==",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    "https://user:pw@example.com/v1",
    "10.1.2.3:8000/v1",
    "someone@example.com",
    "user:pw@host:5000",
    "registry.x.corp.internal:5000",
    "host.lan",
    "node17.internal",
    "mac.local",
]
HARMLESS = [
    "4717c06e1b2d3f4a5968778695a4b3c2d1e0f9a8",
    "123e4567-e89b-42d3-a456-426614174000",
    "digest:0123456789abcdef",
    "sha256:" + "ab" * 32,
    "gym-job-20261019T210000Z-1d9d43",
    "task-20261019T210000Z-1d9d43",
    "meta-llama/Llama-3.1-8B-Instruct",
    "registry.example/gym-driver:2026.10",
    "nvcr.io/nvidia/nemo@sha256:" + "0" * 64,
    "team/gym:1@sha256:" + "0" * 64,
    "skill_execution_and_planning",
    "skip_tests_and_continue",
    "hf_transformers_inference",
    "max_output_tokens=4096",
    "settings.local.json",
    "pass@1 is 87.5%",
    "rollouts.jsonl:17",
    "v0.12.1",
    "-1.25e-07",
]


@pytest.mark.parametrize("text", PRIVATE)
def test_private_parts_are_taken_out(text: str) -> None:
    assert hidden_reason(text) is not None
    found = redacted(f"see `{text}` here")
    assert found.startswith("see `")
    assert found.endswith(" here")
    assert "[not shown]" in found
    assert not any(part in found for part in ("hunter2", "10.1", "example.com", "internal", "lan", "MIIE", "abcdef"))
    assert redacted(found) == found


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_texts_stay(text: str) -> None:
    assert redacted(text) == text
    assert hidden_reason(text) is None


def test_a_private_key_takes_the_rest_with_it() -> None:
    assert redacted("key -----BEGIN RSA PRIVATE KEY-----\nMIIE\n") == "key [not shown]"


def test_home_folders_are_taken_out_of_sentences() -> None:
    assert redacted("see /home/someone/x.json for more") == "see [not shown] for more"
    assert redacted("GET /users/7") == "GET /users/7"


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("registry.example/gym-driver:2026.10", "registry.example/gym-driver:2026.10"),
        ("registry.x.corp.internal/team/gym:1", "team/gym:1"),
        ("docker://user:pw@host.lan:5000/team/gym:1", "team/gym:1"),
        ("10.1.2.3/team/gym:1.2.3.4", "team/gym:1.2.3.4"),
    ],
)
def test_images_lose_only_a_private_registry(image: str, expected: str) -> None:
    assert shown_image(image) == expected
    assert secret_reason(expected) is None


def test_an_image_that_holds_a_secret_has_a_reason() -> None:
    assert secret_reason(shown_image("r.example/sk-proj-abc123DEF456ghi789:1")) == "not shown: it looks like a secret"


def test_absolute_paths_inside_json_lose_their_folders() -> None:
    value = '{"a":"/home/someone/t.jinja","b":"C:\\\\Users\\\\me\\\\u.jinja","c":"org/model","d":1}'
    assert shown(value) == '{"a":"t.jinja","b":"u.jinja","c":"org/model","d":1}'


@pytest.mark.parametrize(
    "text", ["file:///x/y?t=q7Xw2LkP0sZd", "/srv/see https://x.example/q7Xw2LkP0sZd", '{"a":"file:///q7Xw2LkP0sZd"}']
)
def test_the_last_part_of_an_address_is_hidden_with_it(text: str) -> None:
    assert "q7Xw2LkP0sZd" not in shown(text)


@pytest.mark.parametrize("text", ["a" * 200_000, "a-" * 100_000, "a." * 100_000, "password" * 20_000, "@:" * 90_000])
def test_long_texts_on_which_a_pattern_could_go_back_for_ever_are_answered(text: str) -> None:
    assert redacted(text) == text
