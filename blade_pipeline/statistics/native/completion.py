"""The completion summary that the tool's profiler prints and never saves."""

from collections.abc import Hashable, Iterable


def profile_completion(
    expected: Iterable[tuple[Hashable, Hashable]], completed: Iterable[tuple[Hashable, Hashable]]
) -> dict[str, float]:
    """Compare the rollouts that were planned with those that have a row.

    Args:
        expected: (input row, repeat) of each planned rollout; an input row is a task, or a (task, server) pair.
        completed: (input row, repeat) of each rollout that has a result row, masked ones included.

    Returns:
        The profiler's nine keys; the percentage is 100 when nothing was expected.
    """
    planned, done = set(expected), set(completed)
    found = planned & done
    wanted = _repeats_by_input(planned)
    reached = _repeats_by_input(found)
    complete = sum(1 for name, count in wanted.items() if reached.get(name, 0) == count)
    return {
        "expected_rollout_rows": len(planned),
        "completed_rollout_rows": len(found),
        "missing_rollout_rows": len(planned) - len(found),
        "extra_rollout_rows": len(done - planned),
        "reward_profile_completion_pct": 100.0 * len(found) / len(planned) if planned else 100.0,
        "total_input_rows": len(wanted),
        "complete_input_rows": complete,
        "partial_input_rows": len(reached) - complete,
        "missing_input_rows": len(wanted) - len(reached),
    }


def _repeats_by_input(rollouts: set[tuple[Hashable, Hashable]]) -> dict[Hashable, int]:
    counts: dict[Hashable, int] = {}
    for name, _repeat in rollouts:
        counts[name] = counts.get(name, 0) + 1
    return counts
