"""Cross-Model Comparison: this run against its baseline and against published scores."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Cell,
    Figure,
    Fold,
    Heading,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    link,
    listed,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.figures import interval_plot
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, distance, level, percent, plural, points, probability
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.summary import verdict_words

GROUPS = ("code", "benchmark", "method", "accounting", "noise")


def cross_model_comparison(evidence: Evidence) -> Iterator[Block]:
    """The pairs that this run's report shows, then the references."""
    comparison = evidence.inputs.comparison
    if not comparison["pairs"]:
        yield absent(say("a comparison with another run: ", quoted(comparison["reason"]), "."))
    else:
        yield Paragraph(say("The baseline is ", code(comparison["baseline"]), ": ", quoted(comparison["reason"]), "."))
    for pair in comparison["pairs"]:
        yield from pair_blocks(pair)
    yield from _references(comparison["references"])
    yield Paragraph(say("All runs of this benchmark: ", link("comparison page", "../index.html"), "."))


def pair_blocks(pair: Json) -> Iterator[Block]:
    """One pair of runs: verdict, difference, checks, flips."""
    words, _ = verdict_words(pair["verdict"])
    yield Heading(say(code(pair["run_b"]), " against ", code(pair["run_a"]), f": {words}"))
    yield Paragraph(say(quoted(pair["sentence"]), _condition(pair)))
    if pair.get("paragraph"):
        yield Paragraph(quoted(pair["paragraph"], 4000))
    yield from _difference(pair)
    yield from _checks(pair["checks"])
    yield from _flips(pair)


def _condition(pair: Json) -> Text:
    unknown = pair.get("conditional_on") or []
    if not unknown:
        return ()
    return say(" This holds provided that these unknowns are the same: ", listed([code(item) for item in unknown]), ".")


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
    drawn = _plotted(difference)
    if drawn:
        alternative = "; ".join(f"{label}: {points(low)} to {points(high)}" for label, _, low, high, _ in drawn)
        yield Figure(interval_plot(drawn), "Difference in pass@1 on the tasks in common", alternative)
    yield table("The difference", "Quantity | Value | Means", list(_difference_rows(difference)))


def _plotted(difference: Json) -> list[tuple[str, float | None, float, float, str]]:
    rows: list[tuple[str, float | None, float, float, str]] = []
    for key, label in (("new_tasks", "new tasks"), ("these_tasks", "these tasks")):
        interval = difference.get(key)
        if interval and interval["low"] is not None and interval["high"] is not None:
            rows.append((label, difference["value"], interval["low"], interval["high"], label))
    band = (difference.get("noise_floor") or {}).get("band95")
    if band:
        rows.append(("re-run noise", None, -band, band, "bounds"))
    return rows


def _difference_rows(difference: Json) -> Iterator[tuple[Cell, ...]]:
    yield cells(
        "difference",
        points(difference["value"]),
        f"second minus first, mean over {plural(difference['tasks'], 'task')}",
    )
    for key, words in (("new_tasks", "for other tasks of this kind"), ("these_tasks", "for these tasks, run again")):
        interval = difference.get(key)
        if interval and interval["low"] is not None and interval["high"] is not None:
            span = f"{points(interval['low'])} to {points(interval['high'])}"
            yield cells(f"{level(interval['level'])} interval", span, say(words, " (", quoted(interval["method"]), ")"))
        elif interval and interval.get("reason"):
            yield cells("interval", "none", say(words, ": ", quoted(interval["reason"])))
    if difference.get("sign_flip_p") is not None:
        yield cells(
            "sign-flip test",
            probability(difference["sign_flip_p"]),
            "no difference on any task, by random sign changes",
        )
    noise = difference.get("noise_floor") or {}
    if noise.get("band95") is not None:
        yield cells(
            "re-run noise", f"within {distance(noise['band95'])}", "95 of 100 re-runs of one model differ by less"
        )
    effect = difference.get("mde") or {}
    if effect.get("value") is not None:
        yield cells("smallest detectable", distance(effect["value"]), f"with {level(effect['power'])} power")
    bounds = difference.get("bounds") or {}
    if bounds.get("low") is not None:
        yield cells(
            "bounds",
            f"{points(bounds['low'])} to {points(bounds['high'])}",
            "worst and best case over unscored rollouts",
        )
    for rule, value in sorted((difference.get("accountings") or {}).items()):
        yield cells(say("under ", code(rule)), points(value), "the same difference under this accounting")


def _checks(checks: list[Json]) -> Iterator[Block]:
    order = {name: position for position, name in enumerate(GROUPS)}
    ranked = sorted(checks, key=lambda check: (order.get(check["group"], len(order)), check["id"]))
    notable = [check for check in ranked if check["status"] != "same"]
    same = [check for check in ranked if check["status"] == "same"]
    columns = "Check | Group | Status | First run | Second run | Blocks a comparison"
    if notable:
        yield table("Checks that are different or unknown", columns, [_check_row(check) for check in notable])
    if same:
        caption = f"{len(same)} of {len(checks)} checks are the same in both runs"
        yield Fold(caption, (table(caption, columns, [_check_row(check) for check in same]),))


def _check_row(check: Json) -> tuple[Cell, ...]:
    note = say(": ", quoted(check["note"])) if check.get("note") else ()
    return cells(
        say(code(check["id"]), note), check["group"], Cell(say(check["status"]), tone=f"status {check['status']}"),
        _side(check["a"], check["source_a"]), _side(check["b"], check["source_b"]),
        "yes" if check["blocking"] else "no",
    )  # fmt: skip


def _side(value: object, source: str | None) -> Text:
    if value is None:
        return say("unknown")
    return say(code(value), say(", ", quoted(source)) if source else ())


def _flips(pair: Json) -> Iterator[Block]:
    flips = pair.get("flips") or {}
    if not flips:
        return
    words = (
        f"{plural(flips['gained'], 'task')} gained, {count(flips['lost'])} lost, {count(flips['unchanged'])} unchanged."
    )
    yield Paragraph(say(words, " ", quoted(flips["note"]) if flips.get("note") else ()))
    rows = [
        cells(
            code(item["task"]), percent(item["a"]), percent(item["b"]), probability(item["p"]), probability(item["q"])
        )
        for item in flips["candidates"][:20]
    ]
    if rows:
        columns = "Task | First run | Second run | p | p adjusted for all tasks"
        yield table("Tasks that changed most", columns, rows, numeric="First run | Second run")


def _references(references: list[Json]) -> Iterator[Block]:
    if not references:
        yield absent("a comparison with a published score. The benchmark has no reference file.")
        return
    yield Heading(say("Published scores"))
    yield Bullets(tuple(_reference(entry) for entry in references))


def _reference(entry: Json) -> Text:
    scale = 100 if entry.get("scale") == "percent" else 1
    words, _ = verdict_words(entry["verdict"])
    return say(code(entry["name"]), f" gives {percent(entry['score'] / scale)}. {words}: ", quoted(entry["sentence"]))
