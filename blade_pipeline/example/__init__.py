"""Example run directories in NeMo Gym's layout, from a documented random process whose truth is written beside them.

The process, per benchmark: a task has a base chance of success q ~ Beta(a, b). A model has a skill s, a run may have
a shift h for its sampling, and a rollout succeeds with p = logistic(logit(q) + s + h), independently of all others.
A rollout that does not succeed draws its failure mode from a distribution that depends on the task's category.

* ``ledger_math``: one-turn sums, q ~ Beta(1, 1), in the plain layout ``<benchmark>/<model run>/``.
* ``shop_tools``: orders by tool calls, q ~ Beta(1, 2), in the submit layout ``<job id>/<benchmark>/artifacts/``.

Planted: one run of ``ledger_math`` at another temperature, one run of ``shop_tools`` with masked, failed, missing
and recovered rollouts and a health check, one true difference between models and one pair of near-equal ones.
"""

from pathlib import Path

from blade_pipeline.example.files import TRUTH, refuse_existing, write_json, write_run
from blade_pipeline.example.ledger_math import LEDGER_MATH
from blade_pipeline.example.plan import Size, plan_runs
from blade_pipeline.example.shop_tools import SHOP_TOOLS
from blade_pipeline.example.simulate import simulate, write_tasks
from blade_pipeline.example.truth import truth_document

__all__ = ["write_example"]

BENCHMARKS = (LEDGER_MATH, SHOP_TOOLS)
_FEWEST = {"tasks": 2, "repeats": 1, "models": 1}


def write_example(out: Path, *, tasks: int = 24, repeats: int = 4, models: int = 3, seed: int = 7) -> list[Path]:
    """Write runs of two benchmarks by ``models`` models below ``out``, and ``out/truth.json`` with what is true.

    Equal arguments give equal bytes. A task's content and a rollout's fate do not depend on how many others there
    are, except for the losses of the damaged run.

    Args:
        out: folder for the example; made when it is missing.
        tasks: tasks per benchmark, at least 2.
        repeats: rollouts per task and run, at least 1.
        models: runs per benchmark, at least 1.
        seed: names the random stream.

    Returns:
        The folders that hold a ``rollouts.jsonl``, in the order of benchmarks and models.

    Raises:
        ValueError: a number is too small.
        FileExistsError: the example would be written over or into something that is there already.
    """
    size = Size(tasks=tasks, repeats=repeats, models=models, seed=seed)
    for name, fewest in _FEWEST.items():
        if (given := getattr(size, name)) < fewest:
            raise ValueError(f"{name} is {given}; an example needs at least {fewest}.")
    runs = plan_runs(size, BENCHMARKS)
    refuse_existing(out, runs)
    content = {benchmark.name: write_tasks(size, benchmark) for benchmark in BENCHMARKS}
    results = [simulate(size, run, content[run.benchmark.name]) for run in runs]
    folders = [write_run(out, size, result) for result in results]
    write_json(out / TRUTH, truth_document(size, BENCHMARKS, results))
    return folders
