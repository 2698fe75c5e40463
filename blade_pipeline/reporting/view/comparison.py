"""Cross-Model Comparison: this run against its baseline and against published scores."""

from collections.abc import Iterator

from blade_pipeline.method.comparison.amounts import score_text
from blade_pipeline.reporting.blocks import (
    Block,
    Cell,
    Figure,
    Fold,
    Heading,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    ended,
    link,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.figures import interval_plot
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, distance, level, plural, points
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.behaviour import moved_modes, moved_tools
from blade_pipeline.reporting.view.changed_tasks import changed_tasks
from blade_pipeline.reporting.view.comparison_details import details, settling
from blade_pipeline.reporting.view.comparison_tests import rows_of_tests
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.scores import ACCOUNTINGS
from blade_pipeline.reporting.view.summary import verdict_words
from blade_pipeline.reporting.view.task_scatter import task_scatter

NAMED = 3
"""Conditions that the sentence itself names; a longer list is written out after it."""
GROUPS = ("code", "benchmark", "method", "accounting", "noise")


def cross_model_comparison(evidence: Evidence) -> Iterator[Block]:
    """The pairs that this run's report shows, then the references."""
    comparison = evidence.inputs.comparison
    if not comparison["pairs"]:
        yield absent(say("a comparison with another run: ", ended(comparison["reason"])))
    else:
        yield Paragraph(say("The baseline is ", code(comparison["baseline"]), ": ", ended(comparison["reason"])))
    for pair in comparison["pairs"]:
        yield from pair_blocks(pair)
    if comparison["pairs"]:
        yield from moved_modes(comparison.get("modes") or {})
        yield from moved_tools(comparison.get("tools") or {})
    yield from task_scatter(evidence)
    yield from _references(comparison["references"])
    yield Paragraph(say("All runs of this benchmark: ", link("comparison page", "../index.html"), "."))


def pair_blocks(pair: Json) -> Iterator[Block]:
    """One pair of runs: verdict, difference, checks, flips."""
    words, _ = verdict_words(pair["verdict"], pair)
    yield Heading(say(code(pair["run_b"]), " against ", code(pair["run_a"]), f": {words}"))
    yield Paragraph(say(quoted(pair["sentence"]), _condition(pair)))
    if pair.get("paragraph"):
        yield Paragraph(quoted(pair["paragraph"], 4000))
    yield from settling(pair)
    yield from _checks(pair)
    yield from _difference(pair)
    yield from changed_tasks(pair, of_passes=is_share(pair["difference"] or {}))
    yield from details(pair)


def _condition(pair: Json) -> Text:
    labels = {check["id"]: str(check.get("label") or check["id"]) for check in pair["checks"]}
    unknown = [labels.get(name, name) for name in pair.get("conditional_on") or []]
    if len(unknown) <= NAMED:
        return ()
    return say(" Unknown, and assumed to be the same: ", quoted("; ".join(unknown)), ".")


def _difference(pair: Json) -> Iterator[Block]:
    difference = pair["difference"]
    if not difference or difference["value"] is None:
        yield absent("a difference between these runs. They share no scored task.")
        return
    pairing = pair.get("pairing") or {}
    if pairing:
        yield Paragraph(
            say(
                f"{plural(pairing['common'], 'task')} in common, paired by {pairing['method']}; "
                f"{count(pairing['only_a'])} only in the first run, {count(pairing['only_b'])} only in the second, "
                f"{count(pairing['changed_content'])} with changed content."
            )
        )
    drawn, metric = _plotted(difference), str(difference.get("metric") or "pass@1")
    if drawn:
        form = points if is_share(difference) else decimal
        alternative = "; ".join(f"{label}: {form(low)} to {form(high)}" for label, _, low, high, _ in drawn)
        drawing = interval_plot(drawn, shares=is_share(difference))
        yield Figure(drawing, f"Difference in {metric} on the tasks in common", alternative)
    caption = f"Difference in {metric.replace('_', ' ')}, second run minus first"
    yield table(caption, "Quantity | Value | Means", [cells(*row) for row in _difference_rows(difference)])


def _plotted(difference: Json) -> list[tuple[str, float | None, float, float, str]]:
    rows: list[tuple[str, float | None, float, float, str]] = []
    for key, label in (("new_tasks", "new tasks"), ("these_tasks", "these tasks")):
        interval = difference.get(key)
        if interval and interval["low"] is not None and interval["high"] is not None:
            rows.append((label, difference["value"], interval["low"], interval["high"], label))
    band = (difference.get("noise_floor") or {}).get("band95")
    if band:
        rows.append(("re-run noise", None, -band, band, "noise"))
    return rows


def is_share(difference: Json) -> bool:
    """Whether a difference is one of pass rates, which is told in points."""
    return bool(difference.get("metric", "pass@1") == "pass@1")


def _difference_rows(difference: Json) -> Iterator[tuple[str | Text, str, str | Text]]:
    signed, plain = (points, distance) if is_share(difference) else (decimal, decimal)
    yield "difference", signed(difference["value"]), f"mean over {plural(difference['tasks'], 'task')}"
    for key, words in (("new_tasks", "for other tasks of this kind"), ("these_tasks", "for these tasks, run again")):
        interval = difference.get(key)
        if interval and interval["low"] is not None and interval["high"] is not None:
            span = f"{signed(interval['low'])} to {signed(interval['high'])}"
            yield f"{level(interval['level'])} interval", span, say(words, " (", quoted(interval["method"]), ")")
        elif interval and interval.get("reason"):
            yield "interval", "none", say(words, ": ", quoted(interval["reason"]))
    yield from rows_of_tests(difference, plain)
    noise, effect = difference.get("noise_floor") or {}, difference.get("mde") or {}
    if noise.get("band95") is not None:
        yield "re-run noise", f"within {plain(noise['band95'])}", "95 of 100 re-runs of equal systems differ by less"
    if effect.get("value") is not None:
        beyond = is_share(difference) and effect["value"] > 1
        yield (
            "smallest detectable",
            "none" if beyond else f"{'more than ' * bool(effect.get('at_least'))}{plain(effect['value'])}",
            f"with {level(effect['power'])} power",
        )
    bounds = difference.get("bounds") or {}
    if bounds.get("low") is not None and bounds["low"] < bounds["high"]:
        span = f"{signed(bounds['low'])} to {signed(bounds['high'])}"
        yield "bounds", span, "worst and best case over rollouts without a score"
    by_rule = {rule: value for rule, value in (difference.get("accountings") or {}).items() if value is not None}
    if len(by_rule) > 1 and len({signed(value) for value in by_rule.values()}) == 1:
        yield (
            "under every counting rule",
            signed(next(iter(by_rule.values()))),
            "whatever a rollout without a score counts",
        )
        return
    for rule in [name for name in ACCOUNTINGS if name in by_rule]:
        yield say("under ", code(rule)), signed(by_rule[rule]), ACCOUNTINGS[rule]


def _checks(pair: Json) -> Iterator[Block]:
    order = {name: position for position, name in enumerate(GROUPS)}
    ranked = sorted(pair["checks"], key=lambda check: order.get(check["group"], len(order)))
    columns = ("Check", "Group", "Status", clean(pair["run_a"], 40), clean(pair["run_b"], 40), "Decides")
    for status, words in (("different", "differ"), ("unknown", "are unknown"), ("same", "are the same in both runs")):
        found = [check for check in ranked if check["status"] == status]
        silent = [check for check in found if status == "unknown" and _is_silent(check, pair)]
        rows = [_check_row(check, pair) for check in found if check not in silent]
        caption = f"{len(found)} of {len(ranked)} checks {words}"
        blocks: list[Block] = [table(caption, columns, rows)] if rows else []
        if silent:
            blocks.append(_on_neither_side(silent))
        if status == "different":
            yield from blocks
        elif blocks:
            yield Fold(caption, tuple(blocks))


def _is_silent(check: Json, pair: Json) -> bool:
    """Whether neither run says anything about a check that did not decide."""
    return check["a"] is None and check["b"] is None and check["id"] != pair["headline_check"]


def _on_neither_side(checks: list[Json]) -> Block:
    deciding, others = (
        [str(check.get("label") or check["id"]) for check in checks if bool(check["blocking"]) is wanted]
        for wanted in (True, False)
    )
    parts = [
        say(f"{title}: ", quoted("; ".join(labels), 4000), ". ")
        for title, labels in (("Would decide if different", deciding), ("Would only be reported", others))
        if labels
    ]
    return Paragraph(say("Recorded by neither run. ", *parts))


def _check_row(check: Json, pair: Json) -> tuple[Cell, ...]:
    blocks = "if different" if check["blocking"] else "no"
    decides = "this one decided" if check["id"] == pair["headline_check"] else blocks
    both_open = check["a"] is None and check["b"] is None and check["status"] != "unknown"
    sides = ((), ()) if both_open else (_side(check["a"], check["source_a"]), _side(check["b"], check["source_b"]))
    return cells(
        _check_words(check),
        check["group"],
        Cell(say(check["status"]), tone=f"status {check['status']}"),
        *sides,
        decides,
    )


def _check_words(check: Json) -> Text:
    label, note = str(check.get("label") or check["id"]), str(check.get("note") or "")
    if not note or note.startswith(label):
        return quoted(note or label)
    return say(quoted(label), ": ", quoted(note))


def _side(value: object, source: str | None) -> Text:
    if value is None:
        return say("unknown")
    return say(code(value), say(", ", quoted(source)) if source else ())


def _references(references: list[Json]) -> Iterator[Block]:
    if not references:
        yield absent("a comparison with a published score. The benchmark has no reference file.")
        return
    yield Heading(say("Published scores"))
    for entry in references:
        yield Paragraph(_reference(entry))
        if entry.get("paragraph"):
            yield Paragraph(quoted(entry["paragraph"], 4000))
        yield from settling(entry)
        sides = {"run_a": entry["name"], "run_b": entry.get("run", ""), "headline_check": entry.get("headline_check")}
        yield from _checks({"checks": entry.get("checks") or []} | sides)


def _reference(entry: Json) -> Text:
    words, _ = verdict_words(entry["verdict"])
    value = score_text(entry["score_fraction"], entry["metric"])
    score = say("The score ", code(entry["name"]), f" gives {value} for ", quoted(entry["metric"]), ". ")
    source = say(" Source: ", quoted(entry["source"]), ".") if entry.get("source") else ()
    return say(score, f"{words}: ", quoted(entry["sentence"]), source)
