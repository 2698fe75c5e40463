"""Corrections of p values for asking several questions."""

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, floats


def holm(p_values: Values) -> FloatArray:
    """Step-down adjusted p values that bound the chance of any false finding (Holm 1979).

    Args:
        p_values: shape (tests,); NaN stays NaN and does not count as a test.
    """
    values, order = _ordered(p_values)
    tests = order.size
    steps = np.maximum.accumulate(values[order] * (tests - np.arange(tests)))
    return _put_back(values, order, steps)


def benjamini_hochberg(p_values: Values) -> FloatArray:
    """Step-up adjusted p values (q) that bound the expected share of false findings (Benjamini and Hochberg 1995).

    Args:
        p_values: shape (tests,); NaN stays NaN and does not count as a test.
    """
    values, order = _ordered(p_values)
    tests = order.size
    scaled = values[order] * tests / np.arange(1, tests + 1)
    return _put_back(values, order, np.minimum.accumulate(scaled[::-1])[::-1])


def _ordered(p_values: Values) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    values = floats(p_values)
    order = np.argsort(values, kind="stable")
    return values, order[: int(np.sum(~np.isnan(values)))]


def _put_back(values: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]], adjusted: FloatArray) -> FloatArray:
    result = np.full(values.shape, np.nan)
    result[order] = np.minimum(adjusted, 1.0)
    return result
