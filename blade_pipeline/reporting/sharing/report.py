"""The shareable report as blocks: the eleven sections of every BLADE report, made of shared facts alone."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Box, Bullets, Document, Paragraph, Section, Text, code, say
from blade_pipeline.reporting.metrics import OUTCOMES
from blade_pipeline.reporting.numbers import count, decimal, level, percent, plural, points, share
from blade_pipeline.reporting.sharing.comparison import comparison
from blade_pipeline.reporting.sharing.failures import dominant_failures, recommendations
from blade_pipeline.reporting.sharing.notes import notes
from blade_pipeline.reporting.sharing.results import results
from blade_pipeline.reporting.sharing.shared import Shared
from blade_pipeline.reporting.sharing.tasks import buckets, funnel, representatives
from blade_pipeline.reporting.view.run_scores import MEAN, run_score
from blade_pipeline.reporting.view.summary import QUESTIONS, interval_for, verdict_words

Taken = list[tuple[str, str, int]]
FINDINGS = 8


def shareable_document(shared: Shared, taken: Taken) -> Document:
    """A run's shareable report; ``taken`` lists section, kind and count of what was taken out."""
    metrics = shared.metrics
    model = say(", model ", code(metrics["model"])) if metrics["model"] else ()
    left_out = Paragraph(say("Left out of this edition: the team's own report names files and rollouts here."), "quiet")
    sections = (
        ("Executive Summary", _summary(shared)),
        ("Artifact Inventory", [left_out]),
        ("Aggregate Results", results(shared)),
        ("Workflow Funnel", funnel(shared)),
        ("Task Outcome Buckets", buckets(shared)),
        ("Dominant Failure Modes", dominant_failures(shared)),
        ("Sometimes-Pass Deep Dives", [left_out]),
        ("Never-Pass Deep Dives", representatives(shared) or [left_out]),
        ("Cross-Model Comparison", comparison(shared)),
        ("Recommendations", recommendations(shared)),
        ("Reproducibility Notes", notes(shared, taken)),
    )
    return Document(
        f"{metrics['benchmark']} BLADE Analysis Report",
        say(
            "Run ", code(metrics["run"]), model, ". A shareable edition: numbers and pseudonyms, no text of a rollout."
        ),
        tuple(Section(title, tuple(blocks)) for title, blocks in sections),
    )


def _summary(shared: Shared) -> Iterator[Block]:
    pair = next(iter(shared.pairs), None)
    words, tone = verdict_words(shared.verdict, pair)
    if pair is not None and shared.verdict == pair["verdict"]:
        words = f"Against {pair['run_a']}: {words[0].lower()}{words[1:]}"
    entries = (
        ("Coverage", say(_coverage(shared))),
        ("Largest drop-off", say(_drop(shared))),
        ("Dominant failure", say(_failure(shared))),
        ("Comparison", say(_difference(shared))),
    )
    yield Box(words, say(_score(shared)), tone, entries)
    told = [fact for fact in shared.facts if fact["difficulty"] != "low"][:FINDINGS]
    if told:
        yield Bullets(tuple(_cited(fact["fact"], fact["id"]) for fact in told))


def _cited(sentence: str, identity: str) -> Text:
    return say(sentence, f" ({identity})")


def _score(shared: Shared) -> str:
    metrics, score = shared.metrics, run_score([shared.metrics])
    if not metrics["num_rollouts"]:
        seen = ", ".join(f"{count(metrics['accounting'][name])} {name}" for name in OUTCOMES)
        return f"Nothing could be scored; rollouts: {seen}."
    passed = f"{count(metrics['passed_rollouts'])} of {plural(metrics['num_rollouts'], 'measured rollout')} pass"
    tasks = plural(metrics["num_tasks"], "task")
    told = [f"pass@1 is {percent(metrics['pass_at_1'])}, the mean over {tasks} ({passed})."]
    if score is MEAN:
        told.insert(0, f"The mean score is {decimal(metrics['mean_reward'])} over {tasks}: scores are graded.")
    for question, words in QUESTIONS.items():
        interval = interval_for(metrics, score.key, question)
        if interval:
            ends = f"{score.form(interval['low'])} to {score.form(interval['high'])}"
            told.append(f"On {words}: {ends} ({level(interval['level'])} interval).")
    return " ".join(told)


def _coverage(shared: Shared) -> str:
    counts = shared.metrics["accounting"]
    if counts["expected"] is None:
        return f"unknown: no input says what was expected; {plural(counts['measured'], 'rollout')} with a valid score."
    done = counts["measured"] + counts["masked"] + counts["unscored"]
    completed = share(done, counts["expected"], "expected rollouts completed")
    return f"{completed}; {share(counts['measured'], counts['expected'], 'have a valid score')}."


def _drop(shared: Shared) -> str:
    lost = [(row["entered"] - row["reached"], row) for row in shared.phases]
    most, row = max(lost, key=lambda found: found[0], default=(0, {}))
    if not most:
        return "none: no rollout is lost between two phases."
    return f"at {row['phase']}: {share(most, row['entered'], 'rollouts that entered it')} go no further."


def _failure(shared: Shared) -> str:
    metrics = shared.metrics
    if not metrics["dominant_failure_type"]:
        return "none."
    found = share(metrics["dominant_failure_count"], metrics["failed_rollouts"], "failed rollouts")
    return f"{metrics['dominant_failure_type']}: {found}."


def _difference(shared: Shared) -> str:
    if not shared.pairs:
        return "none: there is no run to compare with."
    pair = shared.pairs[0]
    difference = pair["difference"]
    if difference.get("value") is None:
        return f"with {pair['run_a']}: {pair['verdict'].replace('_', ' ')}."
    words, interval = (
        f"{difference['metric']} differs by {_gap(difference, difference['value'])}",
        difference["new_tasks"],
    )
    if interval and interval.get("low") is not None:
        words += f" ({_gap(difference, interval['low'])} to {_gap(difference, interval['high'])} on new tasks)"
    moved = f"; {plural(len(shared.moved[0]), 'slice')} moved beyond chance" if shared.moved[0] else ""
    return f"{words} from {pair['run_a']}{moved}; verdict {pair['verdict'].replace('_', ' ')}."


def _gap(difference: dict[str, object], value: float) -> str:
    return points(value) if difference["metric"] == "pass@1" else f"{value:.4g}"
