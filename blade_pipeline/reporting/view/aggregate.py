"""Aggregate Results: the accounting that sums, then the scores that rest on it."""

from collections.abc import Iterator

from blade_pipeline.gym.profiling import profiled
from blade_pipeline.reporting.blocks import (
    Block,
    Cell,
    Figure,
    Paragraph,
    absent,
    cells,
    code,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.figures import accounting_bar
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import OUTCOMES, seen_rollouts
from blade_pipeline.reporting.numbers import count, plural, ratio, share_range
from blade_pipeline.reporting.view.breakdowns import breakdowns, native_numbers
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.findings import finding_blocks, health_blocks
from blade_pipeline.reporting.view.scores import score_blocks

MEANINGS = {
    "measured": "has a valid score",
    "masked": "ran, and the environment asked not to count it",
    "unscored": "ran, and its row gives no valid score",
    "failed": "no row; the failures sidecar says why",
    "missing": "no row and no failure on record",
}
TASKS = {
    "measured": "a score for one rollout or more",
    "complete": "a score for every expected rollout",
}
REASONS = {
    "invalid_absent": "the row has no such field",
    "invalid_null": "the field is null",
    "invalid_type": "the field is no number",
    "invalid_nan": "the number is NaN",
    "invalid_inf": "the number is infinite",
    "too_large": "the number is 1e100 or more in size, too large to average",
    "out_of_range": "the number lies outside the profile's reward_range",
    "conflict": "lines of one attempt give different results",
}


def aggregate_results(evidence: Evidence) -> list[Block]:
    """Accounting and what disturbs it, scores, curves, accountings, breakdowns, native numbers."""
    return [
        *_accounting(evidence),
        *_failures(evidence),
        *health_blocks(evidence),
        *finding_blocks(evidence),
        *score_blocks(evidence),
        *breakdowns(evidence),
        *native_numbers(evidence),
    ]


def _accounting(evidence: Evidence) -> Iterator[Block]:
    counts = evidence.accounting
    seen = seen_rollouts(counts)
    parts = [(name, counts[name]) for name in OUTCOMES if counts[name]]
    if parts:
        alternative = ", ".join(f"{count(amount)} {name}" for name, amount in parts)
        yield Figure(accounting_bar(parts), "Outcome of every rollout", f"{alternative}, of {count(seen)}")
    rows = [cells(name, count(counts[name]), ratio(counts[name], seen), MEANINGS[name]) for name in OUTCOMES]
    rows.append(cells(Cell(say("sum"), tone="sum"), count(seen), ratio(seen, seen), _sum_words(counts, seen)))
    share = "Share" if evidence.expected_known else "Share of what was seen"
    columns = f"Outcome | Rollouts | {share} | Means"
    yield table("Accounting of rollouts", columns, rows, numeric=f"Rollouts | {share}")
    yield Paragraph(say(_lines_sentence(evidence), " ", _outside_sentence(counts)))
    yield from _tasks(evidence.inputs.coverage["task_coverage"])
    if not evidence.expected_known:
        yield absent("coverage. No materialized inputs say which rollouts were expected, so the sum is what was seen.")


def _tasks(found: Json) -> Iterator[Block]:
    """How many tasks the scores speak for; nothing where what was expected is unknown."""
    rows = [
        cells(words, ratio(part["tasks"], part["of"]), share_range(part["low"], part["high"]))
        for name, words in TASKS.items()
        if (part := found[name])["of"]
    ]
    if rows:
        columns = "Tasks with | Tasks of all expected | Share of new tasks (95%, Wilson)"
        yield table("Coverage by task", columns, rows, numeric="Tasks of all expected")
        reason = found["measured"]["reason"]
        if reason:
            yield Paragraph(say(f"No interval: {reason}."), "quiet")


def _sum_words(counts: Json, seen: int) -> str:
    expected = counts["expected"]
    if expected is None:
        return "expected: unknown"
    relation = "equals" if expected == seen else "DOES NOT EQUAL"
    return f"{relation} the {count(expected)} expected"


def _lines_sentence(evidence: Evidence) -> str:
    counts = evidence.accounting
    rows = counts["lines"] - counts["blank_lines"] - counts["malformed_lines"]
    sentence = (
        f"The rollout files hold {plural(counts['lines'], 'line')}: {plural(rows, 'row')}, "
        f"{count(counts['blank_lines'])} blank, {count(counts['malformed_lines'])} malformed."
    )
    several = " A row of a reward profile holds every rollout of its task."
    return sentence + several if profiled(evidence.inputs.aligned) else sentence


def _outside_sentence(counts: Json) -> str:
    return (
        f"Outside the sum: {plural(counts['duplicates'], 'duplicate line')} and "
        f"{plural(counts['unexpected'], 'rollout')} that the inputs do not name."
    )


def _messages(found: list[Json]) -> Iterator[Block]:
    """What was said at the last attempt of each lost rollout, where anything was."""
    if any(row["message"] for row in found):
        rows = [
            cells(
                code(row["class"]),
                row["stage"] or "",
                "" if row["status"] is None else str(row["status"]),
                quoted(row["message"]) if row["message"] else "nothing on record",
                count(row["count"]),
                count(row["tasks"]),
            )
            for row in found
        ]
        columns = "Failure class | Stage | HTTP status | Message | Rollouts lost | Tasks"
        yield table("What their last attempts say", columns, rows, numeric="HTTP status | Rollouts lost | Tasks")


def _failures(evidence: Evidence) -> Iterator[Block]:
    coverage = evidence.inputs.coverage
    if coverage["failures"]:
        rows = [
            cells(code(row["class"]), *(count(row[key]) for key in ("count", "attempts", "terminal", "recovered")))
            for row in coverage["failures"]
        ]
        columns = "Failure class | Rollouts lost | Attempts | Terminal attempts | Rollouts recovered"
        yield table("Failures on record", columns, rows, numeric=columns.removeprefix("Failure class |"))
        yield from _messages(coverage.get("failure_messages") or [])
    elif not any("failures" in role for role in evidence.roles) and evidence.accounting["missing"]:
        yield absent("why rollouts are missing. There is no failures sidecar.")
    rows = [
        cells(code(row["reason"] or "unnamed"), count(row["count"]), REASONS.get(row["reason"], ""))
        for row in coverage["unscored_reasons"]
    ]
    if rows:
        yield table("Why rollouts have no valid score", "Reason | Rollouts | Means", rows, numeric="Rollouts")
    odd = [row for row in coverage["line_classes"] if row["class"] not in ("row", "blank")]
    if odd:
        malformed = [cells(code(row["class"]), count(row["count"])) for row in odd]
        yield table("Lines that could not be read as rollouts", "Class | Lines", malformed, numeric="Lines")
    for sentence in coverage["assumptions"]:
        yield Paragraph(quoted(sentence), "quiet")
