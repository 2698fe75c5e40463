"""Inputs of a run with every outcome: tables from a pattern, documents from a hand-written file."""

from pathlib import Path

import yaml

from blade_pipeline.reporting import ReportInputs
from blade_pipeline_tests.reporting.parts import aligned, manifest, tables

# 12 tasks x 4 repeats. Letters: P 19, F 17, M 5, U 1, X 4, - 2; 19 + 17 + 5 + 1 + 4 + 2 = 48.
MIXED = ["PPPP", "PPPP", "PPPP", "PFPP", "FPFF", "PPFM", "PF-F", "FFFF", "FFUF", "FFXF", "MMMM", "XXX-"]
BUCKETS = ["always_pass"] * 3 + ["sometimes_pass"] * 4 + ["always_fail"] + ["indeterminate"] * 2 + ["masked", "missing"]
FILES = [
    ("rollouts", "rollouts.jsonl", 812345),
    ("materialized_inputs", "rollouts_materialized_inputs.jsonl", 40312),
    ("failures", "rollouts_failures.jsonl", 5120),
    ("resolved_config", "rollouts_resolved_config.yaml", 2100),
]
KNOWN = {"model": "example-8b", "temperature": 0.6, "gym_version": "0.7.0", "dataset": "sums-v2"}
STEPS = '[["call","search",120,"ok",false],["message","assistant",40,"ok",false]]'


def mixed_run() -> ReportInputs:
    """12 tasks, 4 repeats, every outcome: pass@1 = 5.0 / 10 = 0.5 over tasks, 19 / 36 over rollouts."""
    documents = yaml.safe_load(Path(__file__).with_name("mixed_run.yaml").read_text(encoding="utf-8"))
    per_task, buckets, modes_table = tables(MIXED, BUCKETS)
    return ReportInputs(
        benchmark="sums",
        run="night-1",
        manifest=manifest(FILES, KNOWN, []),
        per_task=per_task,
        buckets=buckets,
        aligned=aligned(MIXED, True, STEPS),
        modes_table=modes_table,
        **documents,
    )
