"""The same accounting by agent, repeat and slice, and the numbers that NeMo Gym reports under its own names."""

import json
from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, Fold, Heading, Paragraph, Text, cells, code, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import total_rollouts
from blade_pipeline.reporting.numbers import count, percent, ratio
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.scores import interval_words

LONGEST = 40
"""Rows of a breakdown; further ones are counted."""


def breakdowns(evidence: Evidence) -> Iterator[Block]:
    """A table per way of splitting the run that has at least two parts."""
    by = evidence.inputs.coverage["by"]
    splits: tuple[tuple[str, str, list[Json], list[Text]], ...] = (
        ("By agent", "Agent", by["agent"], [say(code(row["agent"])) for row in by["agent"]]),
        ("By repeat", "Repeat", by["repeat"], [_repeat_name(row, evidence) for row in by["repeat"]]),
        ("By slice", "Slice", by["slice"], [say(code(row["field"]), " = ", code(row["value"])) for row in by["slice"]]),
    )
    shown = [split for split in splits if len(split[2]) > 1]
    if shown:
        yield Heading(say("Breakdowns"))
    yield from _agents(evidence)
    for caption, column, rows, names in shown:
        body = [_row(row, name) for row, name in zip(rows[:LONGEST], names, strict=False)]
        title = caption if len(rows) <= LONGEST else f"{caption}: the first {LONGEST} of {len(rows)}"
        columns = "Rollouts | With a score | Passed of measured"
        yield table(title, f"{column} | {columns}", body, numeric=columns)


def _agents(evidence: Evidence) -> Iterator[Block]:
    """pass@1 of each agent, where a run has several."""
    agents = evidence.inputs.scores["agents"]
    if len(agents) < 2:
        return
    rows = [
        cells(code(name), percent(scores["pass_at_1"]), interval_words(scores, "pass_at_1"), count(scores["num_tasks"]))
        for name, scores in sorted(agents.items())
    ]
    columns = "Agent | pass@1 | Interval (speaks of) | Measured tasks"
    yield table("pass@1 of each agent", columns, rows, numeric="pass@1 | Measured tasks")


def _repeat_name(row: Json, evidence: Evidence) -> Text:
    name = say(f"{row['repeat']}")
    return say(name, " of ", code(row["agent"])) if evidence.several_agents else name


def _row(row: Json, name: Text) -> tuple[Cell, ...]:
    total = total_rollouts(row)
    return cells(name, count(total), ratio(row["measured"], total), ratio(row["passed"], row["measured"]))


def native_numbers(evidence: Evidence) -> Iterator[Block]:
    """NeMo Gym's own keys and scale, recomputed from the rows."""
    for agent, scores in sorted(evidence.inputs.scores["agents"].items()):
        native = scores.get("native") or {}
        if native:
            rows = [cells(code(key), _plain(native[key])) for key in sorted(native)]
            caption = f"NeMo Gym's own {count(len(native))} numbers"
            title = f"{caption}, under its names and on its scale, recomputed from the rows"
            named = table(title, "Name | Value", rows, numeric="Value")
            notes = (Paragraph(quoted(note), "quiet") for note in scores.get("native_assumptions") or [])
            yield Fold(caption, (_agent_line(agent), named, *notes))


def _agent_line(agent: str) -> Block:
    return Heading(say("Agent ", code(agent)))


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
