"""A team's own files: each mistake is refused with file, line and the mend."""

from pathlib import Path

import pytest

from blade_pipeline.method.comparison import compare
from blade_pipeline.method.profiles import load_labels, load_profile, load_references, profile_of
from blade_pipeline.models import BladeError, Profile
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.method.chain import analyzed_folder, rollout, write_run


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pass_treshold: 1", "bench.yaml, line 1: unknown field 'pass_treshold'; did you mean 'pass_threshold'?"),
        ("score: reward\nreward_range: [1, 0]", "bench.yaml: reward_range must name the lowest score first"),
        ("pass_threshold: .nan", "bench.yaml, line 1: field 'pass_threshold': Input should be a finite number."),
        ("score: [", "bench.yaml, line 1: not readable as YAML"),
        ("- a", "bench.yaml: expected a mapping of fields at the top level."),
        ("funnel:\n- phase: x\n  wen: passed", "line 3: unknown field 'funnel.0.wen'; did you mean 'when'?"),
        ("failure_modes:\n- {code: a, when: outcom = 'x', severity: 1}", "did you mean 'outcome'?"),
        (
            "failure_modes:\n- code: a\n  severity: 1\n  when: outcom = 'x'",
            "bench.yaml, line 4: failure_modes 'a': 'outcom",
        ),
        ("funnel:\n- phase: x\n  when: repeat(task, 9) > 'a'", "bench.yaml, line 3: funnel 'x': 'repeat(task, 9) > "),
        ("[" * 3000, "bench.yaml: not readable as YAML"),
    ],
)
def test_a_wrong_profile_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "bench.yaml").write_text(text)
    with pytest.raises(BladeError) as error:
        load_profile(tmp_path, "bench")
    assert sentence in str(error.value)


def test_no_profile_is_the_default_one(tmp_path: Path) -> None:
    document = load_profile(tmp_path, "bench")
    assert document["present"] is False
    assert profile_of(document).pass_threshold == 1.0


def test_an_empty_profile_is_present(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text("# nothing yet\n")
    assert load_profile(tmp_path, "bench")["present"] is True


def test_a_reference_in_percent_must_say_so(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text("references:\n- {name: board, score: 87}\n")
    with pytest.raises(BladeError, match="87 is no fraction; give a score between 0 and 1, or another scale"):
        load_references(tmp_path, "bench")
    (tmp_path / "bench.yaml").write_text("references:\n- {name: board, score: 87, scale: percent}\n")
    assert load_references(tmp_path, "bench")["references"][0]["score"] == 87


def test_labels_are_a_list(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "run.yaml").write_text("task: 1")
    with pytest.raises(BladeError, match=r"run.yaml: expected a list, or a list under the key 'labels'."):
        load_labels(tmp_path, "bench", "run")
    (tmp_path / "bench" / "run.yaml").write_text("- {task: 1, root_cause: KG}")
    assert load_labels(tmp_path, "bench", "run")["labels"][0]["root_cause"] == "KG"


def test_every_field_is_explained_in_the_docs() -> None:
    page = (PROJECT / "docs" / "profiles.md").read_text()
    explained = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert explained == list(Profile.model_fields)


@pytest.mark.parametrize(("field", "method", "common"), [("code", "dataset id", 2), (None, "none", 0)])
def test_the_field_of_the_task_id_pairs_tasks_whose_contents_differ(
    tmp_path: Path, field: str | None, method: str, common: int
) -> None:
    """The second run words both questions anew and asks them the other way round."""
    for run, codes, wording in (("a", ["x", "y"], "Say"), ("b", ["y", "x"], "Please say")):
        asked = [{"responses_create_params": {"input": f"{wording} {code}"}, "code": code} for code in codes]
        write_run(tmp_path / "bench" / run, [rollout(task, 0, 1.0, **fields) for task, fields in enumerate(asked)])
    profile = Profile(task_id_field=field)
    found = analyzed_folder(tmp_path, profile)
    pair = compare(found["bench/a"].side("a"), found["bench/b"].side("b"), profile)
    assert (pair["pairing"]["method"], pair["pairing"]["common"]) == (method, common)
    expected = ['"x"', '"y"'] if field else [None, None]
    assert found["bench/a"].aligned["dataset_id"].to_pylist() == expected
