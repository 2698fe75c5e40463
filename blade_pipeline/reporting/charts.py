"""The kinds of chart as compiled Vega specifications without data: each is made once per process.

Their first data set is empty; ``figures`` fills it. Altair is loaded when the first chart is made.
"""

from functools import cache
from typing import Any

WIDTH = 320
INK, MUTED, GRID = "var(--ink)", "var(--muted)", "var(--line)"
TONES = {
    "measured": "var(--pass)",
    "masked": "var(--masked)",
    "unscored": "var(--unscored)",
    "failed": "var(--fail)",
    "missing": "var(--missing)",
}


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
def bar_template() -> dict[str, Any]:
    """One bar of stacked parts."""
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
def interval_template() -> dict[str, Any]:
    """Estimates with spans, over a band of noise where there is one."""
    import altair as alt

    base = _empty().encode(y=alt.Y("label:N", sort=None, title=None))
    tone = alt.Color("question:N").scale(
        domain=["these tasks", "new tasks", "bounds", "noise"],
        range=["var(--accent)", "var(--ink)", "var(--masked)", "var(--muted)"],
    )
    noise = alt.datum.question == "noise"
    band = _empty().transform_filter(noise).mark_rect(color="var(--soft)").encode(x="low:Q", x2="high:Q")
    zero = _empty().transform_filter(noise).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x=alt.datum(0))
    span = base.mark_rule(strokeWidth=3, strokeCap="round").encode(
        x=alt.X("low:Q", title=None).axis(format="%", tickCount=5).scale(zero=False), x2="high:Q", color=tone
    )
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(x="estimate:Q", color=tone.legend(None))
    return _compiled((band + zero + span + dot).properties(width=WIDTH, height=alt.Step(30)))


@cache
def curve_template() -> dict[str, Any]:
    """pass@k and pass^k over k."""
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
def counts_template() -> dict[str, Any]:
    """Amounts on pale bars of their totals."""
    import altair as alt

    base = _empty().encode(y=alt.Y("label:N", sort=None, title=None))
    back = base.mark_bar(color="var(--soft)", height=18).encode(x="total:Q")
    front = base.mark_bar(color="var(--accent)", height=18).encode(
        x=alt.X("amount:Q", title="rollouts").axis(tickMinStep=1, format="d", tickCount=5)
    )
    words = base.mark_text(align="left", dx=4, color=INK, fontSize=12).encode(x="amount:Q", text="amount:Q")
    return _compiled((back + front + words).properties(width=WIDTH, height=alt.Step(26)))


@cache
def raster_template() -> dict[str, Any]:
    """Shares of outcomes stacked per bin of tasks."""
    import altair as alt

    tone = alt.Color("outcome:N").scale(
        domain=["passed", "failed the verifier", "no valid score"],
        range=["var(--pass)", "var(--fail)", "var(--missing)"],
    )
    axis = alt.Axis(title="tasks, lowest score first", labels=False, ticks=False)
    bars = (
        _empty()
        .mark_bar()
        .encode(
            x=alt.X("bin:O", axis=axis).scale(padding=0),
            y=alt.Y("share:Q", title=None).axis(format="%", tickCount=5).scale(domain=[0, 1]),
            color=tone.legend(columns=3),
            order=alt.Order("outcome:N", sort="descending"),
        )
    )
    return _compiled(bars.properties(width=WIDTH, height=120))


@cache
def shares_template() -> dict[str, Any]:
    """Bars on an axis from 0 to 100 percent."""
    import altair as alt

    bars = (
        _empty()
        .mark_bar(color="var(--accent)", height=14)
        .encode(
            x=alt.X("share:Q", title="passed of measured").axis(format="%", tickCount=5).scale(domain=[0, 1]),
            y=alt.Y("label:N", sort=None, title=None),
        )
    )
    return _compiled(bars.properties(width=WIDTH, height=alt.Step(24)))


@cache
def scatter_template() -> dict[str, Any]:
    """Tasks by the shares that pass in two runs, with the diagonal."""
    import altair as alt

    ends = alt.InlineData(values=[{"a": 0, "b": 0}, {"a": 1, "b": 1}])
    x = alt.X("a:Q", title="baseline passes").axis(format="%", tickCount=5).scale(domain=[0, 1])
    y = alt.Y("b:Q", title="this run passes").axis(format="%", tickCount=5).scale(domain=[0, 1])
    diagonal = alt.Chart(ends).mark_line(color=GRID, strokeWidth=2).encode(x=x, y=y)
    dots = _empty().mark_point(filled=True, opacity=0.85, color="var(--accent)").encode(x=x, y=y)
    size = alt.Size("tasks:Q", title="tasks").scale(zero=True, rangeMin=0, rangeMax=500).legend(symbolFillColor=MUTED)
    chart = dots.encode(size=size) + diagonal
    return _compiled(chart.properties(width=260, height=260))
