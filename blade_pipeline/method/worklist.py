"""Which tasks an analyst should read next, in the order of how much a reading tells.

First the tasks that pass sometimes, since the same task shows both what works and what does not; then those that
never pass and whose failure no symptom explains, the largest modes first; then one after the other those with a
symptom, whose proposed cause a reading confirms or refutes; then those of which no rollout left a row, with what their
failures say; last the ones whose rows leave the score open. Within each, the main failure modes take turns, so that the
first few tasks differ from each other. In a run that goes by its mean score the tasks furthest from the best score
stand first in their tier and mode.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from blade_pipeline.method.failure_rules import FALLBACKS, NO_OUTPUT
from blade_pipeline.method.readings import readings
from blade_pipeline.method.root_causes import ONE_ANSWER
from blade_pipeline.method.sql import records

Json = dict[str, Any]
Key = tuple[str, int, str]

_UNEXPLAINED = frozenset(rule.code for rule in (*FALLBACKS, NO_OUTPUT))
_TASK = ("agent", "stage", "task")

_TASKS = """
    with rows as (
        select agent, stage, task, any_value(dataset_id) as dataset_id,
            count(*) filter (outcome in ('unscored', 'masked') and line is not null) as open_rows,
            count(*) filter (outcome = 'failed') as failures,
            avg(score) filter (outcome = 'measured') as mean_score,
            mode(failure_class) filter (outcome = 'failed') as failure_class,
            mode(failure_message) filter (outcome = 'failed') as failure_message
        from samples group by agent, stage, task
    )
    select b.*, rows.* exclude (agent, stage, task, open_rows), coalesce(rows.open_rows, 0) as open_rows
    from b left join rows using (agent, stage, task) order by b.stage, b."order", b.agent
"""


class _Tier(NamedTuple):
    name: str
    rank: int


SOMETIMES = _Tier("sometimes passes", 0)
UNEXPLAINED = _Tier("never passes, unexplained", 1)
EXPLAINED = _Tier("never passes, explained by a symptom", 2)
FAILED = _Tier("failed without a row", 3)
OPEN = _Tier("not scored", 4)


def worklist(
    aligned: pa.Table, buckets: pa.Table, modes: pa.Table, document: Json, causes: Json, contrasts: Json, *, limit: int
) -> Json:
    """The tasks to read next.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        buckets: ``OUTCOME_BUCKETS``.
        modes: ``FAILURE_MODES``.
        document: the failure modes' document.
        causes: the root causes' document.
        contrasts: the trajectory contrasts' document.
        limit: how many tasks at most.

    Returns:
        ``{tasks, total, left_out: {always_pass, labelled, nothing_to_read}}``. A task holds ``position, agent, stage,
        task, dataset_id, bucket, tier, why, proposed: {label, by, rule, confidence}|null, modes: [{mode, rollouts}],
        measured, passed, planned, first_difference|null, rollouts``, and each of its rollouts ``role, rollout, repeat,
        outcome, score, mode, file, line, offset, length, step``: ``step`` is the one to look at, counted from 1.
    """
    shown = _modes_by_task(modes)
    labels = {_key(entry): entry for entry in causes["labels"]}
    left_out = Counter[str]()
    waiting: dict[_Tier, list[Json]] = {}
    best = ((causes.get("ablation") or {}).get("scale") or {}).get("best")
    samples = aligned.select([*_TASK, "outcome", "score", "line", "dataset_id", "failure_class", "failure_message"])
    for task in records(_TASKS, b=buckets, samples=samples):
        key = _key(task)
        task |= {
            "modes": shown.get(key, Counter()),
            "label": labels.get(key),
            "lacks": _lacks(task["mean_score"], best),
        }
        tier = _tier(task)
        if isinstance(tier, str):
            left_out[tier] += 1
        else:
            waiting.setdefault(tier, []).append(task | {"tier": tier.name})
    sizes = {mode["code"]: mode["count"] for mode in document["modes"]}
    ordered = [task for tier in sorted(waiting, key=lambda tier: tier.rank) for task in _turns(waiting[tier], sizes)]
    chosen = ordered[:limit]
    found = readings(aligned, [_key(task) for task in chosen], modes)
    told = _Told(document, contrasts)
    return {
        "tasks": [told.item(n, task, found[_key(task)]) for n, task in enumerate(chosen, start=1)],
        "total": len(ordered),
        "left_out": {name: left_out[name] for name in ("always_pass", "labelled", "nothing_to_read")},
    }


def _key(row: Mapping[str, Any]) -> Key:
    return row["agent"], row["stage"], row["task"]


def _lacks(mean_score: float | None, best: float | None) -> float | None:
    """How far a task's mean score lies from the best one, in a run that goes by it."""
    return None if mean_score is None or best is None else abs(best - mean_score)


def _modes_by_task(modes: pa.Table) -> dict[Key, Counter[str]]:
    found: dict[Key, Counter[str]] = {}
    for row in modes.select([*_TASK, "mode"]).to_pylist():
        found.setdefault(_key(row), Counter())[row["mode"]] += 1
    return found


def _tier(task: Json) -> _Tier | str:
    """Where a task stands in the order, or why it is not on the list."""
    label = task["label"]
    if label and label["by"] == "analyst" and not label.get("stale"):
        return "labelled"
    if 0 < task["passed"] < task["measured"]:
        return SOMETIMES
    if task["measured"] and not task["passed"]:
        return UNEXPLAINED if _main(task) in _UNEXPLAINED else EXPLAINED
    if task["open_rows"]:
        return OPEN
    if task["failures"] and not task["measured"]:
        return FAILED
    return "always_pass" if task["measured"] else "nothing_to_read"


def _main(task: Json) -> str:
    """The mode of most of a task's failed rollouts."""
    modes: Counter[str] = task["modes"]
    return min(modes, key=lambda mode: (-modes[mode], mode), default="")


def _turns(tasks: Sequence[Json], sizes: Mapping[str, int]) -> Iterable[Json]:
    """One task of each main mode in turn, the largest mode of the run first and in it the most telling task."""
    queues: dict[str, list[Json]] = {}
    for task in sorted(tasks, key=_telling):
        queues.setdefault(_main(task), []).append(task)
    largest = sorted(queues, key=lambda mode: (-sizes.get(mode, 0), mode))
    longest = max(map(len, queues.values()), default=0)
    return [queues[mode][turn] for turn in range(longest) for mode in largest if turn < len(queues[mode])]


def _telling(task: Json) -> tuple[bool, float, float, int]:
    """The lowest graded scores first, then most even outcomes, then most failed rollouts.

    A sorted list keeps the dataset's order among equals.

    Before them a task whose repeats all give one wrong answer: the expected one may be at fault.
    """
    measured, passed = task["measured"], task["passed"]
    spread = -passed * (measured - passed) / measured**2 if measured else 0.0
    return not _one_answer(task), -(task["lacks"] or 0.0), spread, passed - measured


def _one_answer(task: Json) -> bool:
    return bool(task["label"]) and task["label"]["rule"] == ONE_ANSWER


def _decimal(task: Json) -> str:
    return f"{task['mean_score']:.3f}".rstrip("0").rstrip(".")


class _Told:
    """Puts a task's reasons into words."""

    def __init__(self, document: Json, contrasts: Json) -> None:
        self._modes = {mode["code"]: mode for mode in document["modes"]}
        self._failed = document["total_failed"]
        self._same = {_key(row) for row in contrasts["same_output"]}

    def item(self, position: int, task: Json, reading: Json) -> Json:
        label = task["label"]
        names = (*_TASK, "dataset_id", "bucket", "tier", "measured", "passed", "planned")
        return {
            "position": position,
            **{name: task[name] for name in names},
            "why": self._why(task),
            "proposed": label and {name: label[name] for name in ("label", "by", "rule", "confidence")},
            "modes": [{"mode": mode, "rollouts": count} for mode, count in task["modes"].most_common()],
            **reading,
        }

    def _why(self, task: Json) -> str:
        measured, passed, label = task["measured"], task["passed"], task["label"]
        said = []
        if task["tier"] == SOMETIMES.name:
            said.append(
                f"Passes {passed} of {measured} measured repeats: the task is the same, only the outcome differs."
            )
        elif measured and not passed and task["lacks"] is not None:
            said.append(f"No measured repeat of {measured} reaches the pass mark; its mean score is {_decimal(task)}.")
        elif measured and not passed:
            said.append(
                f"Fails all {measured} measured repeats." if measured > 1 else "Fails its only measured repeat."
            )
        if _key(task) in self._same:
            said.append("One and the same output was scored both ways: read the verifier first.")
        if _one_answer(task):
            said.append("Every repeat gives the same answer: read the expected one first.")
        if task["modes"]:
            said.append(self._mode(_main(task)))
        if task["open_rows"]:
            what = "row leaves its score open" if task["open_rows"] == 1 else "rows leave their score open"
            said.append(f"{task['open_rows']} {what}.")
        if task["failures"]:
            said.append(self._failures(task))
        if label and label["by"] == "analyst":
            said.append(f"Its label {label['label']} is stale: {label['stale']}.")
        elif label and label["rule"]:
            said.append(f"{label['label']} is proposed with {label['confidence']} confidence ({label['rule']}).")
        return " ".join(said)

    def _failures(self, task: Json) -> str:
        how = f"{task['failures']} of {task['planned']} rollouts failed without a row: {task['failure_class']}"
        return f"{how}, {task['failure_message']}" if task["failure_message"] else f"{how}."

    def _mode(self, code: str) -> str:
        mode = self._modes.get(code)
        if mode is None:
            return f"Its main failure mode is {code}."
        on = "1 task" if mode["tasks"] == 1 else f"{mode['tasks']} tasks"
        shared = f"{mode['count']} of {self._failed} failed rollouts of the run, on {on}"
        return f"Its main failure mode is {code}: {mode['label']} ({shared})."
