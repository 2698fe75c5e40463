"""The benchmark ``ledger_math``: short sums over invented ledgers, answered in one turn."""

from blade_pipeline.example.benchmark import Answer, Benchmark, Json, Task, difficulty_label, message
from blade_pipeline.example.draws import Draws

JUDGE = "arbiter-14b"
OTHER_NOTATION = 0.15
"""Chance that a right answer is written so that only the judge accepts it."""

_USUAL = {"arithmetic_slip": 0.55, "unit_mixup": 0.1, "truncated": 0.2, "no_answer_line": 0.15}
_MODES = {
    "totals": _USUAL,
    "discounts": _USUAL,
    "interest": _USUAL,
    "exchange": {"arithmetic_slip": 0.15, "unit_mixup": 0.7, "truncated": 0.1, "no_answer_line": 0.05},
}
_COMMENTS = {
    "arithmetic_slip": "The numbers differ.",
    "unit_mixup": "The answer is in another unit than the one asked for.",
}
_OPENINGS = ("Going through the ledger.", "One step at a time.", "First the figures.", "Reading the question again.")
_THINKING = (40, 160)


def _write_task(draws: Draws, index: int, base: float) -> Task:
    category = list(_MODES)[index % len(_MODES)]
    question, work, right, other_unit = _WRITERS[category](draws)
    return Task(
        index=index,
        base=base,
        category=category,
        question=question,
        fields={
            "problem_id": f"lm-{index:04d}",
            "expected_answer": str(right),
            "category": category,
            "difficulty": difficulty_label(base),
        },
        facts={"work": work, "right": right, "other_unit": other_unit},
    )


def _totals(draws: Draws) -> tuple[str, str, int, int]:
    entries = [draws.between(11, 499) for _ in range(draws.between(3, 5))]
    listed = ", ".join(map(str, entries))
    total = sum(entries)
    return (
        f"A ledger lists entries of {listed} crowns. What is their total in crowns?",
        f"Adding {listed} gives {{x}}.",
        total,
        total * 100,
    )


def _discounts(draws: Draws) -> tuple[str, str, int, int]:
    price, percent = 20 * draws.between(2, 49), 5 * draws.between(1, 5)
    cut = price * percent // 100
    return (
        f"An invoice of {price} crowns gets a discount of {percent} percent. How many crowns remain to be paid?",
        f"The discount is {cut}, so {{x}} remains.",
        price - cut,
        (price - cut) * 100,
    )


def _interest(draws: Draws) -> tuple[str, str, int, int]:
    deposit, rate, years = 100 * draws.between(2, 50), draws.between(2, 9), draws.between(2, 9)
    interest = deposit * rate * years // 100
    return (
        f"A deposit of {deposit} crowns earns {rate} percent simple interest a year. "
        f"How many crowns of interest does it earn in {years} years?",
        f"A year earns {deposit * rate // 100}, so {years} years earn {{x}}.",
        interest,
        interest * 100,
    )


def _exchange(draws: Draws) -> tuple[str, str, int, int]:
    rate, crowns, pence = draws.between(11, 24), draws.between(3, 40), draws.between(1, 10)
    return (
        f"One crown is {rate} pence. How many pence are {crowns} crowns and {pence} pence?",
        f"{crowns} crowns and {pence} pence make {{x}}.",
        crowns * rate + pence,
        crowns,
    )


_WRITERS = {"totals": _totals, "discounts": _discounts, "interest": _interest, "exchange": _exchange}


def _write_answer(draws: Draws, task: Task, mode: str | None) -> Answer:
    opening, thinking = draws.choice(_OPENINGS), draws.between(*_THINKING)
    if mode == "truncated":
        text = f"{opening} To be sure, every figure is checked twice, beginning with the first and then"
        verdict = _verdict(task, None, None)
        return Answer([message(text, 1, "incomplete")], verdict, 1, "max_output_tokens", thinking)
    number = _number(draws, task, mode)
    shown = _notation(draws, number) if mode is None else str(number)
    text = f"{opening} {task.facts['work'].format(x=shown)}"
    extracted = None if mode == "no_answer_line" else shown
    if extracted is not None:
        text += f"\nAnswer: {extracted}"
    return Answer([message(text, 1)], _verdict(task, extracted, mode), 1, None, thinking)


def _number(draws: Draws, task: Task, mode: str | None) -> int:
    right: int = task.facts["right"]
    if mode == "unit_mixup":
        return int(task.facts["other_unit"])
    if mode == "arithmetic_slip":
        slip = draws.between(1, 12)
        return right - slip if draws.uniform() < 0.5 and right > slip else right + slip
    return right


def _notation(draws: Draws, number: int) -> str:
    if draws.uniform() >= OTHER_NOTATION:
        return str(number)
    return f"{number:,}" if number >= 1000 else f"{number}.0"


def _verdict(task: Task, extracted: str | None, mode: str | None) -> Json:
    """Fields of the verifier: string equality first, then the judge, which is asked only where that fails."""
    equal = extracted == task.fields["expected_answer"]
    asked = extracted is not None and not equal
    judged = [{"model": JUDGE, "verdict": "same" if mode is None else "different"}]
    return {
        **task.fields,
        "extracted_answer": extracted,
        "library_reward": 1.0 if equal else 0.0,
        "judge_evaluations": judged if asked else None,
        "judge_comment": _COMMENTS.get(mode or "", "The same number in another notation.") if asked else None,
    }


LEDGER_MATH = Benchmark(
    name="ledger_math",
    layout="plain",
    plants="temperature",
    difficulty=(1, 1),
    modes=_MODES,
    temperature=0.6,
    top_p=0.95,
    max_output_tokens=512,
    max_turns=1,
    system="You keep a ledger. Reason briefly and end with a line that starts with 'Answer:'.",
    tools=[],
    judge=JUDGE,
    unverified={},
    dataset_id="ledger_math_v1",
    write_task=_write_task,
    write_answer=_write_answer,
)
