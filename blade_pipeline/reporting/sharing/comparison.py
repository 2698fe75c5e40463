"""Cross-Model Comparison of a shareable report: verdicts, paired statistics, checks and flips."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, Fold, Heading, Paragraph, absent, cells, code, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, distance, percent, points, probability
from blade_pipeline.reporting.sharing.shared import Shared

FLIPS = 50


def comparison(shared: Shared) -> Iterator[Block]:
    """Every pair of runs that the run's own report shows."""
    if not shared.pairs:
        yield absent("a comparison. There is no run to compare with.")
    for pair, moved in zip(shared.pairs, shared.moved, strict=True):
        yield Heading(say(f"{pair['run_a']} and {pair['run_b']}"))
        yield from pair_blocks(pair)
        yield from _moved(moved, pair["difference"])


def _moved(moved: list[Json], difference: Json) -> Iterator[Block]:
    """The slices whose score moved beyond chance, gained ones and lost ones."""
    share = difference["metric"] == "pass@1"
    score, gap = (percent, points) if share else (decimal, decimal)
    rises = difference.get("higher_is_better") is not False
    rows = [
        cells(
            row["field"], row["of"], "gained" if (row["value"] > 0) is rises else "lost", count(row["tasks"]),
            score(row["a"]), score(row["b"]), gap(row["value"]), probability(row["holm_p"]),
        )
        for row in moved
    ]  # fmt: skip
    if rows:
        columns = "Slice | Value | Verdict | Tasks | First run | Second run | Difference | p, Holm"
        yield table("Slices that moved beyond chance", columns, rows)


def pair_blocks(pair: Json) -> Iterator[Block]:
    """The verdict of one pair with the numbers behind it."""
    labels = {check["id"]: check["label"] for check in pair["checks"]}
    decided = labels.get(pair["headline_check"])
    words = f"Verdict: {pair['verdict'].replace('_', ' ')}"
    given = [str(labels[name]) for name in pair["conditional_on"] if name in labels]
    yield Paragraph(
        say(
            words, f". What decided: {decided}." if decided else ".",
            f" Provided that these did not change (unknown): {', '.join(given)}." if given else "",
        )
    )  # fmt: skip
    if pair["difference"].get("value") is not None:
        yield table("Difference, second run minus first", "Quantity | Value", list(_numbers(pair["difference"])))
    rows = [
        cells(str(c["label"]), str(c["group"]), str(c["status"]), "yes" if c["blocking"] else "")
        for c in pair["checks"]
    ]
    yield Fold("The ordered checks", (table("The ordered checks", "Check | Group | Status | Blocks", rows),))
    yield from _flips(pair["flips"])


def _numbers(difference: Json) -> Iterator[tuple[Cell, ...]]:
    show = points if difference["metric"] == "pass@1" else decimal
    yield cells(f"difference in {difference['metric']}", show(difference["value"]))
    yield cells("tasks in common", count(difference["tasks"]))
    for name in ("new_tasks", "these_tasks"):
        interval = difference[name]
        if interval and interval["low"] is not None:
            yield cells(f"interval, {name.replace('_', ' ')}", f"{show(interval['low'])} to {show(interval['high'])}")
    yield cells("sign-flip test", probability(difference["sign_flip_p"]))
    signs = difference["sign_test"]
    if signs:
        yield cells(
            "tasks gained / lost / tied", f"{count(signs['gained'])} / {count(signs['lost'])} / {count(signs['tied'])}"
        )
    effect = difference["mde"]
    if effect and effect.get("value") is not None and difference["metric"] == "pass@1":
        yield cells("smallest detectable", f"{'more than ' * bool(effect.get('at_least'))}{distance(effect['value'])}")


def _flips(flips: Json) -> Iterator[Block]:
    rows = [
        cells(code(row["task"]), str(row["a"]), str(row["b"]), probability(row["p"]), probability(row["q"], "q"))
        for row in flips.get("candidates", ())[:FLIPS]
    ]
    if rows:
        caption = f"Tasks that changed most: {len(rows)} of {len(flips['candidates'])}"
        columns = "Task | First run passes | Second run passes | p | q over all tasks"
        yield Fold(caption, (table(caption, columns, rows),))
