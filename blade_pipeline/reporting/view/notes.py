"""Reproducibility Notes: what was read, assumed and done, so that someone else gets the same bytes."""

from collections.abc import Iterator

import blade_pipeline
from blade_pipeline.gym.file_names import shown_files
from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Fold,
    Heading,
    Paragraph,
    Piece,
    Row,
    Text,
    cells,
    code,
    quoted,
    say,
    table,
)
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import value_of
from blade_pipeline.reporting.numbers import decimal, level
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.changes import changes
from blade_pipeline.reporting.view.evidence import Evidence, names

LONGEST_QUERY = 4000
FIRST_VERSION = ("KG, UK and BI labels that a rule proposes are proposals; a person's label file overrides them.",)


def reproducibility_notes(evidence: Evidence) -> Iterator[Block]:
    """Sources, assumptions, methods, facts with their evidence, and the limits of this version."""
    yield Paragraph(_made_with(evidence))
    yield Bullets(tuple(_read(evidence)))
    assumptions = _assumptions(evidence)
    if assumptions:
        yield Heading(say("Assumptions"))
        yield Bullets(tuple(quoted(sentence) for sentence in assumptions))
    yield from _methods(evidence.inputs.scores)
    yield from _facts(evidence.facts)
    if evidence.inputs.edition is not None:
        yield from changes(evidence.inputs.edition, evidence.inputs.previous)
    yield Heading(say("Limits of this version"))
    yield Bullets(tuple(say(sentence) for sentence in (_text_words(evidence), *FIRST_VERSION)))


def _text_words(evidence: Evidence) -> str:
    """Where text of rollouts is shown, if anywhere."""
    excerpts = evidence.inputs.excerpts
    if excerpts is None or not excerpts.num_rows:
        return (
            "No text of a rollout (prompt, answer, tool output) is shown: only ids, numbers, names and verifier fields."
        )
    return (
        "Text of rollouts (prompt, answer, tool output) stands only where a task is opened in the HTML page, short and "
        "without what looks like a secret or an address; names and numbers in it may still be private."
    )


def _made_with(evidence: Evidence) -> Text:
    gym = value_of(evidence.inputs.manifest, "gym_version")
    scored = say("NeMo Gym ", code(gym)) if gym is not None else say("an unknown version of NeMo Gym")
    return say(
        f"Made by blade_pipeline {blade_pipeline.__version__} from rollouts that ",
        scored,
        " scored. The same files give the same bytes.",
    )


def _read(evidence: Evidence) -> Iterator[Text]:
    inputs = evidence.inputs
    files = inputs.manifest["files"]
    shown = shown_files(files)
    yield say("Run directory: ", names(shown, 12) or "no file", ".")
    for name, file in zip(shown, files, strict=True):
        if file.get("digest"):
            yield say(code(name), " has digest ", code(file["digest"]), ".")
    yield say("Layout: ", code(inputs.manifest["layout"]), ".")
    original = inputs.manifest["original_names"]
    if (original["benchmark"], original["run"]) != (inputs.benchmark, inputs.run):
        yield say("Named in the directory: ", code(original["benchmark"]), " and ", code(original["run"]), ".")
    yield _sidecar("Benchmark profile", inputs.profile)
    yield _sidecar("Analyst labels", inputs.labels_document)
    yield say(f"A rollout passes when its score reaches {decimal(inputs.scores['pass_threshold'], 6)}.")


def _sidecar(title: str, document: Json | None) -> Text:
    if not document or not document.get("present"):
        return say(f"{title}: none; defaults apply." if title.startswith("Benchmark") else f"{title}: none.")
    return say(f"{title}: ", code(document.get("file") or "present"), ".")


def _assumptions(evidence: Evidence) -> list[str]:
    found = [*evidence.inputs.coverage["assumptions"], *evidence.inputs.scores.get("assumptions", [])]
    return list(dict.fromkeys(str(sentence) for sentence in found))


def _methods(scores: Json) -> Iterator[Block]:
    grouped: dict[tuple[str, float, str, str], list[str]] = {}
    for metric, interval in sorted(scores["intervals"].items(), key=lambda item: _by_k(item[0])):
        remark = interval.get("reason") or interval.get("note") or ""
        question = str(interval["question"]).replace("_", " ")
        key = (str(interval["method"] or "none"), interval["level"], question, str(remark))
        grouped.setdefault(key, []).append(metric)
    rows = [
        cells(names(metrics), quoted(method), level(share), quoted(question), quoted(remark))
        for (method, share, question, remark), metrics in grouped.items()
    ]
    if rows:
        yield table("How each interval was made", "Metrics | Method | Level | Speaks of | Note", rows)


def _by_k(metric: str) -> tuple[str, int]:
    name, mark, k = metric.partition("@" if "@" in metric else "^")
    return (name + mark, int(k)) if k.isdigit() else (metric, 0)


def _facts(facts: list[Json]) -> Iterator[Block]:
    if not facts:
        return
    yield Heading(say("Facts cited in this report"))
    rows = [
        Row(
            cells(
                code(fact["id"]),
                quoted(fact["fact"]),
                quoted(fact.get("difficulty") or ""),
                _proof(fact.get("evidence") or {}),
            ),
            anchor=str(fact["id"]),
        )
        for fact in facts
    ]
    yield table("Each fact with the kind of evidence", "Id | Fact | Hard to guess | Evidence", rows)
    queries = tuple(_query(fact) for fact in facts if (fact.get("evidence") or {}).get("query"))
    if queries:
        yield Fold("The queries that give the numbers of each fact, for blade sql", (Bullets(queries),))


def _proof(evidence: Json) -> Text:
    kind = str(evidence.get("kind") or "rows").replace("_", " ")
    rows = evidence.get("rows") or []
    rollouts = [found for row in rows if (found := _rollout(row)) is not None]
    shown = say(": ", names(rollouts, 5)) if rollouts else ()
    return say(quoted(kind), shown)


def _query(fact: Json) -> Text:
    return say(code(fact["id"]), ": ", Piece("code", clean(fact["evidence"]["query"], LONGEST_QUERY)))


def _rollout(row: object) -> str | None:
    """The rollout or task that a row of evidence names."""
    if isinstance(row, str):
        return row
    return str(row["rollout"]) if isinstance(row, dict) and row.get("rollout") else None
