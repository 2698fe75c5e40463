"""What stands folded below a pair of runs: secondary comparisons, category mix, the tool's own numbers."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Bullets, Fold, Paragraph, Text, cells, code, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, plural, points, probability

TOOL_METRICS = 12


def settling(document: Json) -> Iterator[Block]:
    """What evidence would settle an open verdict."""
    steps = document.get("settle") or []
    if steps:
        yield Paragraph(say("What would settle it:"))
        yield Bullets(tuple(quoted(step) for step in steps))


def details(pair: Json) -> Iterator[Block]:
    """The folded parts of a pair; parts with nothing to say are left out."""
    yield from _secondary(pair.get("secondary") or [], pair)
    yield from _mix(pair.get("mix") or {}, pair)
    yield from _tool(pair.get("gym_compare") or {})


def _secondary(entries: list[Json], pair: Json) -> Iterator[Block]:
    if not entries:
        return
    signed = points if _is_share(pair) else decimal
    plain = percent if _is_share(pair) else decimal
    rows = [
        cells(
            _compared(entry["name"]), count(entry["tasks"]), plain(entry["a"]), plain(entry["b"]),
            signed(entry["value"]), probability(entry["p"]), probability(entry["holm_p"]),
        )
        for entry in entries
    ]  # fmt: skip
    columns = "Comparison | Tasks | First run | Second run | Difference | p | p, Holm"
    numeric = "Tasks | First run | Second run | Difference"
    caption = f"{plural(len(entries), 'secondary comparison')}, corrected together"
    yield Fold(caption, (table(caption, columns, rows, numeric),))


def _compared(name: str) -> Text:
    """A metric, or a slice as the names of its field and value."""
    field, sign, value = name.partition(" = ")
    return say(code(field), sign, code(value)) if sign else say(name)


def _mix(mix: Json, pair: Json) -> Iterator[Block]:
    same = (pair.get("difference") or {}).get("tasks")
    if not mix or mix["difference"] is None or (not mix["by"] and mix["tasks_a"] == mix["tasks_b"] == same):
        return
    signed, plain = (points, percent) if _is_share(pair) else (decimal, decimal)
    own = say(
        f"Each run over its own measured tasks: {plain(mix['a'])} on {plural(mix['tasks_a'], 'task')} and "
        f"{plain(mix['b'])} on {plural(mix['tasks_b'], 'task')}, a difference of {signed(mix['difference'])}."
    )
    blocks: list[Block] = [Paragraph(own)]
    for split in mix["by"]:
        told = f" {signed(split['rates'])} come from the categories' scores, {signed(split['mix'])} from their mix."
        blocks.append(Paragraph(say("By ", code(split["field"]), ":", told)))
        rows = [
            cells(
                code(entry["value"]), count(entry["tasks_a"]), count(entry["tasks_b"]), plain(entry["a"]),
                plain(entry["b"]),
            )
            for entry in split["categories"]
        ]  # fmt: skip
        columns = "Category | Tasks, first run | Tasks, second run | Score, first run | Score, second run"
        blocks.append(table("Tasks and scores per category", columns, rows, columns.split(" | ", 1)[1]))
    yield Fold("Did the mix of tasks move, or the scores?", tuple(blocks))


def _tool(found: Json) -> Iterator[Block]:
    """The numbers of ``gym eval compare``."""
    blocks: list[Block] = []
    for agent in found.get("agents") or []:
        flips = agent["flips"]
        words = say(
            code(agent["baseline_agent"]), " against ", code(agent["candidate_agent"]), f": {_flips(flips)}; "
            f"{plural(flips['common_task_count'], 'task index', 'task indices')} in common.",
        )  # fmt: skip
        blocks.append(Paragraph(words))
        rows = [
            cells(
                code(row["metric"]), decimal(row["baseline"]), decimal(row["candidate"]), decimal(row["delta"]),
                _span(row),
            )
            for row in _shown(agent["metrics"])
        ]  # fmt: skip
        if rows:
            columns = "Metric | Baseline | Candidate | Delta | Welch interval over repeats"
            blocks.append(table("Metrics that both runs have", columns, rows, "Baseline | Candidate | Delta"))
        blocks += [Paragraph(quoted(note)) for note in agent["notes"]]
    if blocks:
        blocks += [Paragraph(quoted(f"Note: {note}."), "quiet") for note in found["notes"]]
        yield Fold("The same pair in gym eval compare's numbers", tuple(blocks))


def _shown(metrics: list[Json]) -> list[Json]:
    """The reward first, then passes; token counts and the like are left to the JSON file."""
    both = [row for row in metrics if row["delta"] is not None]
    wanted = [row for row in both if row["metric"].startswith(("mean/reward", "pass@", "majority@"))]
    return wanted[:TOOL_METRICS]


def _flips(flips: Json) -> str:
    if flips["mode"] == "unavailable":
        return "no task index in common has a reward"
    if flips["mode"] == "continuous":
        return f"rewards are no passes, {count(flips['unchanged_count'])} unchanged"
    down, up, tied, same = (
        count(flips[name]) for name in ("pass_to_fail_count", "fail_to_pass_count", "tied_count", "unchanged_count")
    )
    return f"{down} pass to fail, {up} fail to pass, {tied} tied, {same} unchanged"


def _span(row: Json) -> str:
    low, high = row["delta_ci_low"], row["delta_ci_high"]
    return "none" if low is None else f"{decimal(low)} to {decimal(high)}"


def _is_share(pair: Json) -> bool:
    return bool(pair["difference"].get("metric", "pass@1") == "pass@1")
