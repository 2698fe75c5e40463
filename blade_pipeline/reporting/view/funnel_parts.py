"""The phases of the workflow by slice, by model and by run."""

from collections.abc import Callable, Iterator, Sequence

from blade_pipeline.method.funnel_counts import lost
from blade_pipeline.reporting.blocks import Block, Cell, Fold, Paragraph, Text, cells, code, joined, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, plural
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.slices import LONGEST, caption_of, left_out, slice_name
from blade_pipeline.reporting.view.summary import model_of

NAMED = 6
"""Parts that a sentence names; further ones stand in the table."""


def parts_of_funnel(funnel: Json) -> Iterator[Block]:
    """A folded table by slice and one by model, and which parts lose most rollouts elsewhere than the run."""
    yield from _parts(funnel["by_slice"], "slice", slice_name)
    yield from left_out(funnel["by_slice_left_out"], "")
    yield from _parts(funnel["by_model"], "model", _model)
    if funnel["by_model_left_out"]:
        yield Paragraph(say(f"{plural(funnel['by_model_left_out'], 'further model')} not shown."), "quiet")


def funnels_of_runs(rows: Sequence[Json]) -> Iterator[Block]:
    """A folded table of the phases of several runs, each with its model and where it loses most."""
    known = [row for row in rows if row.get("funnel")]
    if len(known) < 2:
        return
    phases = _in_order([[phase["phase"] for phase in row["funnel"]["phases"]] for row in known])
    titles = [clean(name, 40) for name in phases]
    body = [_run(row, phases) for row in known[:LONGEST]]
    caption = caption_of("Rollouts through each phase, by run", known)
    columns = ("Rollouts of run", "Model", *titles, "Largest drop-off")
    yield Fold(caption, (table(caption, columns, body, numeric=" | ".join(titles)),))


def _run(row: Json, phases: Sequence[str]) -> tuple[Cell, ...]:
    funnel = row["funnel"]
    reached = {phase["phase"]: phase["reached"] for phase in funnel["phases"]}
    total = count(funnel["total_rollouts"])
    counted = [f"{count(reached[name])} of {total}" if name in reached else "not observable" for name in phases]
    drop = _drop(funnel["largest_drop"]) if funnel["largest_drop"] else "none"
    return cells(code(row["run"]), say(model_of(row)), *counted, drop)


def _in_order(runs: Sequence[Sequence[str]]) -> list[str]:
    """Every phase of some runs, each after those that come before it in the first run that has it."""
    found: list[str] = []
    for names in runs:
        place = 0
        for name in names:
            if name not in found:
                found.insert(place, name)
            place = found.index(name) + 1
    return found


def _model(row: Json) -> Text:
    return say("no row, or no model named") if row["model"] is None else say(code(row["model"]))


def _parts(rows: Sequence[Json], kind: str, name: Callable[[Json], Text]) -> Iterator[Block]:
    if len(rows) < 2:
        return
    apart = [row for row in rows if row["differs"]]
    if apart:
        named = [say(name(row), " at ", _drop(row["largest_drop"])) for row in apart[:NAMED]]
        rest = f" and {len(apart) - NAMED} more" if len(apart) > NAMED else ""
        start = (
            f"In {count(len(apart))} of {plural(len(rows), kind)} most rollouts end at another phase than in the run: "
        )
        yield Paragraph(say(start, joined(named), f"{rest}."))
    phases = [place for place, _ in enumerate(rows[0]["phases"]) if any(lost(row["phases"][place]) for row in rows)]
    body = [_row(row, name(row), phases, drops=bool(apart)) for row in rows[:LONGEST]]
    titles = [clean(rows[0]["phases"][place]["phase"], 40) for place in phases]
    caption = caption_of(f"Rollouts through each phase, by {kind}", rows)
    columns = (f"Rollouts of {kind}", *titles, *(["Own largest drop-off"] if apart else []))
    yield Fold(caption, (table(caption, columns, body, numeric=" | ".join(titles)), *_all_through(rows[0], phases)))


def _row(row: Json, name: Text, phases: Sequence[int], *, drops: bool) -> tuple[Cell, ...]:
    reached = [f"{count(row['phases'][place]['reached'])} of {count(row['total_rollouts'])}" for place in phases]
    own = [_drop(row["largest_drop"]) if row["differs"] else ""] if drops else []
    return cells(name, *reached, *own)


def _drop(drop: Json) -> Text:
    return say(code(drop["phase"]), f" ({count(drop['lost'])} of {count(drop['entered'])} that entered)")


def _all_through(row: Json, shown: Sequence[int]) -> Iterator[Block]:
    """Names the phases at which no rollout is lost, which the table leaves out."""
    names = [say(code(phase["phase"])) for place, phase in enumerate(row["phases"]) if place not in shown]
    if names:
        yield Paragraph(say("Left out, since every rollout that enters gets through: ", joined(names), "."), "quiet")
