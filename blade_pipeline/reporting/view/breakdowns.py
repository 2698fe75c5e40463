"""The same accounting by agent, repeat and slice, and the numbers that NeMo Gym reports under its own names."""

import json
from collections.abc import Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Cell,
    Fold,
    Heading,
    Paragraph,
    Text,
    cells,
    code,
    link,
    quoted,
    say,
    table,
)
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import total_rollouts
from blade_pipeline.reporting.numbers import count, ratio
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.graded import is_graded
from blade_pipeline.reporting.view.graded_scores import repeats_table
from blade_pipeline.reporting.view.run_scores import run_score
from blade_pipeline.reporting.view.scores import interval_title, interval_words
from blade_pipeline.reporting.view.slices import slice_blocks

LONGEST = 40
"""Rows of a breakdown; further ones are counted."""
NATIVE = 300
"""Rows of NeMo Gym's own numbers; a run with many verifier fields has thousands."""

_PER_REPEAT = ("mean/reward", "sem/reward", "ci_low_95/reward", "ci_high_95/reward")


def breakdowns(evidence: Evidence) -> Iterator[Block]:
    """A table per way of splitting the run that has at least two parts."""
    by = evidence.inputs.coverage["by"]
    splits: tuple[tuple[str, str, list[Json], list[Text]], ...] = (
        ("By agent", "Agent", by["agent"], [say(code(row["agent"])) for row in by["agent"]]),
        ("By repeat", "Repeat", by["repeat"], [_repeat_name(row, by["agent"]) for row in by["repeat"]]),
    )
    shown = [split for split in splits if len(split[2]) > 1]
    slices = list(slice_blocks(evidence))
    if shown or slices:
        yield Heading(say("Breakdowns"))
    yield from _agents(evidence)
    for caption, column, rows, names in shown:
        title = caption if len(rows) <= LONGEST else f"{caption}: the first {LONGEST} of {len(rows)}"
        if column == "Repeat" and is_graded(evidence.inputs):
            found = evidence.inputs.scores["mean_reward_repeats"]
            yield from repeats_table(rows[:LONGEST], names, found, title)
            continue
        body = [_row(row, name) for row, name in zip(rows[:LONGEST], names, strict=False)]
        columns = "Rollouts | With a score | Passed of measured"
        yield table(title, f"{column} | {columns}", body, numeric=columns)
    yield from slices


def _agents(evidence: Evidence) -> Iterator[Block]:
    """The score of each agent by which the run goes, where it has several."""
    agents, score = evidence.inputs.scores["agents"], run_score([evidence.inputs.scores])
    if len(agents) < 2:
        return
    rows = [
        cells(code(name), score.of(scores), interval_words(scores, score.key), count(scores["num_tasks"]))
        for name, scores in sorted(agents.items())
    ]
    columns = f"Agent | {score.title} | {interval_title(evidence.inputs.scores)} | Measured tasks"
    yield table(f"{score.title} of each agent", columns, rows, numeric=f"{score.title} | Measured tasks")


def _repeat_name(row: Json, agents: list[Json]) -> Text:
    """The repeat, and its agent where there are several: an agent that was not planned has rows, but no task."""
    name = say(f"{row['repeat']}")
    return say(name, " of ", code(row["agent"])) if len(agents) > 1 else name


def _row(row: Json, name: Text) -> tuple[Cell, ...]:
    total = total_rollouts(row)
    return cells(name, count(total), ratio(row["measured"], total), ratio(row["passed"], row["measured"]))


def native_numbers(evidence: Evidence) -> Iterator[Block]:
    """NeMo Gym's own keys and scale, recomputed from the rows, and why they differ from ours where they do."""
    for agent, scores in sorted(evidence.inputs.scores["agents"].items()):
        native = scores.get("native") or {}
        if native:
            flat = _flat(native)
            shown = sorted(sorted(flat, key=lambda key: ("reward" not in key, key))[:NATIVE])
            rows = [cells(code(key), _plain(flat[key])) for key in shown]
            caption = f"NeMo Gym's own {count(len(flat))} numbers"
            title = f"{caption}, under its names and on its scale, recomputed from the rows"
            named = table(title, "Name | Value", rows, numeric="Value")
            assumed = (Paragraph(quoted(note), "quiet") for note in scores.get("native_assumptions") or [])
            repeats = _repeat_level(native.get("repeat_level_metrics") or [])
            yield Fold(caption, (_agent_line(agent), named, *_left_out(shown, flat), *repeats, *assumed))
            yield from _native_notes(agent, scores, len(evidence.inputs.scores["agents"]) > 1)


def _left_out(shown: list[str], flat: Json) -> Iterator[Block]:
    """Where the numbers stand that a long table leaves out."""
    if len(shown) < len(flat):
        words = f"{count(len(flat) - len(shown))} further numbers stand in "
        yield Paragraph(say(words, link("metrics.json", "metrics.json"), "."), "quiet")


def _native_notes(agent: str, scores: Json, named: bool) -> Iterator[Block]:
    notes = scores.get("native_notes") or []
    if notes:
        of_agent = say(" of agent ", code(agent)) if named else ()
        yield Heading(say("Where NeMo Gym's own numbers", of_agent, " differ from ours, and why"))
        yield Bullets(tuple(quoted(note) for note in notes))


def _flat(native: Json) -> Json:
    """The named numbers, and those of the blocks that hold numbers by name; entries per repeat stand apart."""
    blocks = ("perf_summary", "profile_completion")
    found = {key: value for key, value in native.items() if key not in (*blocks, "highest_k", "repeat_level_metrics")}
    return found | {f"{block}: {key}": value for block in blocks for key, value in (native.get(block) or {}).items()}


def _repeat_level(entries: list[Json]) -> Iterator[Block]:
    """The reward's statistics in each repeat; those of the other fields are in ``metrics.json``."""
    rows = [
        cells(
            str(entry["_ng_rollout_index"]),
            count(entry["sample_count"]),
            count(entry["missing_count"]),
            *(_plain(entry[key]) if key in entry else "none" for key in _PER_REPEAT),
        )
        for entry in entries[:LONGEST]
    ]
    if rows:
        columns = f"Repeat | sample_count | missing_count | {' | '.join(_PER_REPEAT)}"
        yield table("NeMo Gym's statistics of each repeat over its tasks", columns, rows, numeric=columns)


def _agent_line(agent: str) -> Block:
    return Heading(say("Agent ", code(agent)))


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
