"""Aggregate Results of a shareable report: accounting, scores, curves, breakdowns, NeMo Gym's own numbers."""

from collections import Counter
from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, Figure, Fold, absent, cells, code, table
from blade_pipeline.reporting.figures import accounting_bar, curves, interval_plot
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import OUTCOMES, seen_rollouts
from blade_pipeline.reporting.numbers import count, decimal, percent, probability, ratio
from blade_pipeline.reporting.sharing.shared import Shared
from blade_pipeline.reporting.view.run_scores import PASS, run_score
from blade_pipeline.reporting.view.scores import plotted


def results(shared: Shared) -> Iterator[Block]:
    """Every number of the run that is a count or a score."""
    metrics = shared.metrics
    yield from _accounting(metrics["accounting"])
    if not metrics["num_rollouts"]:
        yield absent("any score. No rollout has a valid one.")
        return
    yield from _scores(metrics)
    yield from _curves(metrics)
    yield from _repeats(shared.coverage)
    yield from _slices(shared)
    yield from _failed(shared.failed)
    for agent, found in metrics["agents"].items():
        if found.get("native"):
            rows = [cells(code(name), decimal(value, 4)) for name, value in sorted(found["native"].items())]
            caption = f"NeMo Gym's own numbers of {agent}, on its scale"
            yield Fold(caption, (table(caption, "Name | Value", rows, numeric="Value"),))


def _accounting(counts: Json) -> Iterator[Block]:
    total = seen_rollouts(counts)
    if not total:
        yield absent("an accounting. No rollout was expected or seen.")
        return
    parts = [(name, counts[name]) for name in OUTCOMES]
    yield Figure(accounting_bar(parts), "What became of every rollout", ", ".join(f"{n} {v}" for n, v in parts))
    rows = [cells(name, count(amount), ratio(amount, total)) for name, amount in parts]
    rows += [cells("sum", count(total), ratio(total, total))]
    yield table("Accounting of rollouts", "Outcome | Rollouts | Share", rows, numeric="Rollouts | Share")


def _scores(metrics: Json) -> Iterator[Block]:
    found, score = plotted(metrics), run_score([metrics])
    if found:
        ends = ((label, score.form(low), score.form(high)) for label, _, low, high, _ in found)
        alternative = "; ".join(f"{label}: {low} to {high}" for label, low, high in ends)
        drawing = interval_plot(found, shares=score is PASS)
        yield Figure(drawing, f"{score.title} and how far it can be trusted", alternative)
    of = f"{count(metrics['num_tasks'])} tasks"
    passed = f"{count(metrics['passed_rollouts'])} of {count(metrics['num_rollouts'])} measured rollouts pass"
    rows = [
        cells("pass@1 (macro)", percent(metrics["pass_at_1"]), f"mean over {of}"),
        cells("pass@1 (micro)", percent(metrics["pass_at_1_micro"]), passed),
        cells("mean score", decimal(metrics["mean_reward"], 4), f"mean over {of}"),
    ]
    if (metrics["k"] or 0) > 1:
        k = count(metrics["k"])
        rows += [
            cells(f"pass@{k}", percent(metrics["pass_at_k"]), f"at least one of {k} repeats passes, over {of}"),
            cells("consistency", percent(metrics["consistency"]), f"all {k} repeats pass, over {of}"),
        ]
    yield table("Scores", "Metric | Value | Is", rows, numeric="Value")
    intervals = [(name, entry) for name, entry in metrics["intervals"].items() if entry and entry["low"] is not None]
    if intervals:
        yield table(
            "Intervals", "Metric | Low | High | Level | Speaks of | Method", [_interval(*row) for row in intervals]
        )


def _interval(name: str, entry: Json) -> tuple[Cell, ...]:
    question = str(entry["question"]).replace("_", " ")
    ends = (percent(entry["low"]), percent(entry["high"])) if not name.startswith("mean_reward") else (
        decimal(entry["low"], 4), decimal(entry["high"], 4))  # fmt: skip
    return cells(name, *ends, percent(entry["level"]), question, entry["method"] or "")


def _curves(metrics: Json) -> Iterator[Block]:
    points = [
        (int(k), entry["value"], name)
        for name, of in (("pass@k", metrics["pass_at"]), ("pass^k", metrics["pass_hat"]))
        for k, entry in sorted(of.items(), key=lambda found: int(found[0]))
        if entry["value"] is not None
    ]
    if len(points) > 2:
        alternative = "; ".join(f"{name} at {k}: {percent(value)}" for k, value, name in points)
        yield Figure(curves(points), "pass@k and pass^k", alternative)
        by_k: dict[int, dict[str, float]] = {}
        for k, value, name in points:
            by_k.setdefault(k, {})[name] = value
        rows = [cells(count(k), percent(of.get("pass@k")), percent(of.get("pass^k"))) for k, of in by_k.items()]
        yield table("pass@k and pass^k", "k | pass@k | pass^k", rows, numeric="k | pass@k | pass^k")


def _repeats(coverage: Json) -> Iterator[Block]:
    rows = [
        cells(row["agent"], count(row["repeat"]), ratio(row["measured"], row["expected"] or 0), _passed(row))
        for row in coverage["by"]["repeat"]
    ]
    if len(rows) > 1:
        yield table("By repeat", "Agent | Repeat | With a score | Passed of measured", rows)


def _slices(shared: Shared) -> Iterator[Block]:
    """Each slice with its score and that of the other tasks, where it could be held against them."""
    score = run_score([shared.metrics])
    rows = [
        cells(
            row["field"], row["value"], ratio(row["measured"], row["expected"] or 0), _passed(row),
            *([score.form(row["score"]), score.form(row["rest"]), probability(row["q"], "q")]
              if row["score"] is not None else [""] * 3),
        )
        for row in shared.slices
    ]  # fmt: skip
    if rows:
        columns = f"Slice | Value | With a score | Passed of measured | {score.title} | {score.title} elsewhere | q"
        yield table("By slice", columns, rows)


def _failed(failed: list[Json]) -> Iterator[Block]:
    """Rollouts without a row, by the stage and the status of HTTP at their last attempt."""
    by_place: Counter[tuple[str, str]] = Counter()
    for row in failed:
        by_place[row["stage"] or "not told", str(row["status"] or "not told")] += row["count"]
    rows = [cells(stage, status, count(n)) for (stage, status), n in by_place.most_common()]
    if rows:
        yield table("Failed rollouts by their last attempt", "Stage | Status | Rollouts", rows, numeric="Rollouts")


def _passed(row: Json) -> str:
    return ratio(row["passed"], row["measured"])
