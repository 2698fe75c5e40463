"""Whether failing rollouts are longer than passing ones, pooled and among tasks that are alike."""

from collections.abc import Iterator

from blade_pipeline.method.lengths import CONTROLS
from blade_pipeline.reporting.blocks import Block, Bullets, Heading, Paragraph, Text, absent, cells, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import decimal, percent, plural, probability
from blade_pipeline.reporting.view.evidence import Evidence

POOLED = "Pooled"


def length_controls(evidence: Evidence) -> Iterator[Block]:
    """What is said per group of features, and a table of them; nothing where there are too few tasks to test any."""
    document = evidence.inputs.contrasts["lengths"]
    features = document["features"]
    if all(row["pooled"]["q"] is None for row in features):
        return
    yield Heading(say("Are failing rollouts longer?"))
    yield Bullets(tuple(quoted(finding["sentence"]) for finding in document["findings"]))
    controls = {name: _title(name, document["fields"]) for name in CONTROLS if name in document["controls"]}
    rows = [
        cells(
            row["feature"],
            *(decimal(row[key], 1) for key in ("failing_median", "passing_median")),
            *(_compared(row[name]) for name in controls),
        )
        for row in features
    ]
    medians = "Median, failing | Median, passing"
    caption = "How often the failing rollout of a pair is the longer one"
    yield table(caption, " | ".join(["Length", medians, *controls.values()]), rows, numeric=medians)
    yield Paragraph(say(_explained(document, controls), evidence.cite("length")), "quiet")
    yield from _missing(document)


def _title(control: str, fields: list[str]) -> str:
    if control == "pooled":
        return POOLED
    return "Equal fields" if control == "fields" else f"Equal {'fields and ' * bool(fields)}pass rate"


def _compared(part: Json) -> str:
    if part["share"] is None:
        return "none"
    return f"{percent(part['share'])}, {'too few tasks' if part['q'] is None else probability(part['q'], 'q')}"


def _explained(document: Json, controls: dict[str, str]) -> Text:
    """What a percentage is of, and how much each column compares."""
    sizes = [
        f" {title}: {plural(size['pairs'], 'pair')} of {plural(size['rollouts'], 'rollout')} on "
        f"{plural(size['tasks'], 'task')}, in {plural(size['strata'], 'stratum', 'strata')} with both verdicts."
        for title, size in ((title, document["controls"][name]) for name, title in controls.items())
    ]
    left_out = document["left_out"]
    if left_out:
        sizes.append(f" Left out: {plural(left_out, 'failing rollout')} that an outage or a limit ended.")
    return say(
        "Of all pairs of a failing and a passing rollout in one stratum, ties as half: 50% is no difference. The test "
        "exchanges whole tasks of a stratum, and rollouts inside a task (van Elteren 1960); q corrects over the table.",
        *sizes,
    )


def _missing(document: Json) -> Iterator[Block]:
    """Which control the run does not allow."""
    if not document["fields"]:
        why = "No field of the tasks has few values."
        if document["fields_left_out"]:
            why = "By every field most rollouts would have none of the other verdict beside them."
        yield absent(f"a control for the kind of task. {why}")
    if "pass_rate" not in document["controls"]:
        yield absent("a control for difficulty by the tasks' own pass rate. No task both passes and fails.")
