"""A team's own files: each mistake is refused with file, line and the mend."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from blade_pipeline.method.comparison import compare
from blade_pipeline.method.profiles import load_labels, load_profile, load_references, profile_of
from blade_pipeline.models import AnalystLabel, BladeError, Profile, Reference
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.method.chain import analyzed_folder, rollout, write_run


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pass_treshold: 1", "bench.yaml, line 1: unknown field 'pass_treshold'; did you mean 'pass_threshold'?"),
        ("score: reward\nreward_range: [1, 0]", "line 2: field 'reward_range': must name the lowest score first"),
        ("pass_threshold: .nan", "bench.yaml, line 1: field 'pass_threshold': Input should be a finite number."),
        ("score: [", "bench.yaml, line 1: not readable as YAML"),
        ("- a", "bench.yaml, line 1: expected a mapping of fields at the top level."),
        ("funnel:\n- phase: x\n  wen: passed", "line 3: unknown field 'funnel.0.wen'; did you mean 'when'?"),
        ("failure_modes:\n- {code: a, when: outcom = 'x', severity: 1}", "did you mean 'outcome'?"),
        (
            "failure_modes:\n- code: a\n  severity: 1\n  when: outcom = 'x'",
            "bench.yaml, line 4: failure_modes 'a': 'outcom",
        ),
        ("funnel:\n- phase: x\n  when: repeat(task, 9) > 'a'", "bench.yaml, line 3: funnel 'x': 'repeat(task, 9) > "),
        ("[" * 3000, "bench.yaml: not readable as YAML"),
        (
            "score: a\n# why\nscore: b",
            "line 3: field 'score' stands here for the second time, first in line 1; keep one",
        ),
        ("funnel:\n- phase: a\n  when: passed\n  phase: b", "line 4: field 'phase' stands here for the second time"),
        ("funnel:\n- phaes: a\n  when: passed", "line 2: unknown field 'funnel.0.phaes'; did you mean 'phase'?"),
        ("funnel:\n- passed", "bench.yaml, line 2: field 'funnel.0': must be a mapping of fields."),
        ("funnel:\n  phase: a\n  when: passed", "bench.yaml, line 1: field 'funnel': must be a list."),
        ("funnel:\n- {phase: a, when: passed}\n- {phase: a, when: passed}", "line 3: funnel has two entries named 'a'"),
        ("failure_modes:\n- code: a\n  when: passed", "line 2: field 'failure_modes.0.severity' is missing; add it."),
        ("varying: modle", "'tools' or 'code'; did you mean 'model'?"),
        ("slices: category", "bench.yaml, line 1: field 'slices': must be a list."),
        ("baseline_run: 7", "bench.yaml, line 1: field 'baseline_run': must be text (put it in quotes)."),
        ("pass_threshold: yes", "field 'pass_threshold': must be a number, not true or false (YAML reads yes, no"),
        ("reward_range: [0, 1.0e+100]", "must be below 1e+100 in size, as every reward"),
        ("expected_repeats: many", "bench.yaml, line 1: field 'expected_repeats': must be a whole number."),
        ("score: reward\nnote: a\x07b", "line 2: not readable as YAML (character U+0007 may not stand in YAML)"),
        ("score: a\n---\nscore: b", "bench.yaml, line 2: not readable as YAML (but found another document)"),
        ("score: !!python/name:os.system x", "bench.yaml, line 1: not readable as YAML (could not determine"),
        ("baseline_run: 2024-13-45", "bench.yaml, line 1: not readable as YAML (month must be in 1..12)"),
        (
            "funnel:\n- phase: a\n  when: regexp_matches(task, '(')",
            "line 3: funnel 'a': 'regexp_matches(task, '(')' can",
        ),
        ("funnel:\n- phase: a\n  when: passed and", "line 3: funnel 'a': 'passed and' is no DuckDB expression: syntax"),
    ],
)
def test_a_wrong_profile_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "bench.yaml").write_text(text)
    with pytest.raises(BladeError) as error:
        load_profile(tmp_path, "bench")
    assert sentence in str(error.value)


def test_a_wrong_regular_expression_is_refused_with_its_mistake(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text(
        "failure_modes:\n- {code: a, when: \"regexp_matches(task, '[')\", severity: 1}"
    )
    with pytest.raises(BladeError, match=r"line 2: failure_modes 'a': .* cannot be evaluated: .*missing \]"):
        load_profile(tmp_path, "bench")


def test_a_profile_must_be_utf8(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_bytes(b"score: reward\n# caf\xe9\n")
    with pytest.raises(BladeError, match=r"^bench.yaml, line 2: not UTF-8; save the file as UTF-8\.$"):
        load_profile(tmp_path, "bench")


@pytest.mark.parametrize("load", [load_profile, load_references, lambda folder, name: load_labels(folder, ".", name)])
def test_a_file_beyond_two_megabytes_is_not_read(tmp_path: Path, load: Callable[[Path, str], object]) -> None:
    """Python's YAML reader takes half a second to a minute for each of its megabytes."""
    (tmp_path / "bench.yaml").write_bytes(b"#" * 2_097_152)
    load(tmp_path, "bench")
    (tmp_path / "bench.yaml").write_bytes(b"#" * 2_097_153)
    with pytest.raises(BladeError, match=r"^bench.yaml is larger than 2 MiB, which is not read; shorten it\.$"):
        load(tmp_path, "bench")


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_bytes(b"\xef\xbb\xbfscore: points\n")
    assert load_profile(tmp_path, "bench")["profile"]["score"] == "points"


def test_aliases_do_not_multiply_the_work(tmp_path: Path) -> None:
    """Nine lists of nine aliases each: 9^9 values, were every alias followed."""
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))]
    (tmp_path / "bench.yaml").write_text("\n".join(lines))
    with pytest.raises(BladeError, match="line 1: unknown field 'a0'"):
        load_profile(tmp_path, "bench")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_an_empty_profile_means_the_defaults(tmp_path: Path, text: str) -> None:
    (tmp_path / "bench.yaml").write_text(text)
    assert load_profile(tmp_path, "bench")["profile"] == Profile().model_dump(mode="json")


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


def _labels(folder: Path, text: str) -> list[dict[str, object]]:
    (folder / "bench").mkdir(exist_ok=True)
    (folder / "bench" / "run.yaml").write_text(text)
    found: list[dict[str, object]] = load_labels(folder, "bench", "run")["labels"]
    return found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("task: 1", "run.yaml, line 1: expected a list, or a list under the key 'labels'."),
        ("- 7", "run.yaml, line 1: must be a mapping of fields."),
        (
            "labels:\n- task: 1\n  root_cause: KG\n- tsk: 2\n  root_cause: KG",
            "line 4: unknown field 'tsk'; did you mean",
        ),
        ("labels:\n- task: 1\n  root_cause: KB", "run.yaml, line 3: field 'root_cause': Input should be 'KG', 'UK'"),
        ("- task: 1\n  root_cause: BL", "'DA' or 'unlabelled'; did you mean 'BI'?"),
        (
            "- task: 1\n  root_cause: BI+KG",
            "run.yaml, line 2: field 'root_cause': a task has one primary label, not BI and KG: write the one that "
            "explains most of its lost rollouts, such as `root_cause: BI`, and the other one in `note`.",
        ),
        ("- task: 1\n  root_cause: KG / UK", "line 2: field 'root_cause': a task has one primary label, not KG and UK"),
        (
            "- task: 1\n  root_cause: [TI, DA]",
            "line 2: field 'root_cause': a task has one primary label, not TI and DA",
        ),
        ("- task: 1\n  root_cause: KG\n  evidence: 1-0", "run.yaml, line 3: field 'evidence': must be a list."),
        ("- task: 1.5\n  root_cause: KG", "field 'task': must be text (put it in quotes) or a whole number."),
        ("- root_cause: KG", "run.yaml, line 1: field 'task' is missing; add it."),
        ("- {task: 1, root_cause: KG, task: 2}", "line 1: field 'task' stands here for the second time"),
    ],
)
def test_wrong_labels_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BladeError) as error:
        _labels(tmp_path, text)
    assert sentence in str(error.value)


def test_labels_are_a_list_and_each_knows_its_line(tmp_path: Path) -> None:
    found = _labels(tmp_path, "# read on Monday\n- {task: 1, root_cause: KG}\n- task: x\n  root_cause: BI\n")
    assert [(label["task"], label["root_cause"], label["line"]) for label in found] == [(1, "KG", 2), ("x", "BI", 3)]
    assert _labels(tmp_path, "labels:\n# none yet\n") == []


@pytest.mark.parametrize(
    ("section", "model"), [("Profile files", Profile), ("Label files", AnalystLabel), ("Reference files", Reference)]
)
def test_every_field_is_explained_in_the_docs(section: str, model: type[BaseModel]) -> None:
    page = (PROJECT / "docs" / "profiles.md").read_text().split(f"## {section}\n")[1].split("\n## ")[0]
    explained = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert explained == list(model.model_fields)


def test_the_profile_in_the_docs_loads_and_shows_every_field(tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "profiles.md").read_text()
    text = page.split("## A profile with every field\n")[1].split("```yaml\n")[1].split("```")[0]
    (tmp_path / "wiki_questions.yaml").write_text(text)
    profile = profile_of(load_profile(tmp_path, "wiki_questions"))
    assert [line.split(":")[0] for line in text.splitlines() if line[0].isalpha()] == list(Profile.model_fields)
    assert [rule.code for rule in profile.failure_modes] == ["cut_short", "other_article"]


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
