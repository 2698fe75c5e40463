"""An outage in one repeat or one quarter of a run: infrastructure took many of its rollouts and few of the others."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.failure_rules import LIFT, RULES
from blade_pipeline.method.modes import flags
from blade_pipeline.method.responsibility import cause_of
from blade_pipeline.method.signals import signals
from blade_pipeline.method.sql import records
from blade_pipeline.statistics import fisher_p

SHOCK = 0.01
"""Fisher's p, times the number of repeats and quarters, under which one of them lost more than the others."""
FEWEST_LOST = 3

_LOSING = [rule for rule in RULES if rule.root_cause == "IR" or rule.code == "verifier_failed"]
"""What takes a rollout's score away, whatever the rollout did: also a verifier or judge that did not finish."""

_CLASS = ["failure_class", "failure_stage"]
_BY_REPEAT = """
    select agent, rank, count(*) as rollouts, count(*) filter (lost) as lost
    from samples where outcome <> 'unexpected' group by agent, rank
    having not bool_and(outcome = 'missing') order by agent, rank
"""

_BY_QUARTER = """
    select agent, quarter, count(*) as rollouts, count(*) filter (lost) as lost from (
        select *, ntile(4) over (partition by agent order by created_at, rank, "order") as quarter from samples
        where outcome <> 'unexpected' and created_at is not null and agent in (
            select agent from samples group by agent having count(distinct created_at) >= 4)
    ) group by agent, quarter order by agent, quarter
"""


def outages(aligned: pa.Table) -> Iterator[dict[str, Any]]:
    """Repeats, or quarters of the run in order of creation, that lost rollouts to infrastructure far beyond the others.

    Yields ``{agent, repeat or quarter, lost, rollouts, rest_lost, rest, p}``, at most one per agent: the quarter
    only where no repeat stands out. Beside a quarter stands ``by_quarter``, what each of the four lost. A repeat of
    which nothing at all is there is neither an outage nor one of the others: its file is gone.
    """
    columns = ["agent", "rank", "order", "outcome", "created_at"]
    samples = aligned.select(columns).append_column("lost", pa.array(lost_rollouts(aligned)))
    repeats, quarters = (_by_agent(sql, samples) for sql in (_BY_REPEAT, _BY_QUARTER))
    for agent, rows in repeats.items():
        of_quarters = quarters.get(agent, [])
        tests = len(rows) + len(of_quarters)
        found = [{"repeat": row["rank"]} | numbers for row, numbers in _worst(rows, tests)]
        by_quarter = [row["lost"] for row in of_quarters]
        found += [
            {"quarter": row["quarter"], "by_quarter": by_quarter} | numbers
            for row, numbers in _worst(of_quarters, tests)
        ]
        if found:
            yield {"agent": agent} | found[0]


def _by_agent(sql: str, samples: pa.Table) -> dict[str, list[dict[str, Any]]]:
    agents: dict[str, list[dict[str, Any]]] = {}
    for row in records(sql, samples=samples):
        agents.setdefault(row["agent"], []).append(row)
    return agents


def lost_rollouts(aligned: pa.Table) -> Mask:
    """The rollouts that infrastructure took.

    These are failure records that name infrastructure, rows that never came, and rows that do not pass with an error of
    a service, sandbox or network, or whose verifier or judge did not finish.
    """
    lost: Mask = _marks(pc.equal(aligned["outcome"], "missing"))
    failed = _marks(pc.equal(aligned["outcome"], "failed"))
    lost[failed] = _are_infrastructure(aligned.select(_CLASS).filter(pa.array(failed)))
    passed = _marks(pc.fill_null(aligned["passed"], False))
    lost |= np.logical_or.reduce(flags(signals(aligned), _LOSING)) & ~passed
    return lost


def _are_infrastructure(failed: pa.Table) -> Mask:
    """Whether each failure's class and stage name infrastructure; asked once per pair of names."""
    classes, stages = (column.combine_chunks().dictionary_encode("encode") for column in failed.columns)
    named = [(name, stage) for name in classes.dictionary.to_pylist() for stage in stages.dictionary.to_pylist()]
    causes = np.array([cause_of(name, stage) == "IR" for name, stage in named], dtype=np.bool_)
    pair = np.asarray(classes.indices) * len(stages.dictionary) + np.asarray(stages.indices)
    found: Mask = causes[pair]
    return found


def _marks(column: pa.ChunkedArray) -> Mask:
    return np.asarray(column, dtype=np.bool_)


def _worst(rows: list[dict[str, Any]], tests: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The group with the most losses and its numbers, where it stands out from the rest."""
    worst = max(rows, key=lambda row: row["lost"] / row["rollouts"], default=None)
    rest = [row for row in rows if row is not worst]
    if worst is None or not rest:
        return
    lost, rollouts = worst["lost"], worst["rollouts"]
    others, whole = sum(row["lost"] for row in rest), sum(row["rollouts"] for row in rest)
    if lost < FEWEST_LOST or lost * whole < LIFT * others * rollouts:
        return
    p = min(1.0, tests * float(fisher_p([lost], [rollouts], [others], [whole])[0]))
    if p < SHOCK:
        yield worst, {"lost": lost, "rollouts": rollouts, "rest_lost": others, "rest": whole, "p": p}
