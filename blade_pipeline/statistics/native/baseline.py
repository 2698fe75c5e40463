"""Five statistics per numeric field over all measured rollouts."""

from collections.abc import Mapping

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, sorted_deviation, sorted_values


def baseline_statistics(columns: Mapping[str, FloatArray]) -> dict[str, float]:
    """``mean|max|min|median|std/<field>`` over rollouts (a micro average), NaN meaning "this row has no value".

    Values that a row lacks are ignored field by field, so a row without a reward silently leaves the denominator of
    ``mean/reward``: that is the tool's rule, not ours. ``std`` is the sample deviation; where no field has one, it is 0
    for the fields that every row has; a field with a single value among fields with several has no ``std`` key. A
    field without any value has no key.

    Args:
        columns: field name to values, each of shape (rollouts,).
    """
    result: dict[str, float] = {}
    deviations: dict[str, float] = {}
    complete = []
    for name, column in columns.items():
        values = sorted_values(column)
        if not values.size:
            continue
        result |= {
            f"mean/{name}": float(values.mean()),
            f"max/{name}": float(values[-1]),
            f"min/{name}": float(values[0]),
            f"median/{name}": float(np.median(values)),
        }
        if values.size > 1:
            deviations[f"std/{name}"] = sorted_deviation(values)
        if values.size == column.size:
            complete.append(name)
    return result | (deviations or {f"std/{name}": 0.0 for name in complete})
