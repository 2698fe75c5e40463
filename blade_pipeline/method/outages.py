"""An outage in one repeat: infrastructure took many of its rollouts and few of the others."""

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
"""Fisher's p, times the number of repeats, under which one repeat lost more than the others."""
FEWEST_LOST = 3

_LOSING = [rule for rule in RULES if rule.root_cause == "IR" or rule.code == "verifier_failed"]
"""What takes a rollout's score away, whatever the rollout did: also a verifier or judge that did not finish."""

_CLASS = ["failure_class", "failure_stage"]
_BY_REPEAT = """
    select agent, rank, count(*) as rollouts, count(*) filter (lost) as lost, bool_and(outcome = 'missing') as nothing
    from samples where outcome <> 'unexpected' group by agent, rank order by agent, rank
"""


def outages(aligned: pa.Table) -> Iterator[dict[str, Any]]:
    """Repeats that lost rollouts to infrastructure far beyond the others.

    Yields ``{agent, repeat, lost, rollouts, rest_lost, rest, p}``, at most one per agent. Lost are failure records that
    name infrastructure, rows that never came, and rows that do not pass with an error of a service, sandbox or
    network, or whose verifier or judge did not finish. A repeat of which nothing at all is there is no outage but a
    file that is gone.
    """
    columns = ["agent", "rank", "outcome"]
    samples = aligned.select(columns).append_column("lost", pa.array(_lost(aligned)))
    agents: dict[str, list[dict[str, Any]]] = {}
    for row in records(_BY_REPEAT, samples=samples):
        agents.setdefault(row["agent"], []).append(row)
    for rows in agents.values():
        yield from _worst(rows)


def _lost(aligned: pa.Table) -> Mask:
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


def _worst(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The repeat with the most losses, where it stands out from the rest."""
    worst = max(rows, key=lambda row: row["lost"] / row["rollouts"])
    rest = [row for row in rows if row is not worst]
    lost, rollouts = worst["lost"], worst["rollouts"]
    others, whole = sum(row["lost"] for row in rest), sum(row["rollouts"] for row in rest)
    if not rest or worst["nothing"] or lost < FEWEST_LOST or lost * whole < LIFT * others * rollouts:
        return
    p = min(1.0, len(rows) * float(fisher_p([lost], [rollouts], [others], [whole])[0]))
    if p < SHOCK:
        found = {"agent": worst["agent"], "repeat": worst["rank"], "lost": lost, "rollouts": rollouts}
        yield found | {"rest_lost": others, "rest": whole, "p": p}
