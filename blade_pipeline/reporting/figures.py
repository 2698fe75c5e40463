"""Figures as inline SVG: compiled once per kind from Vega-Lite, then filled with each report's numbers.

The Vega-Lite compiler runs once per process and kind; a report only pays for drawing. Colours are custom
properties of the page's style sheet, so the same drawing serves light and dark. The drawings hold no ids, no links
and no text alternative of their own: the page adds the alternative and prints the numbers in a table.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from blade_pipeline.reporting.charts import (
    bar_template,
    counts_template,
    curve_template,
    interval_template,
    raster_template,
    scatter_template,
    shares_template,
    trend_template,
)
from blade_pipeline.reporting.text import clean

Values = list[dict[str, Any]]
LABEL = 26


def accounting_bar(parts: Sequence[tuple[str, int]]) -> str:
    """One bar of what became of every rollout, in the order given."""
    position, values = 0, []
    for name, amount in parts:
        values.append({"outcome": name, "start": position, "end": position + amount, "amount": amount})
        position += amount
    return _draw(bar_template, values)


def interval_plot(rows: Sequence[tuple[str, float | None, float, float, str]], *, shares: bool = True) -> str:
    """Rows of (label, estimate, low, high, question) on a common axis, in percent or, of no ``shares``, plain."""
    return _draw(partial(interval_template, shares), _named(("label", "estimate", "low", "high", "question"), rows))


def curves(points: Sequence[tuple[int, float, str]], *, passes: bool = True) -> str:
    """Points of (k, fraction, curve name) joined per curve: pass@k and pass^k, or else the best score of k."""
    return _draw(
        partial(curve_template, passes), [{"k": k, "value": value, "curve": name} for k, value, name in points]
    )


def counts_bar(rows: Sequence[tuple[str, float, float]]) -> str:
    """Rows of (label, amount, total): a bar of the amount on a pale bar of the total."""
    return _draw(counts_template, _named(("label", "amount", "total"), rows))


def raster(cells: Sequence[tuple[int, str, float]]) -> str:
    """Cells of (bin, outcome, fraction of the bin's rollouts), stacked per bin."""
    return _draw(raster_template, [{"bin": place, "outcome": name, "share": share} for place, name, share in cells])


def share_bars(rows: Sequence[tuple[str, float]], *, passes: bool = True) -> str:
    """Rows of (label, fraction): a bar of the share that passes, from 0 to 100 percent, or else of the mean score."""
    return _draw(partial(shares_template, passes), _named(("label", "share"), rows))


def scatter(points: Sequence[tuple[float, float, int]], *, passes: bool = True) -> str:
    """Points of (first, second, tasks there), shares that pass or else mean scores; the area grows with the tasks."""
    return _draw(partial(scatter_template, passes), [{"a": a, "b": b, "tasks": tasks} for a, b, tasks in points])


def trend(points: Sequence[tuple[int, str, float, float | None, float | None]], score: str = "pass@1") -> str:
    """Points of (place in time, series, fraction, low, high) joined per series; that of the score has its intervals."""
    keys = ("run", "series", "value", "low", "high")
    return _draw(partial(trend_template, score), [dict(zip(keys, point, strict=True)) for point in points])


def _named(keys: Sequence[str], rows: Sequence[Sequence[Any]]) -> Values:
    """Rows as objects; long labels are cut in the middle, equal ones told apart by a number."""
    seen: Counter[str] = Counter()
    values = []
    for first, *rest in rows:
        label = _short(clean(first))
        seen[label] += 1
        unique = label if seen[label] == 1 else f"{label} ({seen[label]})"
        values.append(dict(zip(keys, (unique, *rest), strict=True)))
    return values


def _short(label: str) -> str:
    return label if len(label) <= LABEL else f"{label[: LABEL // 2 - 1]}…{label[-LABEL // 2 :]}"


def _draw(template: Callable[[], dict[str, Any]], values: Values) -> str:
    import vl_convert

    spec = template()
    data = [{**spec["data"][0], "values": values}, *spec["data"][1:]]
    return _page_ready(vl_convert.vega_to_svg({**spec, "data": data}))


def _page_ready(svg: str) -> str:
    """The drawing without namespaces, ids and fonts of its own, hidden from screen readers."""
    svg = re.sub(r' (xmlns(:xlink)?|version|role|aria-[a-z]+|font-family|pointer-events|class)="[^"]*"', "", svg)
    svg = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    svg = re.sub(r'<path d="" display="none"(/>|></path>)', "", svg)
    return svg.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)
