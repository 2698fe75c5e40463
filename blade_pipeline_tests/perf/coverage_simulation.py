"""How often the printed 95% intervals hold the truth, on made-up tasks of known difficulty.

Run as ``python -m blade_pipeline_tests.perf.coverage_simulation [DRAWS]``; it prints the tables of
docs/statistics.md. A draw takes tasks' pass rates from a Beta distribution and their repeats from them.
"""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, stdtrit

from blade_pipeline import statistics as st

SEED = 20_250_101
Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Ends = tuple[float, float]


class Setting(NamedTuple):
    a: float
    b: float
    tasks: int
    repeats: int

    def __str__(self) -> str:
        return f"Beta({self.a:g}, {self.b:g}), {self.tasks} x {self.repeats}"


CENTRE = [Setting(0.6, 0.6, 15, 4), Setting(0.6, 0.6, 30, 4), Setting(0.6, 0.6, 100, 8)]
NEAR_ONE = [Setting(0.9, 0.1, 100, 8), Setting(1.8, 0.2, 100, 8), Setting(9, 1, 100, 8)]
SMALL = [Setting(a, b, n, 4) for n in (15, 30) for a, b in ((0.9, 0.1), (1.8, 0.2), (9, 1))]
SMALL += [Setting(0.9, 0.1, 20, 4), Setting(0.9, 0.1, 30, 8)]
SETTINGS = CENTRE + NEAR_ONE + SMALL


@dataclass
class Tally:
    """Coverage and mean width of one method."""

    draws: int = 0
    held: int = 0
    width: float = 0.0

    def add(self, ends: Ends, truth: float) -> None:
        self.draws += 1
        self.held += ends[0] <= truth <= ends[1]
        self.width += ends[1] - ends[0]

    @property
    def coverage(self) -> float:
        return self.held / self.draws

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the coverage."""
        return math.sqrt(self.coverage * (1 - self.coverage) / self.draws)

    def __str__(self) -> str:
        return f"{self.coverage:.3f} / {self.width / self.draws:.3f}"


def _ends(interval: st.Interval) -> Ends:
    return (-math.inf if interval.low is None else interval.low, math.inf if interval.high is None else interval.high)


def _wide(interval: st.Interval) -> Ends:
    """Ends cut to what a difference of proportions can be, so that unknown ends have a finite width."""
    low, high = _ends(interval)
    return max(-1.0, low), min(1.0, high)


def _t_ends(centre: float, se: float, df: float) -> Ends:
    half = float(stdtrit(df, 0.975)) * se
    return centre - half, centre + half


def _moments(x: Array) -> tuple[Array, Array]:
    return x.mean(axis=1), x.var(axis=1, ddof=1)


def _draw(generator: np.random.Generator, rates: Array, repeats: int) -> Array:
    return (generator.random((rates.size, repeats)) < rates[:, None]).astype(np.float64)


def one_run(setting: Setting, draws: int, seed: int = SEED) -> dict[str, Tally]:
    """Intervals of pass@1: ours and plain alternatives for new tasks, ours and the peer's for these tasks."""
    generator = np.random.Generator(np.random.PCG64(seed))
    truth = setting.a / (setting.a + setting.b)
    tallies: dict[str, Tally] = {}
    for _ in range(draws):
        rates = generator.beta(setting.a, setting.b, setting.tasks)
        x = _draw(generator, rates, setting.repeats)
        means, variances = _moments(x)
        ours = st.score_interval(means)
        repeat_means = x.mean(axis=0)
        peer = _t_ends(x.mean(), repeat_means.std(ddof=1) / math.sqrt(setting.repeats), setting.repeats - 1)
        _add(tallies, "new tasks: ours", _ends(ours), truth)
        _add(
            tallies, "new tasks: t", _t_ends(x.mean(), means.std(ddof=1) / math.sqrt(means.size), means.size - 1), truth
        )
        _add(tallies, "new tasks: Wilson", _wilson(ours), truth)
        _add(tallies, "new tasks: logit", _logit(ours), truth)
        _add(tallies, "new tasks: peer", peer, truth)
        _add(
            tallies,
            "these tasks: ours",
            _ends(st.within_task_interval(means, variances, setting.repeats)),
            rates.mean(),
        )
        _add(tallies, "these tasks: peer", peer, rates.mean())
    return tallies


def _wilson(ours: st.Interval) -> Ends:
    """Wilson on the effective sample size with a t quantile; the same bound as ours without a spread."""
    if not ours.se or ours.estimate is None or ours.df is None:
        return _ends(ours)
    p, quantile = ours.estimate, float(stdtrit(ours.df, 0.975))
    n = p * (1 - p) / ours.se**2
    level = math.erf(quantile / math.sqrt(2))
    return st.wilson(p * n, n, level)


def _logit(ours: st.Interval) -> Ends:
    """t on the logit scale; the same bound as ours without a spread."""
    if not ours.se or ours.estimate is None or ours.df is None:
        return _ends(ours)
    p = ours.estimate
    low, high = _t_ends(float(logit(p)), ours.se / (p * (1 - p)), ours.df)
    return float(expit(low)), float(expit(high))


def paired_runs(setting: Setting, effect: str, draws: int, seed: int = SEED) -> dict[str, Tally]:
    """Intervals of a difference: ours for new tasks and for these tasks, the peer's Welch over repeats beside them.

    ``none``: both runs have the same pass rates. ``mixed``: three tasks in ten get a new rate of the same
    distribution in run B, and every task then gains a tenth of what it lacks.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    gain = 0.0 if effect == "none" else 0.1
    truth = gain * setting.b / (setting.a + setting.b)
    tallies: dict[str, Tally] = {}
    for _ in range(draws):
        first = generator.beta(setting.a, setting.b, setting.tasks)
        second = first
        if effect == "mixed":
            fresh = generator.beta(setting.a, setting.b, setting.tasks)
            second = np.where(generator.random(setting.tasks) < 0.3, fresh, first)
            second = second + gain * (1 - second)
        a, b = _draw(generator, first, setting.repeats), _draw(generator, second, setting.repeats)
        (ma, va), (mb, vb) = _moments(a), _moments(b)
        k, fixed = setting.repeats, float(np.mean(second - first))
        welch = _wide(st.welch_over_repeats(a.mean(axis=0), b.mean(axis=0)).interval)
        _add(tallies, "new tasks: ours", _wide(st.paired_difference(ma, mb).interval), truth)
        _add(tallies, "new tasks: peer", welch, truth)
        _add(tallies, "these tasks: ours", _wide(st.stratified_difference(ma, va, k, mb, vb, k).interval), fixed)
        _add(tallies, "these tasks: peer", welch, fixed)
    return tallies


def _add(tallies: dict[str, Tally], name: str, ends: Ends, truth: float) -> None:
    tallies.setdefault(name, Tally()).add(ends, truth)


def _table(title: str, rows: Iterator[tuple[str, dict[str, Tally]]]) -> None:
    print(f"\n{title}\n")
    error = 0.0
    for number, (name, tallies) in enumerate(rows):
        if not number:
            print(f"| tasks | {' | '.join(tallies)} |\n|---|{'---|' * len(tallies)}")
        print(f"| {name} | {' | '.join(str(tally) for tally in tallies.values())} |", flush=True)
        error = max(error, *(tally.error for tally in tallies.values()))
    print(f"\nLargest Monte Carlo error of a coverage: {error:.4f}")


def main(draws: int) -> None:
    print(f"{draws} draws per row, seed {SEED}; coverage / mean width of nominal 95% intervals")
    _table("One run, pass@1", ((str(s), one_run(s, draws)) for s in SETTINGS))
    for effect in ("none", "mixed"):
        rows = ((str(s), paired_runs(s, name, draws)) for s in SETTINGS for name in (effect,))
        _table(f"Difference of two runs, effect {effect}", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
