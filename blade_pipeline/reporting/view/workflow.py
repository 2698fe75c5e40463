"""Workflow Funnel: where rollouts stop."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Figure,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    ended,
    joined,
    quoted,
    say,
    table,
)
from blade_pipeline.reporting.figures import counts_bar
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, plural, ratio
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.funnel_parts import parts_of_funnel

SELF_CHECK = ("rollouts", "both", "self_only", "verifier_only", "neither")
SOURCES = {
    "generic": "The phases are the generic ones: the benchmark's profile declares none.",
    "profile": "The phases are those of the benchmark's profile, after two that say which rollouts ran.",
}


def workflow_funnel(evidence: Evidence) -> list[Block]:
    """The phases in order, each with its rule, and the largest drop-off."""
    funnel = evidence.inputs.funnel
    phases, total = funnel["phases"], funnel["total_rollouts"]
    if not phases or not total:
        return [absent("a workflow funnel. No rollout was seen.")]
    alternative = "; ".join(f"{phase['phase']}: {phase['reached']} of {total}" for phase in phases)
    drawing = counts_bar([(phase["phase"], phase["reached"], total) for phase in phases])
    blocks: list[Block] = [
        Paragraph(say(_largest(funnel), " ", SOURCES.get(funnel["source"], ""), evidence.cite("funnel"))),
        Figure(drawing, "Rollouts that reach each phase", alternative),
        table(
            "Workflow phases",
            "Phase | Reached, of all | Lost, of entered | Rule",
            [
                cells(
                    code(phase["phase"]),
                    ratio(phase["reached"], total),
                    ratio(phase["entered"] - phase["reached"], phase["entered"]),
                    code(phase["rule"]) if phase["source"] == "profile" else quoted(phase["rule"]),
                )
                for phase in phases
            ],
            numeric="Reached, of all | Lost, of entered",
        ),
    ]
    return [*blocks, *_order(funnel["out_of_order"]), *parts_of_funnel(funnel), *_self_check(funnel), *_notes(funnel)]


def _order(found: Json | None) -> Iterator[Block]:
    """That rollouts satisfy a later phase of the profile without an earlier one, and what that may mean."""
    if not found:
        return
    pairs = [
        say(code(pair["later"]), " without ", code(pair["earlier"]), f" ({count(pair['rollouts'])})")
        for pair in found["pairs"]
    ]
    many = f"{count(found['rollouts'])} of {plural(found['completed'], 'completed rollout')}"
    verb = "satisfies" if found["rollouts"] == 1 else "satisfy"
    told = say(f"{many} {verb} a later phase without an earlier one: ", joined(pairs), ", lost at the earlier one. ")
    swapped = [say(code(pair["earlier"]), " after ", code(pair["later"])) for pair in found["pairs"] if pair["follows"]]
    if swapped:
        why = say("The order of the profile's phases may be wrong: the rows fit ", joined(swapped), ".")
    else:
        why = say("The later rule also holds where a rollout stopped before, or it does not need the earlier phase.")
    yield Paragraph(say(told, why), "warn" if swapped else "quiet")


def _self_check(funnel: Json) -> Iterator[Block]:
    """What the model's own checks said beside the verifier; the two are never merged."""
    rows = [
        cells(code(row["field"]), *(count(row[key]) for key in SELF_CHECK)) for row in funnel.get("self_check") or []
    ]
    if rows:
        columns = "Self-check field | Rollouts | Both pass | Only the self-check | Only the verifier | Neither"
        caption = "The model's own checks beside the verifier's verdict"
        yield table(caption, columns, rows, numeric=columns.removeprefix("Self-check field |"))


def _notes(funnel: Json) -> Iterator[Block]:
    for entry in funnel.get("not_observable") or []:
        yield absent(say("the phase ", code(entry["phase"]), ": ", ended(entry["reason"])))
    for sentence in funnel.get("notes") or []:
        yield Paragraph(quoted(sentence), "quiet")


def _largest(funnel: Json) -> Text:
    drop = funnel["largest_drop"]
    if not drop:
        return say("No rollout is lost between two phases.")
    return say(
        "The largest drop-off is at ", code(drop["phase"]), f": {count(drop['lost'])} of {count(drop['entered'])} "
        "rollouts that entered this phase did not get through it.",
    )  # fmt: skip
