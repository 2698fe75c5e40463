"""The drafted profile as commented YAML."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade_pipeline.method.draft import proposals
from blade_pipeline.method.draft.proposals import Proposal
from blade_pipeline.method.draft.rules import Rule, generic_phases, modes, phases
from blade_pipeline.method.draft.seen import Field, Run, Seen, look
from blade_pipeline.method.draft.yaml_text import comment, named, scalar

_MOST_FIELDS = 60
_MOST_NAMES = 12


def draft_profile(benchmark: str, runs: Sequence[Run], documents: Sequence[Mapping[str, Any]]) -> str:
    """A profile of a benchmark, every proposal with the counts that it rests on as a comment.

    Args:
        benchmark: name of the benchmark.
        runs: its analysed runs, the earliest first.
        documents: the failure modes' document of each run.

    Returns:
        YAML that the profile's loader takes as it stands. What a person must decide first stands in a comment.
    """
    seen = look(list(runs))
    slices, sliced = proposals.slices(seen)
    singles = [
        *proposals.score(runs, seen),
        proposals.answer_key(seen),
        slices,
        proposals.family(seen, sliced),
        proposals.task_id(seen),
        proposals.repeats(runs, seen),
    ]
    lines = [
        *_head(benchmark, seen),
        *(line for proposal in singles for line in _single(proposal)),
        *_decisions(runs),
        *_funnel(phases(runs, seen, proposals.answer_field(seen)), generic_phases(runs)),
        *_modes(modes(runs, seen), documents),
        *_fields(seen),
    ]
    return "\n".join(lines) + "\n"


def _head(benchmark: str, seen: Seen) -> Iterator[str]:
    names = ", ".join(seen.runs[:_MOST_NAMES]) + (
        f" and {len(seen.runs) - _MOST_NAMES} more" * (len(seen.runs) > _MOST_NAMES)
    )
    yield comment(f"{benchmark}: drafted by blade profile from its analysed runs ({names}).")
    measured = f"{seen.passed} passed and {seen.failed} failed rollouts"
    yield comment(f"It rests on {seen.rows} rows, {measured} by the profile of that analysis.")
    yield "# Every line is a proposal with the counts behind it: keep what is true of the benchmark, delete the rest."
    yield ""


def _single(proposal: Proposal) -> Iterator[str]:
    yield from map(comment, proposal.reasons)
    yield f"{'' if proposal.active else '# '}{proposal.key}: {proposal.value}"
    yield ""


def _decisions(runs: Sequence[Run]) -> Iterator[str]:
    yield "# No row says these; set them before the next run is made."
    yield "# higher_is_better: true"
    yield f"# baseline_run: {scalar(runs[0].name) if runs else 'name'}"
    yield "# equivalence_margin: 0.02"
    yield "# varying: model"
    yield "# min_coverage: 0.9"
    yield "# private_terms: []"
    yield ""


def _funnel(rules: Sequence[Rule], generic: Sequence[str]) -> Iterator[str]:
    yield "# Every passed rollout is through each of these, and some other is not. Put them into the workflow's order."
    yield "# That a rollout started and left a row is counted before them."
    if len(rules) < 2:
        yield "# No such step was found; without a funnel the generic one applies."
        yield ""
        return
    off = ""
    if len(rules) < len(generic):
        off = "# "
        yield comment(f"The generic funnel has {len(generic)} phases against these {len(rules)}: {', '.join(generic)}.")
        yield "# A funnel in the profile replaces all of them: add what is missing here before you take the marks away."
    yield f"{off}funnel:"
    for rule in rules:
        yield f"{off}  {comment(rule.reason)}"
        yield f"{off}  - phase: {scalar(rule.name)}"
        yield f"{off}    when: {scalar(rule.when)}"
    yield ""


def _modes(rules: Sequence[Rule], documents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "# Failed rollouts hold these values at least twice as often as passed ones. Of several the highest severity"
    yield "# counts; the rarer a value, the more it says. A root_cause (KG, UK, BI, TI, IR, DA) takes a reading."
    yield from map(comment, _known_modes(documents))
    if not rules:
        yield "# No such value was found; without failure modes the generic ones apply."
        yield ""
        return
    yield "failure_modes:"
    for place, rule in enumerate(rules, start=1):
        yield f"  {comment(rule.reason)}"
        yield f"  - code: {scalar(rule.name)}"
        yield f"    when: {scalar(rule.when)}"
        yield f"    severity: {10 * place}"
    yield ""


def _known_modes(documents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The modes of the last analysis, over all runs."""
    counts: dict[str, int] = {}
    total = sum(document["total_failed"] for document in documents)
    for document in documents:
        for mode in document["modes"]:
            counts[mode["code"]] = counts.get(mode["code"], 0) + mode["count"]
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_NAMES]:
        yield f"the analysis names {code} on {count} of {total} failed rollouts"


def _fields(seen: Seen) -> Iterator[str]:
    yield "# Fields that were seen."
    for title, fields, total in (
        ("rows", seen.of_rows, seen.rows),
        ("materialized inputs", seen.of_tasks, seen.inputs),
    ):
        for known in list(fields.values())[:_MOST_FIELDS]:
            yield comment(f"{title}: {_field(known, total)}")
        if len(fields) > _MOST_FIELDS:
            yield comment(f"{title}: {len(fields) - _MOST_FIELDS} further fields")


def _field(known: Field, total: int) -> str:
    values = f", {known.distinct} different values" if known.distinct else ""
    return f"{named(known.name)} ({' or '.join(sorted(known.kinds))}) on {known.rows} of {total}{values}"
