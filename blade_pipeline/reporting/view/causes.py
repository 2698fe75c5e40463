"""Dominant Failure Modes and Recommendations: symptoms, what causes them, and what to do about it."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Cell,
    Figure,
    Heading,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.figures import counts_bar
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import dominant_mode
from blade_pipeline.reporting.numbers import count, percent, plural, share
from blade_pipeline.reporting.view.evidence import Evidence, names

LABELS = {
    "KG": ("knowledge gap", "targeted examples, domain fine-tuning, better task documents, verifier explanations"),
    "UK": ("unreliable knowledge", "training on repeated rollouts, self-check prompts, data from passing trajectories"),
    "BI": (
        "behaviour",
        "shape the agent loop, add workflow checks, reward verification on the way, simplify the tools",
    ),
    "TI": ("task or verifier", "repair the task, verifier or timeout, then run the baselines again"),
    "IR": ("infrastructure", "mend it, isolate the flaky rows, keep the flake rate apart from model quality"),
    "DA": ("data artifact", "correct the metadata and regenerate before any comparison of models"),
    "unlabelled": ("no evidence decides", "read these trajectories and write labels"),
}
SHOWN_LABELS = 60


def dominant_failure_modes(evidence: Evidence) -> Iterator[Block]:
    """Exclusive primary modes with examples, then root causes with who decided them."""
    document = evidence.inputs.modes
    failed = document["total_failed"]
    if not failed:
        yield _no_failures(evidence)
    else:
        yield from _modes(evidence, document, failed)
    yield from _root_causes(evidence)


def _no_failures(evidence: Evidence) -> Block:
    if evidence.measured:
        return Paragraph(say("No measured rollout failed, so there is no failure mode to name."))
    return absent("any failure mode. No rollout was measured.")


def _modes(evidence: Evidence, document: Json, failed: int) -> Iterator[Block]:
    modes, top = document["modes"], dominant_mode(document)
    if top:
        yield Paragraph(
            say(
                "The dominant failure mode is ", code(top["code"]), ": ", quoted(top["label"]),
                f". It is the primary mode of {share(top['count'], failed, 'failed rollouts')}, "
                f"on {plural(top['tasks'], 'task')}.", evidence.cite("failure_mode", top["code"]),
            )
        )  # fmt: skip
    alternative = "; ".join(f"{mode['code']}: {mode['count']} of {failed}" for mode in modes)
    yield Figure(
        counts_bar([(m["code"], m["count"], failed) for m in modes[:12]]),
        "Failed rollouts by primary mode",
        alternative,
    )
    rows = [
        cells(
            code(mode["code"]), quoted(mode["label"]), share(mode["count"], failed, "failed rollouts"),
            count(mode["tasks"]), quoted(mode["rule"]), quoted(mode["root_cause"] or "none"),
        )
        for mode in modes
    ]  # fmt: skip
    rows.append(_sum_row(modes, document["unexplained"], failed))
    columns = "Mode | Symptom | Share | Tasks | Rule that recognises it | Root cause it proposes"
    yield table("Primary failure modes; each failed rollout has exactly one", columns, rows, numeric="Tasks")
    yield from _examples(modes)


def _sum_row(modes: list[Json], unexplained: int, failed: int) -> tuple[Cell, ...]:
    summed = sum(mode["count"] for mode in modes)
    note = f"{count(unexplained)} of {count(failed)} match no rule beyond the generic one" if unexplained else ""
    return cells(Cell(say("sum"), tone="sum"), note, share(summed, failed, "failed rollouts"), "", "", "")


def _examples(modes: list[Json]) -> Iterator[Block]:
    items = [
        say(
            code(mode["code"]),
            ": task ",
            code(example["task"]),
            ", repeat ",
            code(example["repeat"]),
            ", ",
            _at(example),
        )
        for mode in modes
        for example in mode["examples"][:5]
    ]
    if items:
        yield Heading(say("Examples that show each mode"))
        yield Bullets(tuple(items))


def _at(example: Json) -> Text:
    kind = say(" (", quoted(example["excerpt_kind"]), ")") if example.get("excerpt_kind") else ()
    if example.get("file") is None:
        return say("no row", kind)
    return say(code(example["file"]), f" line {example['line']}", kind)


def _root_causes(evidence: Evidence) -> Iterator[Block]:
    causes = evidence.inputs.causes
    counts = causes["counts"]
    total = sum(counts.values())
    if not total:
        return
    yield Heading(say("Root causes of failed and mixed tasks"))
    unlabelled = counts.get("unlabelled", 0)
    if unlabelled:
        yield Paragraph(
            say(f"{share(unlabelled, total, 'failed or mixed tasks')} carry no label: no evidence decides.")
        )
    rows = [
        cells(label, meaning, share(counts.get(label, 0), total, "tasks")) for label, (meaning, _) in LABELS.items()
    ]
    yield table("Root causes", "Label | Means | Share", rows)
    yield from _labels(causes["labels"])


def _labels(labels: list[Json]) -> Iterator[Block]:
    shown = [label for label in labels if label["label"] != "unlabelled"][:SHOWN_LABELS]
    rows = [
        cells(
            code(label["task"]), quoted(label["label"]), _decided(label), quoted(label.get("confidence") or ""),
            names(label["evidence"], 4), quoted(label.get("note") or "", 200),
        )
        for label in shown
    ]  # fmt: skip
    if rows:
        caption = "Labels and who decided them: a rule proposes, an analyst decides"
        yield table(caption, "Task | Label | Decided by | Confidence | Evidence (rollouts) | Note", rows)


def _decided(label: Json) -> Text:
    if label["by"] == "analyst":
        return say("analyst")
    return say("proposed by rule: ", quoted(label.get("rule") or "unnamed"))


def recommendations(evidence: Evidence) -> Iterator[Block]:
    """Interventions, those first that could recover the most score."""
    plan = evidence.inputs.causes["recommendations"]
    if not plan:
        yield from _no_plan(evidence)
        return
    yield Paragraph(say("Ordered by the pass@1 that each could recover at most, if every task it names always passed."))
    yield Bullets(tuple(_step(step) for step in plan), ordered=True)


def _no_plan(evidence: Evidence) -> Iterator[Block]:
    if not evidence.measured:
        yield Paragraph(say("Find out why no rollout could be scored, run again, and analyse the new files."))
    elif evidence.inputs.scores["failed_rollouts"]:
        yield absent("an intervention plan. No failed or mixed task has a root cause yet.")
        yield Paragraph(say("Read the rollouts listed in the deep dives and write a label file for this run."))
    else:
        yield Paragraph(say("None: every measured rollout passes. A harder benchmark would tell more."))


def _step(step: Json) -> Text:
    meaning = LABELS.get(step["label"], ("", ""))[0]
    tasks = step["tasks"]
    recover = step.get("recoverable_score")
    gain = f" Could recover up to {percent(recover)} of pass@1." if recover is not None else ""
    on = (
        say(f" On {plural(len(tasks), 'task')}: ", names(tasks), ".")
        if isinstance(tasks, list)
        else say(f" On {plural(tasks, 'task')}.")
    )
    return say(quoted(step["label"]), f" ({meaning}): ", quoted(step["action"]), on, gain)
