"""What each root cause asks for, ordered by the score it could recover."""

from collections import Counter
from typing import Any

from blade_pipeline.method.remedies import SAME_OUTPUT, SCORE_TWICE, remedy
from blade_pipeline.method.repairs import Reason, Repair
from blade_pipeline.models import LABELS
from blade_pipeline.rounding import percent

ACTIONS = {
    "KG": "Add targeted examples, domain fine-tuning or better task documentation for the knowledge these tasks need.",
    "UK": "Train on repeated rollouts or with reinforcement, prompt for self-checks, and use the passing "
    "trajectories as comparison data.",
    "BI": "Shape the agent loop: workflow checks, reward for verifying in between, simpler tools, a fitting budget.",
    "TI": "Repair the task, the verifier, its time limit or its dependency, then rerun the baselines.",
    "IR": "Mend the infrastructure, isolate and rerun the affected rollouts, and keep the flake rate apart from "
    "model quality.",
    "DA": "Correct the metadata and regenerate the artifacts before any model is compared.",
    "unlabelled": "Have an analyst read these tasks' trajectories and label them; no record says what caused the loss.",
}
TRIFLE = 0.1
"""Share of what another label's tasks lost below which a seen cause does not come first: it is not what to look at."""

MOST_TASKS = 5
MOST_REASONS = 3


def recommendations(
    entries: list[dict[str, Any]], repairs: dict[str, Repair], total_tasks: int, *, measured: bool, repeated: bool
) -> list[dict[str, Any]]:
    """One recommendation per label that a task or a rollout carries: what was seen first, largest bound first.

    The recoverable score is the sum over the label's tasks of 1 minus passed over planned repeats, over all tasks:
    the rise if every repeat of these tasks passed, with unmeasured repeats counted as failed. It is a bound; the part
    of it that is in reach sums 1 minus passed over planned repeats over those of the tasks that pass at least once, as
    the oracle of the ablation counts them. Both are null in a run without any measurement, whose score could be
    anything.

    ``evident`` is the part of the numerator that lies in the ``evident_tasks``, whose label follows from what was seen
    and not from the absence of another cause. ``repair`` counts the lost rollouts in which the cause was seen, in tasks
    of any label, and what they would give if all of them passed: by that the recommendations are ordered. Those without
    one, labelled for want of another cause, follow by their recoverable score, and among them causes worth less than a
    tenth of the largest; the unlabelled come last. ``reasons`` are the
    most frequent ones of the rollouts that carry the label, ``next`` what to do about the first.
    """
    found = []
    for label in LABELS:
        chosen = [entry for entry in entries if entry["label"] == label]
        repair = repairs.get(label)
        if chosen or repair:
            entry = _recommendation(label, chosen, total_tasks, measured) | {
                "repair": _repair(repair, total_tasks, measured)
            }
            if repair and not chosen:
                entry["task_ids"] = repair.tasks[:MOST_TASKS]
            entry["sentence"] = _sentence(entry, measured=measured, repeated=repeated)
            given = [pair for one in chosen for pair in one["reasons"]] or (repair.reasons if repair else [])
            found.append(entry | _reasons(given, chosen, repeated=repeated))
    largest = _largest(found)
    return sorted(found, key=lambda entry: _place(entry, largest))


def leading(found: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Of recommendations in their order, the one of which most could be won by what was seen.

    Every place that names such a cause names this one. Null where nothing was seen, or less than a tenth of what the
    tasks of another label lost.
    """
    largest = _largest(found)
    return next((row for row in found if _weighs(row, largest) and row["repair"]["score"] is not None), None)


def without_cause(entries: list[dict[str, Any]], total_tasks: int) -> dict[str, Any]:
    """The tasks of which no record names a main cause: unlabelled ones, and KG and UK for want of another cause.

    Returns:
        ``{tasks, lost, passing_tasks, passing_lost, denominator}``: what these tasks lost in the sum of task scores,
        and of both the part of tasks that pass in some repeat.
    """
    open_ = [entry for entry in entries if not entry["evident"]]
    passing = [entry for entry in open_ if entry["passes"]]
    return {
        "tasks": len(open_),
        "lost": sum(entry["lost"] for entry in open_),
        "passing_tasks": len(passing),
        "passing_lost": sum(entry["lost"] for entry in passing),
        "denominator": total_tasks,
    }


def _place(entry: dict[str, Any], largest: float) -> tuple[bool, bool, float]:
    """Where a recommendation stands, ``largest`` being the most that the tasks of a label lost."""
    amount = -float((entry["repair"] or entry)["numerator"])
    return entry["label"] == "unlabelled", not _weighs(entry, largest), amount


def _largest(found: list[dict[str, Any]]) -> float:
    """The most that the tasks of a label lost, those without a label apart."""
    return max((float(entry["numerator"]) for entry in found if entry["label"] != "unlabelled"), default=0.0)


def _weighs(entry: dict[str, Any], largest: float) -> bool:
    """Whether a cause was seen in rollouts that are worth more than a trifle."""
    return entry["repair"] is not None and float(entry["repair"]["numerator"]) >= TRIFLE * largest


def _repair(found: Repair | None, total: int, measured: bool) -> dict[str, Any] | None:
    if found is None:
        return None
    share = found.numerator / total if measured else None
    return {"rollouts": found.rollouts, "tasks": len(found.tasks), "numerator": found.numerator, "score": share}


def _recommendation(label: str, chosen: list[dict[str, Any]], total: int, measured: bool) -> dict[str, Any]:
    evident = [entry for entry in chosen if entry["evident"]]
    numerator = sum(entry["lost"] for entry in chosen)
    reachable = sum(entry["lost"] for entry in chosen if entry["passes"])
    candidates = sum(entry["by"] == "rule" for entry in chosen)
    return {
        "label": label,
        "action": ACTIONS[label],
        "tasks": len(chosen),
        "task_ids": [entry["task"] for entry in chosen[:MOST_TASKS]],
        "recoverable_score": numerator / total if total and measured else None,
        "reachable_score": reachable / total if total and measured else None,
        "numerator": numerator,
        "reachable": reachable,
        "denominator": total,
        "evident_tasks": len(evident),
        "evident": sum(entry["lost"] for entry in evident),
        "by_rule": candidates,
        "by_analyst": len(chosen) - candidates,
    }


def _reasons(pairs: list[Reason], chosen: list[dict[str, Any]], *, repeated: bool) -> dict[str, Any]:
    """Why the label's rollouts were lost, and a sentence on what to do about the most frequent reason."""
    given = Counter(pairs)
    counted: Counter[str] = Counter()
    for (reason, _), count in given.items():
        counted[reason] += count
    first = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:MOST_REASONS]
    total = sum(counted.values())
    shown = [{"reason": reason, "count": count, "total": total} for reason, count in first]
    open_ = not chosen or any(entry["by"] == "rule" for entry in chosen)
    mixed = any(entry["passes"] for entry in chosen)
    told = None
    if 2 * sum(entry["rule"] == SAME_OUTPUT for entry in chosen) > len(chosen):
        told = SCORE_TWICE
    elif first and open_:
        answers = Counter({right: count for (reason, right), count in given.items() if reason == first[0][0]})
        told = remedy(first[0][0], repeated=repeated, mixed=mixed, right=_mostly(answers))
    return {"reasons": shown, "next": told and f"{told[:1].upper()}{told[1:]}."}


def _mostly(answers: Counter[str | None]) -> str | None:
    """How most of these rollouts' answers are known to be right; null where those of at most half are."""
    right = sorted(((how, count) for how, count in answers.items() if how is not None), key=lambda each: -each[1])
    return right[0][0] if 2 * sum(count for _, count in right) > answers.total() else None


def _sentence(found: dict[str, Any], *, measured: bool, repeated: bool) -> str:
    total, label = found["denominator"], found["label"]
    if not found["tasks"]:
        return f"{label}: the label of no task.{_if_passed(found, measured)}"
    gain = _gain(found["numerator"], found["reachable"], total, repeated) if measured else _UNKNOWN
    said = f"{label}: {found['tasks']} of {total} task{'s' * (total != 1)}, {gain}."
    return f"{said}{_by_elimination(found)}{_if_passed(found, measured)}"


def _by_elimination(found: dict[str, Any]) -> str:
    """Says of a label that rests on the absence of another cause that it does."""
    left = found["tasks"] - found["evident_tasks"]
    if found["label"] == "unlabelled" or not left:
        return ""
    return f" For {left} of these {found['tasks']} no record names a main cause: read some before acting on it."


def _if_passed(found: dict[str, Any], measured: bool) -> str:
    """What scoring or running again could give, in tasks of any label."""
    repair = found["repair"]
    if repair is None or not measured:
        return ""
    rollouts, tasks = (f"{repair[name]} {word}{'s' * (repair[name] != 1)}" for name, word in _COUNTED)
    share = _share(repair["numerator"], found["denominator"])
    return f" In tasks of any label {rollouts}, on {tasks}, carry it: {share} at most if all of them passed."


_COUNTED = (("rollouts", "lost rollout"), ("tasks", "task"))


_UNKNOWN = "with a gain that nobody can tell, since nothing was measured"


def _gain(bound: float, reachable: float, total: int, repeated: bool) -> str:
    """The bound, and the part of it that lies in tasks of which some repeat passes."""
    most = f"at most {_share(bound, total)} to recover"
    if not repeated:
        return most
    if not reachable:
        return f"{most}; none of these tasks passes in any measured repeat"
    if reachable == bound:
        return f"{most}, all of it in tasks that pass in some repeat"
    return f"{most}; {_share(reachable, total)} of that in tasks that pass in some repeat"


def _share(part: float, total: int) -> str:
    return f"{part:.2f} of {total} task score{'s' * (total != 1)} ({percent(part / total)})"
