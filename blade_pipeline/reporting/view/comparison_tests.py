"""Rows of a pair's tests in the table of its difference: one quantity, its value, what it means."""

from collections.abc import Callable, Iterator

from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import percent, plural, points, probability

Number = Callable[[float | None], str]


def rows_of_tests(difference: Json, plain: Number) -> Iterator[tuple[str, str, str]]:
    """Sign-flip and sign test, McNemar and Bonett-Price at one repeat, equivalence, tipping point."""
    if difference.get("sign_flip_p") is not None:
        mid = difference.get("sign_flip_mid_p")
        also = "" if mid is None else f"; {probability(mid, 'mid-p')}"
        yield "sign-flip test", probability(difference["sign_flip_p"]), f"of no difference on any task{also}"
    if sign := difference.get("sign_test"):
        told = f"{plural(sign['gained'], 'task')} gained, {sign['lost']} lost, {sign['tied']} tied"
        yield "sign test", probability(sign["p"]), told
    if single := difference.get("single_repeat"):
        interval = single["bonett_price"]
        yield "McNemar's test", probability(single["p_exact"]), f"exact, one repeat a side; mid-p {single['p_mid']:.3f}"
        span = f"{points(interval['low'])} to {points(interval['high'])}"
        yield "Bonett-Price interval", span, "of the same difference at one repeat a side"
    tost = difference.get("tost")
    if tost and tost.get("p") is not None:
        verdict = "equivalent" if tost["equivalent"] else "equivalence not shown"
        yield "equivalence test", probability(tost["p"]), f"{verdict} at a margin of {plain(tost['margin'])}"
    tipping = difference.get("tipping_point")
    if tipping and tipping["q"] is not None and tipping["at_zero"] != tipping["at_one"]:
        yield "tipping point", percent(tipping["q"]), "pass rate of lost rollouts at which the sign flips"
