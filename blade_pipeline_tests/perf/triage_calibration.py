"""How often the verdict on two runs is ``model_change``, for runs of one system and for a true effect of known size.

Run as ``python -m blade_pipeline_tests.perf.triage_calibration [PAIRS]``; it prints the tables of docs/statistics.md.
A pair takes each task's pass rate from a distribution and the repeats of both runs from those rates, and goes through
the comparison's own difference and verdict.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from blade_pipeline import statistics as st
from blade_pipeline.method.comparison.difference import difference
from blade_pipeline.method.comparison.values import Values
from blade_pipeline.method.comparison.verdict import decide

SEED = 20_250_102
PAIRS = 2_000
MARGIN = 0.02
Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Draw = Callable[[np.random.Generator], tuple[Array, Array]]


class Design(NamedTuple):
    """Tasks, repeats of either run, and the Beta distribution of the pass rates."""

    tasks: int
    repeats: int
    repeats_b: int
    a: float
    b: float

    def __str__(self) -> str:
        repeats = str(self.repeats) if self.repeats == self.repeats_b else f"{self.repeats} and {self.repeats_b}"
        return f"Beta({self.a:g}, {self.b:g}), {self.tasks} x {repeats}"


SAME = [
    *(Design(tasks, 4, 4, 0.6, 0.6) for tasks in (3, 5, 6, 8, 10, 15, 30, 100)),
    *(Design(tasks, 1, 1, 0.6, 0.6) for tasks in (5, 6, 10, 30, 100)),
    Design(30, 2, 4, 0.6, 0.6),
    Design(30, 1, 8, 0.6, 0.6),
    *(Design(tasks, 4, 4, 9, 1) for tasks in (10, 30, 100)),
    Design(200, 8, 8, 0.6, 0.6),
]


class Power(NamedTuple):
    """Tasks, repeats, and the standard deviation of the task-specific effects."""

    tasks: int
    repeats: int
    omega: float

    def __str__(self) -> str:
        return f"{self.tasks} x {self.repeats}, effects differ by {self.omega:g}"


DESIGNS = (
    *((tasks, 4) for tasks in (5, 6, 8, 10, 12)),
    (12, 1),
    (30, 1),
    (30, 4),
    (30, 8),
    (60, 4),
    (100, 4),
    (200, 8),
)
FOUND = [Power(tasks, repeats, omega) for tasks, repeats in DESIGNS for omega in (0.0, 0.1)]


def same_system(design: Design, pairs: int, seed: int = SEED) -> Counter[str]:
    """Verdicts on pairs of runs with the same pass rates."""

    def draw(generator: np.random.Generator) -> tuple[Array, Array]:
        rates = generator.beta(design.a, design.b, design.tasks)
        return rates, rates

    return _verdicts(draw, design.repeats, design.repeats_b, pairs, seed)


def true_effect(power: Power, pairs: int, seed: int = SEED) -> tuple[float, Counter[str]]:
    """The detectable effect at the true variance components, and the verdicts on pairs that differ by it.

    Rates are uniform on [0.2, 0.5] in the first run, so that no effect is cut off at 0 or 1; the second run adds the
    effect and, where effects differ by task, plus or minus their standard deviation.
    """
    effect = _detectable(power)

    def draw(generator: np.random.Generator) -> tuple[Array, Array]:
        rates = generator.uniform(0.2, 0.5, power.tasks)
        return rates, rates + effect + power.omega * generator.choice((-1.0, 1.0), power.tasks)

    return effect, _verdicts(draw, power.repeats, power.repeats, pairs, seed)


def _detectable(power: Power) -> float:
    """The minimum detectable effect, which changes the second run's variance and so is found by iteration."""
    effect = 0.0
    for _ in range(50):
        first = _variance(0.0, 0.0)
        second = _variance(effect, power.omega)
        effect = st.minimum_detectable_effect(power.omega**2, first, power.repeats, second, power.repeats, power.tasks)
    return effect


def _variance(shift: float, omega: float) -> float:
    """Mean p(1-p) of rates uniform on [0.2, 0.5], moved by ``shift`` and spread by ``omega``."""
    mean = 0.35 + shift
    return mean - (mean**2 + 0.3**2 / 12 + omega**2)


def _verdicts(draw: Draw, repeats_a: int, repeats_b: int, pairs: int, seed: int) -> Counter[str]:
    generator = np.random.Generator(np.random.PCG64(seed))
    found: Counter[str] = Counter()
    for _ in range(pairs):
        rates_a, rates_b = draw(generator)
        sides = [_run(generator, rates, k) for rates, k in ((rates_a, repeats_a), (rates_b, repeats_b))]
        found[decide([], difference(sides[0], sides[1], "pass@1", MARGIN), "model").verdict] += 1
    return found


def _run(generator: np.random.Generator, rates: Array, repeats: int) -> Values:
    passed = generator.binomial(repeats, np.clip(rates, 0, 1)).astype(np.int64)
    measured = np.full(rates.size, repeats, dtype=np.int64)
    nothing = np.zeros_like(measured)
    names = np.array([f"{task:04d}" for task in range(rates.size)])
    spread = passed * (repeats - passed) / (repeats * (repeats - 1)) if repeats > 1 else np.full(rates.size, math.nan)
    return Values(
        task=names, family=names, mean=passed / repeats, variance=spread, measured=measured,
        total=passed.astype(np.float64), unknown=nothing, failed=nothing, unscored=nothing, masked=nothing,
        planned=measured, passed=passed,
    )  # fmt: skip


def _rate(found: Counter[str]) -> str:
    hits, pairs = found["model_change"], found.total()
    low, high = st.clopper_pearson(hits, pairs, 0.99)
    return f"{hits / pairs:.4f} | {low:.4f} to {high:.4f}"


def _table(columns: str, rows: Iterator[str]) -> None:
    print(f"\n| {columns} |\n|{'---|' * (columns.count('|') + 1)}")
    for row in rows:
        print(f"| {row} |", flush=True)


def main(pairs: int) -> None:
    print(f"{pairs} pairs per row, seed {SEED}")
    print("\nTwo runs of one system")
    _table("tasks x repeats | rate of `model_change` | 99% interval of the rate",
           (f"{design} | {_rate(same_system(design, pairs))}" for design in SAME))  # fmt: skip
    print("\nA true effect of the size of the detectable effect")
    rows = ((power, *true_effect(power, pairs)) for power in FOUND)
    _table("tasks x repeats | effect in points | power | 99% interval",
           (f"{power} | {effect * 100:.1f} | {_rate(found)}" for power, effect, found in rows))  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS)
