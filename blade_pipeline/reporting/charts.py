"""The kinds of chart as compiled Vega specifications without data: each is made once per process.

They are written as Vega-Lite. Their first data set is empty; ``figures`` fills it.
"""

from functools import cache
from typing import Any

Json = dict[str, Any]

WIDTH = 320
INK, MUTED, GRID = "var(--ink)", "var(--muted)", "var(--line)"
TONES = {
    "measured": "var(--pass)",
    "masked": "var(--masked)",
    "unscored": "var(--unscored)",
    "failed": "var(--fail)",
    "missing": "var(--missing)",
}

_STYLE = {
    "aria": False,
    "background": "transparent",
    "padding": 6,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK, "titleColor": MUTED, "tickColor": GRID, "gridColor": GRID, "domainColor": GRID,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 0,
    },
    "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "orient": "top", "title": None},
}  # fmt: skip
_EMPTY = {"name": "rows"}
_PERCENT = {"format": "%", "tickCount": 5}
_SHARE = {"domain": [0, 1]}


def _compiled(height: Any, *layers: Json, width: int = WIDTH, **datasets: list[Json]) -> Json:
    import vl_convert

    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.4.1.json",
        "config": _STYLE,
        "datasets": {"rows": [], **datasets},
        "width": width,
        "height": height,
        **(layers[0] if len(layers) == 1 else {"layer": layers}),
    }
    compiled: Json = vl_convert.vegalite_to_vega(spec)
    return compiled


def _layer(mark: str, encoding: Json, *, data: Json = _EMPTY, where: str | None = None, **looks: Any) -> Json:
    layer = {"data": data, "mark": {"type": mark, **looks}, "encoding": encoding}
    return layer if where is None else layer | {"transform": [{"filter": where}]}


def _amount(field: str, **shown: Any) -> Json:
    return {"field": field, "type": "quantitative", **shown}


def _name(field: str, **shown: Any) -> Json:
    return {"field": field, "type": "nominal", **shown}


def _tones(**colours: str) -> Json:
    names = [name.replace("_", " ") for name in colours]
    return {"domain": names, "range": [f"var(--{colour})" for colour in colours.values()]}


_LABELS = _name("label", sort=None, title=None)


@cache
def bar_template() -> Json:
    """One bar of stacked parts."""
    scale = {"domain": list(TONES), "range": list(TONES.values())}
    axis = {"tickMinStep": 1, "format": "d", "tickCount": 6}
    x = _amount("start", title="rollouts", axis=axis, scale={"nice": False})
    encoding = {"x": x, "x2": {"field": "end"}, "color": _name("outcome", scale=scale, legend={"columns": 3})}
    return _compiled(30, _layer("bar", encoding, height=26, stroke="var(--paper)", strokeWidth=1.5))


@cache
def interval_template(shares: bool) -> Json:
    """Estimates with spans, over a band of noise where there is one; ``shares`` stand in percent."""
    tone = _name("question", scale=_tones(these_tasks="accent", new_tasks="ink", bounds="masked", noise="muted"))
    noise, ends = "(datum.question === 'noise')", {"x2": {"field": "high"}}
    axis = _PERCENT if shares else {"tickCount": 5}
    low = _amount("low", title=None, axis=axis, scale={"zero": False})
    dots = {"x": _amount("estimate"), "y": _LABELS, "color": tone | {"legend": None}}
    return _compiled(
        {"step": 30},
        _layer("rect", {"x": _amount("low"), **ends}, where=noise, color="var(--soft)"),
        _layer("rule", {"x": {"datum": 0}}, where=noise, color=MUTED, strokeDash=[3, 3]),
        _layer("rule", {"x": low, **ends, "y": _LABELS, "color": tone}, strokeWidth=3, strokeCap="round"),
        _layer("point", dots, filled=True, size=70, opacity=1),
    )


@cache
def curve_template(passes: bool) -> Json:
    """pass@k and pass^k over k, or the expected best score of k."""
    names = ["pass@k", "pass^k"] if passes else ["best of k"]
    height = {"axis": _PERCENT, "scale": _SHARE} if passes else {"axis": {"tickCount": 5}, "scale": {"zero": False}}
    axis = {"tickMinStep": 1, "format": "d", "grid": False}
    encoding = {
        "x": _amount("k", title="repeats k", axis=axis, scale={"zero": False, "nice": False}),
        "y": _amount("value", title=None, **height),
        "color": _name("curve", scale={"domain": names, "range": ["var(--pass)", "var(--fail)"]}),
        "strokeDash": _name("curve", scale={"domain": names, "range": [[1, 0], [5, 3]]}),
    }
    points = _layer("point", encoding, filled=True, size=45, opacity=1)
    return _compiled(150, _layer("line", encoding, strokeWidth=2.5), points)


@cache
def trend_template(score: str) -> Json:
    """The score of that name with its intervals, coverage and mask rate from run to run."""
    names = [score, "coverage", "mask rate"]
    axis = {"title": "runs, oldest first", "labelAngle": 0, "labelOverlap": True, "ticks": False}
    x = {"field": "run", "type": "ordinal", "axis": axis, "scale": {"type": "point", "padding": 0.5}}
    spans = {"x": x, "y": _amount("low", title=None, axis=_PERCENT, scale=_SHARE), "y2": {"field": "high"}}
    values = {
        "x": x,
        "y": _amount("value", title=None),
        "color": _name("series", scale={"domain": names, "range": [INK, "var(--pass)", "var(--masked)"]}),
        "strokeDash": _name("series", scale={"domain": names, "range": [[1, 0], [5, 3], [2, 2]]}),
    }
    spanned = f"datum.series === '{score}' && isValid(datum.low)"
    return _compiled(
        180,
        _layer("rule", spans, where=spanned, color=INK, strokeWidth=3, opacity=0.4, strokeCap="round"),
        _layer("line", values, strokeWidth=1.5),
        _layer("point", values, filled=True, size=45, opacity=1),
        width=560,
    )


@cache
def counts_template() -> Json:
    """Amounts on pale bars of their totals."""
    axis = {"tickMinStep": 1, "format": "d", "tickCount": 5}
    front = {"x": _amount("amount", title="rollouts", axis=axis), "y": _LABELS}
    words = {"x": _amount("amount"), "y": _LABELS, "text": _amount("amount")}
    return _compiled(
        {"step": 26},
        _layer("bar", {"x": _amount("total"), "y": _LABELS}, color="var(--soft)", height=18),
        _layer("bar", front, color="var(--accent)", height=18),
        _layer("text", words, align="left", dx=4, color=INK, fontSize=12),
    )


@cache
def raster_template() -> Json:
    """Shares of outcomes stacked per bin of tasks."""
    tones = _tones(passed="pass", failed_the_verifier="fail", no_valid_score="missing")
    axis = {"title": "tasks, lowest score first", "labels": False, "ticks": False}
    encoding = {
        "x": {"field": "bin", "type": "ordinal", "axis": axis, "scale": {"padding": 0}},
        "y": _amount("share", title=None, axis=_PERCENT, scale=_SHARE),
        "color": _name("outcome", scale=tones, legend={"columns": 3}),
        "order": _name("outcome", sort="descending"),
    }
    return _compiled(120, _layer("bar", encoding))


@cache
def shares_template(passes: bool) -> Json:
    """Bars on an axis from 0 to 100 percent, or of mean scores."""
    looks = {"axis": _PERCENT, "scale": _SHARE} if passes else {"axis": {"tickCount": 5}}
    share = _amount("share", title="passed of measured" if passes else "mean score", **looks)
    return _compiled({"step": 24}, _layer("bar", {"x": share, "y": _LABELS}, color="var(--accent)", height=14))


@cache
def scatter_template(passes: bool) -> Json:
    """Tasks by the shares that pass, or by their mean scores, in two runs, with the diagonal."""
    looks = {"axis": _PERCENT, "scale": _SHARE} if passes else {"axis": {"tickCount": 5}}
    baseline, this = ("baseline passes", "this run passes") if passes else ("baseline", "this run")
    places = {"x": _amount("a", title=baseline, **looks), "y": _amount("b", title=this, **looks)}
    scale = {"zero": True, "rangeMin": 0, "rangeMax": 500}
    size = _amount("tasks", title="tasks", scale=scale, legend={"symbolFillColor": MUTED})
    return _compiled(
        260,
        _layer("point", {**places, "size": size}, filled=True, opacity=0.85, color="var(--accent)"),
        _layer("line", places, data={"name": "diagonal"}, color=GRID, strokeWidth=2),
        width=260,
        diagonal=[{"a": 0, "b": 0}, {"a": 1, "b": 1}],
    )
