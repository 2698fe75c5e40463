"""Why a number of NeMo Gym differs from ours where it does: one sentence per rule of the peer that is at work."""

import re
from collections.abc import Iterator, Sequence
from math import isclose
from typing import Any

from blade_pipeline.models import Profile

_IDS = re.compile(r"^mean/(?:.*_)?(?:id|index|idx|uid)$")
_ACROSS = "mean_across_repeats/mean/reward"
_LISTED = 4
_OTHER_ROWS = (
    "it counts rows that are not measured here, such as unplanned ones, scores out of range or conflicting lines"
)


def native_notes(
    native: dict[str, Any], ours: dict[str, Any], profile: Profile, assumptions: Sequence[str] = ()
) -> list[str]:
    """Sentences with both numbers, for the rules that make one of them differ in this run.

    Args:
        native: the peer's numbers of one agent.
        ours: the score document of the same agent.
        profile: names score and threshold.
        assumptions: what ``native_metrics`` had to assume where the peer refuses the rows.
    """
    return [
        *_means(native, ours, profile),
        *_pass_at_k(native, ours, profile, bool(assumptions)),
        *_firsts(native),
        *_spread(native, ours),
        *_votes(native),
        *_fields(native),
    ]


def _means(native: dict[str, Any], ours: dict[str, Any], profile: Profile) -> Iterator[str]:
    micro, macro, across = (native.get("mean/reward"), ours["mean_reward"], native.get(_ACROSS))
    if profile.score != "reward":
        yield f"`mean/reward` is the mean of the reward; the score of this benchmark is `{profile.score}`."
    elif _differ(micro, macro):
        yield f"`mean/reward` is {micro:.6g} and our mean score {macro:.6g}: {_of_rows(ours)}."
    if _differ(across, micro):
        yield (
            f"`{_ACROSS}` is {across:.6g} and `mean/reward` {micro:.6g}: the one is a mean over repeats, "
            "which weigh equally however many tasks they hold."
        )


def _of_rows(ours: dict[str, Any]) -> str:
    if all(entry["eligible_tasks"] == ours["num_tasks"] for entry in ours["pass_at"].values()):
        return _OTHER_ROWS
    return "the one is a mean over rows, the other over tasks, which weigh equally whatever their measured repeats"


def _pass_at_k(native: dict[str, Any], ours: dict[str, Any], profile: Profile, grouped: bool) -> Iterator[str]:
    pairs = [(k, native.get(f"pass@{k}/accuracy"), entry) for k, entry in ours["pass_at"].items()]
    known = [(k, theirs, entry) for k, theirs, entry in pairs if theirs is not None and entry["value"] is not None]
    differing = [
        (k, theirs, 100 * entry["value"]) for k, theirs, entry in known if _differ(theirs, 100 * entry["value"])
    ]
    if differing:
        k, theirs, own = differing[0]
        rule = _largest_of_first(profile) if ours["score_is_binary"] is False else _OTHER_ROWS
        groups = "; see also what was assumed of rows without an index and of duplicates" if grouped else ""
        yield (
            f"`pass@{k}/accuracy` is {theirs:.6g} and ours {own:.6g} percent, {len(differing)} of {len(known)} values "
            f"of k differ: {rule}{groups}."
        )
    shrunk = [(k, entry) for k, _, entry in known if entry["eligible_tasks"] < ours["num_tasks"]]
    if shrunk:
        k, entry = shrunk[-1]
        yield (
            f"`pass@{k}` speaks of {entry['eligible_tasks']} of {ours['num_tasks']} measured tasks: those with fewer "
            f"than {k} measured rows leave its mean, so the set of tasks changes with k."
        )


def _largest_of_first(profile: Profile) -> str:
    return (
        "of a task whose scores are not all 0 or 1 NeMo Gym takes the largest of the first k scores, while here a "
        f"rollout passes at {profile.pass_threshold:g} and every repeat counts"
    )


def _firsts(native: dict[str, Any]) -> Iterator[str]:
    first, every = native.get("pass@1[avg-of-1]/accuracy"), native.get("pass@1/accuracy")
    if _differ(first, every):
        yield (
            f"`pass@1[avg-of-1]/accuracy` is {first:.6g} and `pass@1/accuracy` {every:.6g}: the one uses only the "
            "first row of each task, the other all rows of a task whose scores are 0 or 1."
        )


def _spread(native: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    low, high = (native.get(f"ci_{end}_95_across_repeats/mean/reward") for end in ("low", "high"))
    interval = ours["intervals"]["mean_reward"]
    if low is not None and high is not None and interval["low"] is not None:
        yield (
            f"`ci_low_95_across_repeats/mean/reward` is {low:.4g} and its high end {high:.4g}, ours for new tasks are "
            f"{interval['low']:.4g} and {interval['high']:.4g}: the peer's say how far a re-run on these same tasks "
            "may fall, and nothing about other tasks."
        )
    if native.get("std/reward") == 0 and ours["num_rollouts"] == 1:
        yield "`std/reward` is 0 because there is one row; one row has no spread, and ours is null."
    if any(name.endswith("/avg_sample_std_dev") for name in native):
        yield (
            "`avg_sample_std_dev` is on the scale of the reward, while `pass@k`, `majority@k`, `std_dev_across_runs` "
            "and `std_err_across_runs` are times 100."
        )


def _votes(native: dict[str, Any]) -> Iterator[str]:
    if any(name.startswith("majority@") for name in native):
        yield (
            "`majority@k` votes for pairs of answer and score, so one answer with two scores splits its vote; a task "
            "without an answered row counts 0, and `majority@k/no_answer` is always 0."
        )


def _fields(native: dict[str, Any]) -> Iterator[str]:
    ids = [name for name in native if _IDS.match(name)]
    if ids:
        more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
        listed = ", ".join(f"`{name}`" for name in ids[:_LISTED])
        yield f"{listed}{more}: NeMo Gym averages every numeric field, ids among them; such a mean says nothing."
    if any(name.startswith("coverage/") for name in native):
        yield (
            "Masked rows leave the statistics and stay in `num_repeats` and `perf_summary`; the block `coverage/` "
            "counts rows, not planned rollouts, so failed and missing ones are not in it."
        )


def _differ(left: Any, right: Any) -> bool:
    return left is not None and right is not None and not isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
