"""Pairs as rows: whole ones come back as they were, columns are theirs, equal checks are held once."""

import math
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.comparison import Pairs, comparability, many
from blade_pipeline.method.comparison.pairs import in_order
from blade_pipeline.models import Profile
from blade_pipeline.storage import Artifact, Cell, Store
from blade_pipeline.storage.catalogue import Catalogue
from blade_pipeline_tests.method.chain import analyzed_folder
from blade_pipeline_tests.method.comparison.planting import system

SAME = {"id": "judge", "label": "the judge", "status": "same", "a": "j", "b": "j"}


def pair(a: str, b: str, value: float | None) -> dict[str, Any]:
    decided = {"id": "prompts", "label": "the tasks' prompts", "status": "different", "a": a, "b": b}
    return {
        "run_a": a,
        "run_b": b,
        "varying": "model",
        "verdict": "not_comparable",
        "headline_check": "prompts",
        "sentence": f"{a} or {b}?",
        "pairing": {"method": "content", "common": 5, "only_a": 1, "only_b": 0},
        "checks": [SAME, decided],
        "difference": {
            "metric": "pass@1",
            "tasks": 4,
            "value": value,
            "higher_is_better": True,
            "new_tasks": {"low": None, "high": 0.5, "p": 0.25},
        },
    }


PAIRS = [pair("m1", "m2", 0.25), pair("m1", "m3", None), pair("m2", "m3", -0.5)]


def test_whole_pairs_come_back_as_they_were() -> None:
    pairs = Pairs.of(PAIRS)
    assert list(pairs) == PAIRS
    assert pairs.whole(pairs.positions["m2", "m3"]) == PAIRS[2]


def test_a_brief_pair_has_the_values_that_are_asked_of_all() -> None:
    brief = Pairs.of(PAIRS).briefs[0]
    assert (brief["verdict"], brief["headline_label"]) == ("not_comparable", "the tasks' prompts")
    assert brief["sentence"] == "m1 or m2?"
    assert brief["pairing"] == {"common": 5, "only_a": 1, "only_b": 0}
    assert brief["difference"] == {
        "metric": "pass@1",
        "tasks": 4,
        "value": 0.25,
        "higher_is_better": True,
        "new_tasks": {"low": None, "high": 0.5},
    }


def test_equal_checks_are_held_once() -> None:
    """Three pairs with one check in common and one of their own each."""
    pairs = Pairs.of(PAIRS)
    assert [pairs.checks_of(position) for position in range(3)] == [[0, 1], [0, 2], [0, 3]]
    assert len(pairs.check_texts) == 4


def test_some_of_the_pairs_are_the_same_rows_again() -> None:
    """One is new and stands first; a check that only a pair left out held is gone."""
    before = Pairs.of([*PAIRS[1:], pair("m1", "m4", 0.5)]).table
    again = in_order([before, Pairs.of(PAIRS[:1]).table], [3, 0, 1])
    assert again.equals(Pairs.of(PAIRS).table)
    assert Pairs(again).check_texts.equals(Pairs.of(PAIRS).check_texts)


@pytest.mark.long
def test_workers_compare_what_this_process_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three pairs of three runs, one pair for each chunk; the second time every worker is ended by a kill."""
    for seed, run in enumerate("abc"):
        system(seed, tasks=4, repeats=2).write(tmp_path, run)
    sides = [one.side(name[-1]) for name, one in analyzed_folder(tmp_path).items()]
    alone = comparability(sides, Profile())[1].table
    monkeypatch.setattr(many, "WORTHWHILE", 1)
    monkeypatch.setattr(many, "_CHUNK", 1)
    monkeypatch.setattr(many, "cores", lambda: 2)
    assert comparability(sides, Profile())[1].table.equals(alone)
    monkeypatch.setattr(many, "_of_worker", killed)
    assert comparability(sides, Profile())[1].table.equals(alone)


def killed(_: object) -> None:
    """What a worker does that the system ends for want of memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_store_gives_them_back_and_sql_reads_them(tmp_path: Any) -> None:
    store = Store(tmp_path / "store")
    store.write("comparability", Cell("aime"), Artifact(Pairs.of(PAIRS).table, {"runs": ["m1", "m2", "m3"]}))
    assert list(Pairs(store.read("comparability", Cell("aime")).artifact.table)) == PAIRS
    statement = """
        select run_b, details->>'$.pairing.method' as method, one->>'$.status' as judge
        from (select *, unnest(checks) as one from comparability where run_a = 'm1')
        where one->>'$.id' = 'judge' order by all
    """
    assert Catalogue(store).query(statement).to_pylist() == [
        {"run_b": "m2", "method": "content", "judge": "same"},
        {"run_b": "m3", "method": "content", "judge": "same"},
    ]


def test_no_pairs_are_a_table_too() -> None:
    assert (len(Pairs.of([])), list(Pairs.of([])), Pairs.of([]).briefs) == (0, [], [])


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    """No column can hold it, and DuckDB reads no JSON with it."""
    odd = pair("m1", "m2", 0.25) | {"sentence": "m\ud800", "checks": [SAME | {"a": "\ud800ü"}]}
    [found] = Pairs.of([odd])
    assert (found["sentence"], found["checks"][0]["a"]) == ("m?", "?ü")


def test_a_number_without_json_is_refused() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        Pairs.of([pair("m1", "m2", math.nan)])
