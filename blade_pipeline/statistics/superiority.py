"""How often a value of one kind is larger than one of another kind, within strata, where values come in clusters."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from blade_pipeline.statistics._arrays import FloatArray, IntArray, Values, floats, total

FEWEST_CLUSTERS = 10
"""Clusters from which the normal tail stands in for the permutations."""


@dataclass(frozen=True, slots=True)
class Superiority:
    """Comparison of marked against other values within strata.

    Attributes:
        probability: share of a stratum's pairs in which the marked value is larger, ties as half; null without pairs.
        z: the rank sum's distance from what exchanged clusters give, in its standard deviations.
        p: two-sided; null for fewer than ten clusters or where nothing varies.
        values: values in strata that hold both kinds.
        clusters: clusters of these values.
        strata: such strata.
    """

    probability: float | None
    z: float | None
    p: float | None
    values: int
    clusters: int
    strata: int


def stratified_superiority(values: Values, marked: Values, clusters: Values, strata: Values) -> Superiority:
    """Probability that a marked value is larger than another one of its stratum, with a test that heeds clusters.

    The strata's probabilities (Mann and Whitney 1947) are weighed by m n / (m + n + 1), m marked and n other values
    (van Elteren 1960). Under the null hypothesis the clusters of a stratum with equally many values may be exchanged,
    and so may the values of a cluster: mean and variance of the weighed rank sum over these permutations are exact
    (Hoeffding 1951 for the clusters, sampling without replacement inside), the tail is normal. With clusters of one
    value this is van Elteren's test with correction for ties. Where all clusters of a stratum are marked equally
    often, only the differences inside clusters are left to count.

    Args:
        values: shape (values,); NaN is left out.
        marked: whether a value is of the kind that may be larger.
        clusters: a number per value; a cluster lies in one stratum.
        strata: a number per value.
    """
    x, marks, cluster, stratum = _known(values, marked, clusters, strata)
    if not x.size:
        return Superiority(None, None, None, 0, 0, 0)
    ranks = _midranks(x, stratum)
    sizes, m = np.bincount(stratum), np.bincount(stratum, weights=marks)
    weights = 1.0 / (sizes + 1.0)
    rank_sums = np.bincount(stratum, weights=marks * ranks)
    pairs = m * (sizes - m)
    larger = rank_sums - m * (m + 1) / 2
    probability = total(floats(weights * larger)) / total(floats(weights * pairs))
    excess, variance = _moments(ranks * weights[stratum], marks, cluster, stratum)
    n_clusters = np.unique(cluster).size
    z = excess / math.sqrt(variance) if variance > 0 else None
    p = None if z is None or n_clusters < FEWEST_CLUSTERS else 2.0 * float(ndtr(-abs(z)))
    return Superiority(probability, z, p, x.size, n_clusters, sizes.size)


def _known(
    values: Values, marked: Values, clusters: Values, strata: Values
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Values of the strata that hold both kinds, by stratum and size; clusters and strata counted from 0."""
    x, marks = floats(values), floats(marked)
    cluster, stratum = _codes(clusters), _codes(strata)
    sizes = np.bincount(stratum, weights=~np.isnan(x))
    m = np.bincount(stratum, weights=np.where(np.isnan(x), 0.0, marks))
    both = np.flatnonzero(~np.isnan(x) & ((m > 0) & (m < sizes))[stratum])
    order = both[np.lexsort((x[both], stratum[both]))]
    return x[order], marks[order], _codes(cluster[order]), _codes(stratum[order])


def _codes(numbers: Values) -> IntArray:
    return np.unique(np.asarray(numbers), return_inverse=True)[1].reshape(-1).astype(np.int64)


def _midranks(x: FloatArray, stratum: IntArray) -> FloatArray:
    """Ranks from 1 inside each stratum, equal values with their mean rank; the values come sorted."""
    starts = np.flatnonzero(np.r_[True, (x[1:] != x[:-1]) | (stratum[1:] != stratum[:-1])])
    ends = np.r_[starts[1:], x.size]
    first_of_stratum = np.searchsorted(stratum, stratum[starts])
    return np.repeat((starts + ends + 1) / 2 - first_of_stratum, ends - starts)


def _moments(ranks: FloatArray, marks: FloatArray, cluster: IntArray, stratum: IntArray) -> tuple[float, float]:
    """The marked values' rank sum less its mean over all permutations, and its variance."""
    size = np.bincount(cluster)
    f = np.bincount(cluster, weights=marks)
    mean = np.bincount(cluster, weights=ranks) / size
    spread = np.bincount(cluster, weights=np.square(ranks - mean[cluster]))
    home = np.zeros(size.size, dtype=np.int64)
    home[cluster] = stratum
    block = _codes(home * (1 + size.max()) + size)
    order = np.lexsort((spread, mean, f, block))
    block, size = block[order], size[order]
    f, mean, spread = f[order], mean[order], spread[order]
    n = np.bincount(block)
    f_mean, r_mean = np.bincount(block, weights=f) / n, np.bincount(block, weights=mean) / n
    between_f = np.bincount(block, weights=np.square(f - f_mean[block]))
    between_r = np.bincount(block, weights=np.square(mean - r_mean[block]))
    drawn = np.bincount(block, weights=f * (size - f) / (size * np.maximum(size - 1, 1)))
    within = drawn * np.bincount(block, weights=spread) / n
    variance = total(between_f * between_r / np.maximum(n - 1, 1)) + total(within)
    excess = total(marks * ranks) - total(f * r_mean[block])
    return excess, variance
