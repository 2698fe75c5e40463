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
    foreign,
    quoted,
    say,
    strong,
    table,
)  # fmt: skip
from blade_pipeline.reporting.figures import counts_bar
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import dominant_mode
from blade_pipeline.reporting.numbers import count, distance, percent, plural, ratio, share
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.ablation import ablation
from blade_pipeline.reporting.view.concentration import concentration
from blade_pipeline.reporting.view.evidence import Evidence, is_decided, names
from blade_pipeline.reporting.view.graded import gain_words, is_graded
from blade_pipeline.reporting.view.labels import task_labels
from blade_pipeline.reporting.view.lengths import length_controls
from blade_pipeline.reporting.view.slices import modes_by_slice

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
EXAMPLES = 3
FAILED = "failed rollouts"
PLOTTED = 12
SECONDARY = 6
"""Modes that are told of those which are only secondary ones."""


def dominant_failure_modes(evidence: Evidence) -> Iterator[Block]:
    """Exclusive primary modes with examples, then root causes with who decided them."""
    document = evidence.inputs.modes
    failed = document["total_failed"]
    if not failed:
        yield _no_failures(evidence)
    else:
        yield from _modes(evidence, document, failed)
    yield from _outside(evidence, document)
    yield from concentration(evidence, document)
    yield from length_controls(evidence)
    yield from ablation(evidence)
    yield from _root_causes(evidence)


def _no_failures(evidence: Evidence) -> Block:
    if evidence.measured:
        return Paragraph(say("No measured rollout failed, so there is no failure mode to name."))
    return absent("any failure mode. No rollout was measured.")


def _modes(evidence: Evidence, document: Json, failed: int) -> Iterator[Block]:
    modes, top = document["modes"], dominant_mode(document)
    if top:
        share_words = share(top["count"], failed, "failed rollouts")
        where = f". It is the primary mode of {share_words}, on {plural(top['tasks'], 'task')}."
        cited = evidence.cite("failure mode", naming=top["code"])
        yield Paragraph(say("The dominant failure mode is ", code(top["code"]), ": ", _symptom(top), where, cited))
    if len(modes) > 1:
        alternative = "; ".join(f"{mode['code']}: {mode['count']} of {failed}" for mode in modes)
        drawing = counts_bar([(mode["code"], mode["count"], failed) for mode in modes[:PLOTTED]])
        yield Figure(drawing, "Failed rollouts by primary mode", alternative)
    further = {mode["code"]: mode["count"] for mode in document["secondary"]}
    some = any(mode["code"] in further for mode in modes)
    rows = [_mode_row(mode, failed, [further.get(mode["code"], 0)] if some else []) for mode in modes]
    rows.append(_sum_row(modes, document["unexplained"], failed, len(rows[0])))
    caption = "Primary failure modes; each failed rollout has exactly one"
    numeric = f"Of failed{' | Secondary in' if some else ''} | Also in passed | Tasks"
    yield table(caption, f"Mode | Symptom | {numeric} | Rule | Proposes", rows, numeric=numeric)
    yield from _only_secondary(document)
    yield from modes_by_slice(document)
    yield from _examples(modes)


def _only_secondary(document: Json) -> Iterator[Block]:
    """Modes that are nobody's primary one, though some failed rollouts show them and passed ones do not as often."""
    told = {mode["code"] for name in ("modes", "not_discriminating") for mode in document[name]}
    items = [
        say(
            code(mode["code"]),
            ": ",
            _symptom(mode),
            f", as a secondary mode in {share(mode['count'], mode['total_failed'], FAILED)}",
        )
        for mode in document["secondary"]
        if mode["code"] not in told
    ]
    if items:
        rest = f" (the {SECONDARY} most frequent of {len(items)})" if len(items) > SECONDARY else ""
        yield Paragraph(say(f"Seen only beside a more severe mode{rest}:"))
        yield Bullets(tuple(items[:SECONDARY]))


def _mode_row(mode: Json, failed: int, secondary: list[int]) -> tuple[Cell, ...]:
    return cells(
        code(mode["code"]),
        _symptom(mode),
        ratio(mode["count"], failed),
        *(ratio(rollouts, failed) if rollouts else "" for rollouts in secondary),
        _passed_with(mode),
        count(mode["tasks"]),
        say(_rule(mode), f" ({mode['source']})" if mode.get("source") else ""),
        quoted(mode["root_cause"] or "nothing"),
    )


def _symptom(mode: Json) -> Text:
    """What a mode looks like; words of a verifier or of the team are theirs."""
    return quoted(mode["label"]) if mode.get("source") == "rule" else foreign(mode["label"])


def _rule(mode: Json) -> Text:
    return foreign(mode["rule"], 300) if mode.get("source") == "profile" else quoted(mode["rule"], 300)


def _passed_with(mode: Json) -> str:
    """How often passed rollouts show the symptom too; empty where only failed ones can."""
    if mode.get("passed_with") is None:
        return ""
    return ratio(mode["passed_with"], mode["total_passed"])


def _sum_row(modes: list[Json], unexplained: int, failed: int, columns: int) -> tuple[Cell, ...]:
    summed = sum(mode["count"] for mode in modes)
    note = f"{count(unexplained)} of {count(failed)} are not explained by any rule" if unexplained else ""
    return cells(Cell(say("sum"), tone="sum"), note, ratio(summed, failed), *[""] * (columns - 3))


def _examples(modes: list[Json]) -> Iterator[Block]:
    items = [
        say(code(mode["code"]), ": task ", code(shown["task"]), ", rollout ", code(_rollout(shown)), ", ", _at(shown))
        for mode in modes
        for shown in mode["examples"][:EXAMPLES]
    ]
    if items:
        yield Heading(say("Examples that show each mode"))
        yield Bullets(tuple(items))


def _rollout(example: Json) -> str:
    return str(example.get("rollout") or f"{example['task']}-{example['repeat']}")


def _at(example: Json) -> Text:
    kind = say(": ", quoted(example["excerpt_kind"], 200)) if example.get("excerpt_kind") else ()
    if str(example.get("evidence") or "").startswith(f"{example.get('excerpt_kind')}="):
        kind = say(": ", foreign(example["evidence"], 200))
    elif example.get("evidence"):
        kind = say(kind, ", " if kind else ": ", foreign(example["evidence"], 200))
    if example.get("file") is None:
        return say("no row", kind)
    return say(code(example["file"]), f" line {example['line']}", kind)


def _outside(evidence: Evidence, document: Json) -> Iterator[Block]:
    """Symptoms that do not tell failing from passing, and rollouts that were never scored."""
    weak = [
        say(
            code(mode["code"]),
            f": in {share(mode['failed_with'], mode['total_failed'], 'failed rollouts')} and in "
            f"{share(mode['passed_with'], mode['total_passed'], 'passed rollouts')}",
        )
        for mode in document.get("not_discriminating") or []
    ]
    if weak:
        cite = evidence.cite("symptom of passed rollouts too")
        yield Paragraph(say("Seen as often where rollouts pass, so no reason to fail:", cite))
        yield Bullets(tuple(weak))
    rows = [
        cells(
            row["outcome"],
            code(row["reason"]) if row["reason"] else "no reason on record",
            count(row["count"]),
            count(row["tasks"]),
        )
        for row in document.get("not_measured") or []
    ]
    if rows:
        caption = "Rollouts without a score: outcomes of their own, no failure modes"
        yield table(caption, "Outcome | Reason | Rollouts | Tasks", rows, numeric="Rollouts | Tasks")
    if document.get("infrastructure"):
        yield _infrastructure(document["infrastructure"], evidence.cite("infrastructure"))


def _infrastructure(found: Json, cite: Text) -> Block:
    return Paragraph(
        say(
            f"{share(found['suspects'], found['failed'], 'failed rollouts')} carry signs of infrastructure trouble. "
            f"With them {_passing(found['passed'], found['measured'])}, "
            f"without them {_passing(found['passed'], found['measured'] - found['suspects'])}; "
            f"whatever those would have scored, pass@1 over rollouts lies between {percent(found['low'])} and "
            f"{percent(found['high'])}.",
            cite,
        ),
        "warn",
    )


def _passing(passed: int, measured: int) -> str:
    return share(passed, measured, "rollouts pass") if measured else "no rollout is left"


def _root_causes(evidence: Evidence) -> Iterator[Block]:
    causes = evidence.inputs.causes
    counts = causes["counts"]
    total = sum(counts.values())
    if not total and not causes["labels"]:
        return
    yield Heading(say("Root causes of failed and mixed tasks"))
    unlabelled = counts.get("unlabelled", 0)
    if unlabelled:
        undecided = [label for label in causes["labels"] if is_decided(label) and label["label"] == "unlabelled"]
        lost = [label["task"] for label in undecided if label["bucket"] != "always_pass"]
        read = say(" An analyst read and did not decide: ", names(lost), ".") if lost else ()
        carry = "carries" if unlabelled == 1 else "carry"
        yield Paragraph(
            say(f"{share(unlabelled, total, 'failed or mixed tasks')} {carry} no label: no evidence decides.", read)
        )
    rows = [
        cells(label, meaning, ratio(counts[label], total))
        for label, (meaning, _) in LABELS.items()
        if counts.get(label)
    ]
    if rows:
        caption = "Root causes; labels that no task carries are left out"
        yield table(caption, "Label | Means | Share", rows, numeric="Share")
    yield from task_labels(causes)


def recommendations(evidence: Evidence) -> Iterator[Block]:
    """Interventions, those first that could recover the most score."""
    plan = evidence.inputs.causes["recommendations"]
    if not plan:
        yield from _no_plan(evidence)
        return
    cite = evidence.cite("root cause")
    if is_graded(evidence.inputs):
        yield from _graded_gains(evidence)
    elif evidence.measured:
        yield Paragraph(say(_order(evidence), cite))
    yield Bullets(tuple(_step(evidence, step) for step in plan), ordered=True)


def _graded_gains(evidence: Evidence) -> Iterator[Block]:
    """What the rollouts that show a cause could add to the mean score, by which the run goes."""
    told = (
        "Scores are graded: the amounts are of the mean score, if every rollout that shows a cause had the best score."
    )
    gains = evidence.inputs.causes.get("mean_score_gains") or []
    yield Paragraph(say(told if gains else "Scores are graded, and no failure mode proposes a root cause."))
    if gains:
        yield Bullets(tuple(gain_words(row) for row in gains))


def _order(evidence: Evidence) -> str:
    """What the amounts are, and in which order the steps stand."""
    causes = evidence.inputs.causes
    lost = "; rollouts without a score count as failed" if (causes["ablation"] or {}).get("without_score") else ""
    steps = causes["recommendations"]
    labels = [step["label"] for step in steps]
    if len(labels) == 1:
        return f"To recover at most is the pass@1 that would be won if every task named always passed{lost}."
    last = "; what no evidence decides comes last, however much it is" if labels[-1] == "unlabelled" else ""
    seen = [step for step in steps if step.get("repair")]
    always = f"by the pass@1 that each could recover at most if every task it names always passed{lost}{last}"
    if not seen:
        return f"Ordered {always}."
    if not steps[0].get("repair"):
        return f"Ordered {always}; a cause that few rollouts carry counts by what it is worth if these passed."
    first = "Ordered by the pass@1 to win at most if every rollout that carries the cause passed"
    if len(seen) == len([label for label in labels if label != "unlabelled"]):
        return f"{first}{lost}{last}."
    return f"{first}; then those that no record names, {always}."


def _no_plan(evidence: Evidence) -> Iterator[Block]:
    if not evidence.measured:
        yield Paragraph(say("Find out why no rollout could be scored, run again, and analyse the new files."))
    elif evidence.inputs.scores["failed_rollouts"]:
        yield absent("an intervention plan. No failed or mixed task has a root cause yet.")
        yield Paragraph(say("Read the rollouts listed in the deep dives and write a label file for this run."))
    else:
        yield Paragraph(say("None: every measured rollout passes. A harder benchmark would tell more."))


def _step(evidence: Evidence, step: Json) -> Text:
    ids = step.get("task_ids") or []
    gain = quoted(step["sentence"]) if step.get("sentence") else _gain(step)
    if is_graded(evidence.inputs):
        gain = say(f"{clean(step['label'])}: the label of {plural(step['tasks'], 'task')}.") if step["tasks"] else ()
    tasks = say(" Tasks: ", names(ids), ".") if ids else ()
    title = LABELS.get(step["label"], ("", ""))[0].capitalize()
    return say(strong(title), ": ", quoted(step["action"]), " ", gain, _reasons(step), _read(evidence, step), tasks)


def _reasons(step: Json) -> Text:
    """Why the rollouts were lost, and what to do about the first reason."""
    reasons = step.get("reasons") or []
    if not reasons:
        return ()
    shares = [say(f"{row['count']} of {row['total']} ", code(row["reason"])) for row in reasons]
    listed_ = [piece for number, words in enumerate(shares) for piece in (*(say(", ") if number else ()), *words)]
    advice = say(" ", quoted(step["next"])) if step.get("next") else ()
    return say(" Lost rollouts: ", tuple(listed_), ".", advice)


def _read(evidence: Evidence, step: Json) -> Text:
    """The command that shows what to read, where nothing else is known."""
    if step["label"] != "unlabelled":
        return ()
    inputs = evidence.inputs
    return say(" What to read first: ", code(f"blade worklist {inputs.benchmark} {inputs.run}"), ".")


def _gain(step: Json) -> Text:
    tasks = f"{quoted(step['label'])[0].text}: {plural(step['tasks'], 'task')}"
    recoverable = step.get("recoverable_score")
    return say(f"{tasks}, at most {distance(recoverable)} of pass@1." if recoverable is not None else f"{tasks}.")
