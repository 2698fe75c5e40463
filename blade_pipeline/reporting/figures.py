"""Figures as inline SVG: drawn once per kind as an Altair chart, then filled with each report's numbers.

Altair and the Vega-Lite compiler run once per process and kind; a report only pays for drawing. Colours are custom
properties of the page's style sheet, so the same drawing serves light and dark. The drawings hold no ids, no links
and no text alternative of their own: the page adds the alternative and prints the numbers in a table.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from blade_pipeline.reporting.text import clean

Values = list[dict[str, Any]]
WIDTH = 320
LABEL = 26
INK, MUTED, GRID = "var(--ink)", "var(--muted)", "var(--line)"
TONES = {
    "measured": "var(--pass)",
    "masked": "var(--masked)",
    "unscored": "var(--unscored)",
    "failed": "var(--fail)",
    "missing": "var(--missing)",
}


def accounting_bar(parts: Sequence[tuple[str, int]]) -> str:
    """One bar of what became of every rollout, in the order given."""
    position, values = 0, []
    for name, amount in parts:
        values.append({"outcome": name, "start": position, "end": position + amount, "amount": amount})
        position += amount
    return _draw(_bar_template, values)


def interval_plot(rows: Sequence[tuple[str, float | None, float, float, str]]) -> str:
    """Rows of (label, estimate, low, high, question), fractions on a common axis in percent."""
    return _draw(_interval_template, _named(("label", "estimate", "low", "high", "question"), rows))


def curves(points: Sequence[tuple[int, float, str]]) -> str:
    """Points of (k, fraction, curve name) joined per curve."""
    return _draw(_curve_template, [{"k": k, "value": value, "curve": name} for k, value, name in points])


def counts_bar(rows: Sequence[tuple[str, float, float]]) -> str:
    """Rows of (label, amount, total): a bar of the amount on a pale bar of the total."""
    return _draw(_counts_template, _named(("label", "amount", "total"), rows))


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


def _compiled(chart: Any) -> dict[str, Any]:
    import vl_convert

    styled = (
        chart.configure(aria=False, background="transparent", padding=6)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=MUTED, tickColor=GRID, gridColor=GRID, domainColor=GRID, labelFontSize=12,
            titleFontSize=12, titleFontWeight="normal", labelLimit=0,
        )
        .configure_legend(labelColor=INK, titleColor=MUTED, labelFontSize=12, orient="top", title=None)
    )  # fmt: skip
    compiled: dict[str, Any] = vl_convert.vegalite_to_vega(styled.to_dict())
    return compiled


def _empty() -> Any:
    import altair as alt

    return alt.Chart(alt.InlineData(values=[]))


@cache
def _bar_template() -> dict[str, Any]:
    import altair as alt

    base = _empty()
    colour = alt.Color("outcome:N").scale(domain=list(TONES), range=list(TONES.values()))
    bar = base.mark_bar(height=26, stroke="var(--paper)", strokeWidth=1.5).encode(
        x=alt.X("start:Q", title="rollouts").axis(tickMinStep=1, format="d", tickCount=6).scale(nice=False),
        x2="end:Q",
        color=colour.legend(columns=3),
    )
    return _compiled(bar.properties(width=WIDTH, height=30))


@cache
def _interval_template() -> dict[str, Any]:
    import altair as alt

    base = _empty().encode(y=alt.Y("label:N", sort=None, title=None))
    tone = alt.Color("question:N").scale(
        domain=["these tasks", "new tasks", "bounds"], range=["var(--accent)", "var(--ink)", "var(--masked)"]
    )
    span = base.mark_rule(strokeWidth=3, strokeCap="round").encode(
        x=alt.X("low:Q", title=None).axis(format="%", tickCount=5).scale(zero=False), x2="high:Q", color=tone
    )
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(x="estimate:Q", color=tone.legend(None))
    return _compiled((span + dot).properties(width=WIDTH, height=alt.Step(30)))


@cache
def _curve_template() -> dict[str, Any]:
    import altair as alt

    tone = alt.Color("curve:N").scale(domain=["pass@k", "pass^k"], range=["var(--pass)", "var(--fail)"])
    line = _empty().encode(
        x=alt.X("k:Q", title="repeats k").axis(tickMinStep=1, format="d", grid=False).scale(zero=False, nice=False),
        y=alt.Y("value:Q", title=None).axis(format="%", tickCount=5).scale(domain=[0, 1]),
        color=tone,
        strokeDash=alt.StrokeDash("curve:N").scale(domain=["pass@k", "pass^k"], range=[[1, 0], [5, 3]]),
    )
    both = line.mark_line(strokeWidth=2.5) + line.mark_point(filled=True, size=45, opacity=1)
    return _compiled(both.properties(width=WIDTH, height=150))


@cache
def _counts_template() -> dict[str, Any]:
    import altair as alt

    base = _empty().encode(y=alt.Y("label:N", sort=None, title=None))
    back = base.mark_bar(color="var(--soft)", height=18).encode(x="total:Q")
    front = base.mark_bar(color="var(--accent)", height=18).encode(
        x=alt.X("amount:Q", title="rollouts").axis(tickMinStep=1, format="d", tickCount=5)
    )
    words = base.mark_text(align="left", dx=4, color=INK, fontSize=12).encode(x="amount:Q", text="amount:Q")
    return _compiled((back + front + words).properties(width=WIDTH, height=alt.Step(26)))
