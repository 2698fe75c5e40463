"""What each root cause asks for, ordered by the score it could recover."""

from typing import Any

LABELS = ("KG", "UK", "BI", "TI", "IR", "DA", "unlabelled")

ACTIONS = {
    "KG": "Add targeted examples, domain fine-tuning or better task documentation for the knowledge these tasks need.",
    "UK": "Train on repeated rollouts or with reinforcement, prompt for self-checks, and use the passing "
    "trajectories as comparison data.",
    "BI": "Shape the agent loop: workflow checks, reward for verifying in between, simpler tools, a fitting budget.",
    "TI": "Repair the task, the verifier, its time limit or its dependency, then rerun the baselines.",
    "IR": "Mend the infrastructure, isolate and rerun the affected rollouts, and keep the flake rate apart from "
    "model quality.",
    "DA": "Correct the metadata and regenerate the artifacts before any model is compared.",
    "unlabelled": "Have an analyst read these tasks' trajectories; no record decides what went wrong.",
}
MOST_TASKS = 5


def recommendations(entries: list[dict[str, Any]], total_tasks: int, measured: bool) -> list[dict[str, Any]]:
    """One recommendation per label in use, largest recoverable score first, the unlabelled last.

    The recoverable score is the sum over the label's tasks of 1 minus passed over planned repeats, over all tasks:
    the rise if every repeat of these tasks passed, with unmeasured repeats counted as failed. It is null in a run
    without any measurement, whose score could be anything.
    """
    found = []
    for label in LABELS:
        chosen = [entry for entry in entries if entry["label"] == label]
        if chosen:
            found.append(_recommendation(label, chosen, total_tasks, measured))
    return sorted(found, key=lambda entry: (entry["label"] == "unlabelled", -entry["numerator"]))


def _recommendation(label: str, chosen: list[dict[str, Any]], total: int, measured: bool) -> dict[str, Any]:
    numerator = sum(entry["lost"] for entry in chosen)
    candidates = sum(entry["by"] == "rule" for entry in chosen)
    return {
        "label": label,
        "action": ACTIONS[label],
        "tasks": len(chosen),
        "task_ids": [entry["task"] for entry in chosen[:MOST_TASKS]],
        "recoverable_score": numerator / total if total and measured else None,
        "numerator": numerator,
        "denominator": total,
        "by_rule": candidates,
        "by_analyst": len(chosen) - candidates,
        "sentence": f"{label}: {len(chosen)} of {total} tasks, {_gain(numerator, total) if measured else _UNKNOWN}.",
    }


_UNKNOWN = "with a gain that nobody can tell, since nothing was measured"


def _gain(numerator: float, total: int) -> str:
    return f"at most {numerator:.2f} of {total} task scores ({100 * numerator / total:.1f}%) to recover"
