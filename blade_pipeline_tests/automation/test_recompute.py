"""Only what changed is recomputed, whichever way the change is noticed.

Each step of the story changes one input and names exactly the artifacts that follow from it. Runs are compared with
the run before them in time, so m1 is the baseline of m2, and m2 that of m3.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import pytest

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.method.comparison import Pairs, Side, many, runs
from blade_pipeline.models import Profile
from blade_pipeline.storage import Cell, Registry
from blade_pipeline_tests.automation.world import START, World, bumped, row, write_lines, write_run

pytestmark = pytest.mark.long

RUN_LEVEL = [stage.name for stage in GRAPH if stage.level == "run"]
PACKAGE = "blade_package of aime"
PAGES = ["comparability of aime", "model_comparison of aime", "benchmark_report of aime", PACKAGE]
SAMPLES = ["aligned_samples", "measured_samples", "coverage", "pass_at_k", "outcome_buckets"]
DIAGNOSIS = ["workflow_funnel", "failure_modes", "trajectory_contrasts", "rollout_excerpts", "root_causes"]
REPORT = ["anchor_facts", "blade_report"]
COMPARED = ["run_comparison", "blade_report"]


def of(run: str, names: Iterable[str]) -> list[str]:
    return [f"{name} of aime/{run}" for name in names]


def of_all(names: Iterable[str]) -> list[str]:
    return [entry for run in ("m1", "m2", "m3") for entry in of(run, names)]


def nothing(world: World) -> list[str]:
    return []


def appended_rollout(world: World) -> list[str]:
    """The health findings are read again because they depend on the number of rows, and come out the same."""
    write_lines(world.run("m2") / "rollouts.jsonl", [row(2, 1, 1.0, START + 3605, "model-m2")], "a")
    own = ["raw_rollouts", "health_findings", "run_manifest", *SAMPLES, *DIAGNOSIS, "run_comparison", *REPORT]
    return [*of("m2", own), *of("m3", COMPARED), *PAGES]


def recorded_failure(world: World) -> list[str]:
    """A failed attempt of a rollout that has a row counts as recovered, moves no score and changes no comparison."""
    failure = {"_ng_task_index": 0, "_ng_rollout_index": 0, "_ng_failure_class": "transport"}
    write_lines(world.run("m1") / "rollouts_failures.jsonl", [failure])
    own = ["failed_attempts", "run_manifest", *SAMPLES, *DIAGNOSIS, "run_comparison", *REPORT]
    return [*of("m1", own), "run_comparison of aime/m2", *PAGES[:2], PACKAGE]


def changed_config(world: World) -> list[str]:
    path = world.run("m3") / "rollouts_resolved_config.yaml"
    path.write_text(path.read_text().replace("0.6", "0.9"))
    return [*of("m3", ["run_manifest", "coverage", "run_comparison", *REPORT]), *PAGES]


def changed_profile(world: World) -> list[str]:
    """The margin reaches only the comparisons; everything else that reads the profile comes out the same."""
    world.write("profiles", "aime", "equivalence_margin: 0.05\n")
    readers = [
        "run_manifest",
        "aligned_samples",
        "coverage",
        "pass_at_k",
        "outcome_buckets",
        "workflow_funnel",
        "failure_modes",
    ]
    return ["benchmark_profile of aime", *of_all([*readers, "root_causes", *COMPARED]), *PAGES]


def commented_profile(world: World) -> list[str]:
    world.write("profiles", "aime", "# agreed on Monday\nequivalence_margin: 0.05\n")
    return ["benchmark_profile of aime"]


def label(world: World) -> list[str]:
    world.write("labels", "aime/m1", [{"task": 1, "root_cause": "KG", "analyst": "ana"}])
    return [*of("m1", ["analyst_labels", "root_causes", *REPORT]), PACKAGE]


def reference(world: World) -> list[str]:
    world.write("references", "aime", [{"name": "paper", "score": 0.7}])
    return ["reference_scores of aime", *of_all(COMPARED), PACKAGE]


def new_code(world: World) -> list[str]:
    """The new code says the same as the old one."""
    world.use(bumped(GRAPH, "aligned_samples"))
    return of_all(["aligned_samples"])


def touched(world: World) -> list[str]:
    for path in world.run("m1").iterdir():
        os.utime(path)
    return []


def new_run(world: World) -> list[str]:
    write_run(world.run("m4"), age=4, model="model-m4")
    return [*of("m4", RUN_LEVEL), *PAGES]


def new_run_before_all(world: World) -> list[str]:
    write_run(world.run("m0"), age=-1, model="model-m0")
    return [*of("m0", RUN_LEVEL), *of("m1", COMPARED), *PAGES]


def lost_artifact(world: World) -> list[str]:
    world.store.remove("artifacts", "workflow_funnel", "aime", "m1.json")
    return of("m1", ["workflow_funnel"])


def lost_report(world: World) -> list[str]:
    world.store.remove("reports", "aime", "m1", "report.html")
    return of("m1", ["blade_report"])


def vanished_run(world: World) -> list[str]:
    shutil.rmtree(world.run("m2"))
    return [*of("m3", COMPARED), *PAGES]


STORY: list[Callable[[World], list[str]]] = [
    nothing,
    appended_rollout,
    recorded_failure,
    changed_config,
    changed_profile,
    commented_profile,
    label,
    reference,
    new_code,
    touched,
    new_run,
    new_run_before_all,
    lost_artifact,
    lost_report,
    vanished_run,
    nothing,
]


def analyse_then_sense(world: World) -> None:
    """The command line does the work, and the sensor finds nothing left."""
    world.analyse()
    world.sense()


def sense_then_analyse(world: World) -> None:
    """The sensor's runs do the work, and the command line finds nothing left."""
    world.sense()
    world.analyse()


@pytest.mark.parametrize("bring", [analyse_then_sense, sense_then_analyse])
def test_exactly_what_follows_from_a_change_is_recomputed(world: World, bring: Callable[[World], None]) -> None:
    bring(world)
    everything = [f"{stage.name} of aime" for stage in GRAPH if stage.level == "benchmark"]
    assert world.recomputed() == Counter([*everything, *of_all(RUN_LEVEL)])
    for step in STORY:
        expected = Counter(step(world))
        bring(world)
        assert world.recomputed() == expected, step.__name__
    vanished = {str(cell) for cell, entry in Registry.load(world.store).entries.items() if entry.vanished}
    assert vanished == {"aime/m2"}
    assert (world.root / "store/reports/aime/m2/report.md").is_file()


def test_a_run_more_among_eight_recomputes_itself_its_pairs_and_the_pages(
    empty: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight runs make 28 pairs, a ninth 8 more; its own comparison with its baseline is one more."""
    for number in range(8):
        write_run(empty.run(f"m{number}"), age=number, model=f"model-{number}", rows=2)
    empty.analyse()
    empty.recomputed()
    compared: list[tuple[str, str]] = []

    def compare(a: Side, b: Side, profile: Profile) -> dict[str, Any]:
        compared.append((a.run, b.run))
        return plain_compare(a, b, profile)

    plain_compare = runs.compare
    for module in (runs, many):
        monkeypatch.setattr(module, "compare", compare)
    write_run(empty.run("m8"), age=8, model="model-8", rows=2)
    empty.analyse()
    assert empty.recomputed() == Counter([*of("m8", RUN_LEVEL), *PAGES])
    assert Counter(compared) == Counter([*((f"m{number}", "m8") for number in range(8)), ("m7", "m8")])
    pairs = Pairs(empty.store.read("comparability", Cell("aime")).artifact.table)
    assert [(pair["run_a"], pair["run_b"]) for pair in pairs] == list(combinations([f"m{n}" for n in range(9)], 2))
    assert all(pair["checks"] for pair in pairs)
