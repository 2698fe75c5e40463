"""Whether two runs were given the same benchmark: task set, prompts and expected answers, by content."""

import hashlib

import pyarrow as pa

from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.pairing import Pairing
from blade_pipeline.method.comparison.side import Side

_BY_CONTENT = ("content", "prompt")
_NO_PAIR = "no task pairs by content; under every index"


def task_checks(a: Side, b: Side, pairing: Pairing) -> list[Check]:
    """The checks of the tasks themselves, in the order in which they decide."""
    return [
        _content_check(a, b, "task_set", "pair_digest", "the task set", _set_status(a, b, pairing)),
        _content_check(a, b, "prompts", "prompt_digest", "the tasks' prompts",
                       _changed(pairing, pairing.changed_prompts)),
        _content_check(a, b, "expected_answers", "answer_key_digest", "the expected answers",
                       _changed(pairing, pairing.changed_answers)),
    ]  # fmt: skip


def tasks(count: int) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{count} task{'s' * (count != 1)}"


def _content_check(a: Side, b: Side, identity: str, column: str, label: str, found: tuple[str, str | None]) -> Check:
    status, note = found
    if status == "same" and a.per_task[column].null_count == a.per_task.num_rows:
        note = "no run tells them apart from the task's other fields, which are the same"
    sides = {name: side.once(_summary, column) for name, side in (("a", a), ("b", b))}
    sources = {f"source_{name}": side.once(_content_source) for name, side in (("a", a), ("b", b))}
    return check(identity, "benchmark", status, **sides, **sources, label=label, note=note)


def _summary(side: Side, column: str) -> str | None:
    """How many tasks, and one digest over their contents whatever their order; None when no content is known."""
    known = side.per_task[column].drop_null().to_pylist()
    if not known:
        return None
    together = hashlib.sha256("\n".join(sorted(known)).encode()).hexdigest()[:12]
    return f"{tasks(len(known))}, digest {together}"


def _content_source(side: Side) -> str:
    kinds = {(digest or "nothing").split(":")[0] for digest in side.per_task["pair_digest"].to_pylist()}
    names = {"inputs": "materialized inputs", "rows": "the rows themselves", "nothing": "no content found"}
    return ", ".join(sorted(names[kind] for kind in kinds)) or "no task"


def _set_status(a: Side, b: Side, pairing: Pairing) -> tuple[str, str]:
    """Tasks on one side alone are another set, unless they are the same tasks with an edited prompt or answer."""
    note = _set_note(pairing)
    if pairing.method == "index":
        return "unknown", note
    alone = max(pairing.only_a, pairing.only_b) - len(pairing.changed)
    other = "different" if alone or pairing.replaced else "same"
    if edited := _other_fields(a, b, pairing):
        return "different", f"{note} and answer alone; in {tasks(edited)} other fields of the dataset differ"
    if pairing.method != "none":
        return other, note
    if other == "same" and pairing.changed:
        if _known(a, b, "answer_key_digest") and not pairing.changed_answers:
            return "unknown", f"{_NO_PAIR} the expected answer is the same, the prompt not"
        if _known(a, b, "opening_digest") and not pairing.changed_prompts:
            return "unknown", f"{_NO_PAIR} the prompt is the same, the expected answer not"
    return ("different" if pairing.only_a and pairing.only_b else "unknown"), note


def _known(a: Side, b: Side, column: str) -> bool:
    return all(side.per_task[column].null_count == 0 for side in (a, b))


def _other_fields(a: Side, b: Side, pairing: Pairing) -> int:
    """Tasks that pair by prompt and whose materialized inputs differ all the same."""
    if pairing.method != "prompt":
        return 0
    left, right = (
        side.per_task["pair_digest"].take(pa.array(rows, pa.int64())).to_pylist()
        for side, rows in ((a, pairing.a), (b, pairing.b))
    )
    whole = [pair for pair in zip(left, right, strict=True) if all(one and one.startswith("inputs:") for one in pair)]
    return sum(one != other for one, other in whole)


def _changed(pairing: Pairing, changed: list[str]) -> tuple[str, str | None]:
    """Status of the contents under equal indices, and what changed."""
    if changed:
        return "different", f"{tasks(len(changed))} under one index differ{'s' * (len(changed) == 1)}"
    return ("same" if pairing.method in _BY_CONTENT else "unknown"), None


def _set_note(pairing: Pairing) -> str:
    common = len(pairing.a)
    note = f"{tasks(common)} pair{'s' * (common == 1)} by {pairing.method}" if common else "no task pairs"
    if pairing.only_a or pairing.only_b:
        note += f", {pairing.only_a} stand only in the first run and {pairing.only_b} only in the second"
    if pairing.changed:
        told = f", but {pairing.renumbered} of {common} pairs stand under different indices"
        note += f"; {tasks(len(pairing.changed))} under one index differ in content"
        note += told if pairing.renumbered else ": the benchmark changed"
    if pairing.method == "index":
        note += ", which says nothing of their content"
    return note
