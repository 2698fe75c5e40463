"""docs/metrics.md: every number with its formula, what it divides by, and what it answers."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from blade_pipeline.metrics import SECTIONS, Metric

_HEAD = """# Metrics

Every number that a report shows or that `blade_pipeline.statistics` offers, with what it divides by. Fractions run
from 0 to 1; only the block `native` uses NeMo Gym's own scales. A number that the data cannot give is null with a
reason, never 0. This page is written from the code by `python -m blade_pipeline_tests.reference`.

Letters: task i of n, repeat j; x_ij a measured score; K_i measured and E_i planned repeats of a task; c_i its passes;
xbar_i its mean score; s_i^2 the variance of its scores over repeats (ddof 1); d_i = xbar_Bi - xbar_Ai; C(n,k) the
number of ways to choose k of n. "These tasks" asks what a re-run of the same tasks would give, "new tasks" what other
tasks of the same kind would give, "unknown rows" what the lost rows could have held. [statistics.md](statistics.md)
says why each method was chosen.

`metrics.json` holds the run's scores and, under `agents.<name>`, the same for each agent; names below are paths in it
unless another file is named. The block `native` has the names, scales and denominators of NeMo Gym 0.7.0, so that
both can be laid side by side: rewards are raw, `pass@k` and `majority@k` are times 100. The report says for each run
where they differ from ours and why. Which of its names count as primary, that is worth comparing, is
`native.is_primary`.
"""
_COLUMNS = """| name | formula | denominator | source | question answered | function |
|---|---|---|---|---|---|"""


def metrics_page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *(line for name, rows in SECTIONS.items() for line in _section(name, rows))])


def _section(name: str, rows: Sequence[Metric]) -> Iterator[str]:
    yield f"## {name}\n"
    yield _COLUMNS
    for row in rows:
        functions = ", ".join(f"`{_called(function)}`" for function in row.functions) or "-"
        yield f"| {row.name} | {row.formula} | {row.denominator} | {row.source} | {row.question} | {functions} |"
    yield ""


def _called(function: Callable[..., Any]) -> str:
    """The function's name as ``blade_pipeline.statistics`` offers it."""
    native = function.__module__.startswith("blade_pipeline.statistics.native.")
    return f"native.{function.__name__}" if native else function.__name__
