"""A misspelt field of a profile is told, and no figure is drawn from it."""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.expressions import fields_read
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.profile_fields import ABSENT_FIELD, absent_field_findings
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.funnels import Funnels
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import NO_MODES, aligned, buckets_of
from blade_pipeline_tests.method.chain import analyzed_folder, planned, rollout, write_run

END = "and no row of this run holds it among the fields that are read"
ROWS: list[dict[str, Any]] = [
    {
        "task": task,
        "score": float(task == 0),
        "verifier": {"format_ok": "yes" if task < 2 else "no", "extracted_answer": None, "category": "a"},
        "numbers": {"rubric": float(task == 0)},
        "slices": {"category": "a"},
    }
    for task in range(4)
]


def _told(rows: list[dict[str, Any]] | None = None, **profile: Any) -> list[str]:
    found = list(absent_field_findings(aligned(ROWS if rows is None else rows), Profile.model_validate(profile)))
    assert {entry["kind"] for entry in found} <= {ABSENT_FIELD}
    return [entry["sentence"] for entry in found]


def _phase(when: str, name: str = "gave format") -> dict[str, Any]:
    return {"funnel": [{"phase": name, "when": when}, {"phase": "won", "when": "passed"}]}


def _mode(when: str) -> dict[str, Any]:
    return {"failure_modes": [{"code": "bad_format", "when": when, "severity": 1}]}


@pytest.mark.parametrize(
    ("profile", "field", "place", "meant"),
    [
        ({"score": "rewrd"}, "rewrd", "as `score`", "reward"),
        ({"score": "rubrc"}, "rubrc", "as `score`", "rubric"),
        ({"answer_key": "extracted_anser"}, "extracted_anser", "as `answer_key`", "extracted_answer"),
        ({"slices": ["category", "catgory"]}, "catgory", "as one of `slices`", "category"),
        ({"family_field": "categori"}, "categori", "as `family_field`", "category"),
        (_phase("verifier->>'format_okk' = 'yes'"), "format_okk", "in phase `gave format`", "format_ok"),
        (_phase("json_extract_string(verifier, '$.format_okk') = 'yes'"), "format_okk", "in phase `gave format`",
         "format_ok"),
        (_phase("numbers['rubrc'] > 0"), "rubrc", "in phase `gave format`", "rubric"),
        (_phase("verifier->>'format_okk' is null"), "format_okk", "in phase `gave format`", "format_ok"),
        (_mode("verifier->>'format_okk' = 'no'"), "format_okk", "in failure mode `bad_format`", "format_ok"),
    ],
)  # fmt: skip
def test_a_misspelt_field_is_told_with_what_may_have_been_meant(
    profile: dict[str, Any], field: str, place: str, meant: str
) -> None:
    assert _told(**profile) == [f"The profile names `{field}` {place}, {END}; did you mean `{meant}`?"]


def test_a_field_like_no_other_is_told_where_its_absence_decides() -> None:
    assert _told(slices=["topic"]) == [f"The profile names `topic` as one of `slices`, {END}."]
    assert _told(**_phase("verifier->>'verdict' = 'A'")) == [
        f"The profile names `verdict` in phase `gave format`, {END}."
    ]


def test_one_field_in_two_places_is_one_finding() -> None:
    both = _phase("verifier->>'format_okk' = 'yes'") | _mode("verifier->>'format_okk' = 'no'")
    places = "in phase `gave format` and in failure mode `bad_format`"
    assert _told(**both) == [f"The profile names `format_okk` {places}, {END}; did you mean `format_ok`?"]


def test_what_a_healthy_run_lacks_is_no_misspelling() -> None:
    """An error that never happened, a name beside another of the same rule, a value held as null, a quoted name."""
    assert _told(**_mode("verifier->>'timeout_message' is not null")) == []
    assert _told(**_phase("verifier->>'timeout_message' is null")) == []
    assert _told(**_phase("coalesce(verifier->>'format_ok', verifier->>'format_oks') = 'yes'")) == []
    assert _told(answer_key="extracted_answer", slices=["category"], family_field="category") == []
    assert _told(**_phase("contains(verifier, 'format_okk') or passed")) == []


def test_fields_that_were_left_out_for_their_size_are_no_misspelling() -> None:
    named = [row | {"verifier": {"…dropped": ["report"]}} for row in ROWS]
    assert _told(named, **_phase("verifier->>'report' is not null")) == []
    unnamed = [row | {"verifier": {"…dropped": ["report", "3 more"]}} for row in ROWS]
    assert _told(unnamed, **_phase("verifier->>'verdict' is not null")) == []


def test_a_run_without_rows_says_nothing_about_names() -> None:
    missing = [{"task": 0, "outcome": "missing"}]
    profile = _phase("verifier->>'format_okk' = 'yes'")
    assert _told(missing, **profile) == []
    reached = [row["phase"] for row in funnel(aligned(missing), Profile.model_validate(profile))["phases"]]
    assert reached == ["started", "completed", "gave format", "won"]


def test_a_phase_whose_field_is_in_no_row_is_left_out_of_the_funnel() -> None:
    document = funnel(aligned(ROWS), Profile.model_validate(_phase("verifier->>'format_okk' = 'yes'")))
    assert [(row["phase"], row["reached"]) for row in document["phases"]] == [
        ("started", 4),
        ("completed", 4),
        ("won", 1),
    ]
    assert document["largest_drop"] == {"phase": "won", "lost": 3, "entered": 4}
    reason = "no row holds a field that its rule names, and no row gets through"
    assert document["not_observable"] == [{"phase": "gave format", "reason": reason}]
    rows, documents = aligned(ROWS), {"workflow_funnel": document}
    recounted = Funnels(Evidence("demo", "one", rows, None, NO_MODES, buckets_of(rows), documents)).whole
    assert {phase: tuple(pair) for phase, pair in recounted.items()} == {
        "started": (4, 4),
        "completed": (4, 4),
        "won": (1, 4),
    }


def test_a_phase_that_rows_get_through_without_the_field_counts() -> None:
    profile = Profile.model_validate(_phase("verifier->>'verdict' = 'A' or verifier->>'format_ok' = 'yes'"))
    document = funnel(aligned(ROWS), profile)
    assert [row["reached"] for row in document["phases"]] == [4, 4, 2, 1]
    assert document["not_observable"] == []


@pytest.mark.parametrize(
    ("expression", "read"),
    [
        ("verifier->>'a' is null and (verifier->'b'->>'c') = 'd'", [("verifier", "a"), ("verifier", "b")]),
        ("verifier->>'$.a.b' = 'c' or verifier->>'/d/e' = 'f'", [("verifier", "a"), ("verifier", "d")]),
        ("json_exists(response, '$.\"a b\"') or usage['t'] > 1", [("response", "a b"), ("usage", "t")]),
        ("verifier->>'$.*' is null or contains(steps, 'x') or verifier = 'y'", []),
    ],
)
def test_the_fields_that_an_expression_reads(expression: str, read: list[tuple[str, str]]) -> None:
    assert sorted(fields_read(expression)) == sorted(read)


def test_the_finding_is_among_those_of_the_run(tmp_path: Path) -> None:
    rows = [rollout(task, 0, float(task % 2), kind="sum" if task < 2 else "root") for task in range(4)]
    write_run(tmp_path / "bench" / "run", rows, inputs=[planned(task, 0, topic="x") for task in range(4)])
    typo = Profile(score="rewrd", slices=("knd", "topic"), family_field="topic")
    found = analyzed_folder(tmp_path, typo)["bench/run"].coverage
    assert [entry["sentence"] for entry in found["findings"] if entry["kind"] == ABSENT_FIELD] == [
        f"The profile names `rewrd` as `score`, {END}; did you mean `reward`?",
        f"The profile names `knd` as one of `slices`, {END}; did you mean `kind`?",
    ]
    assert found["accounting"]["unscored"] == 4
    right = Profile(score="reward", slices=("kind",))
    assert analyzed_folder(tmp_path, right)["bench/run"].coverage["findings"] == []
