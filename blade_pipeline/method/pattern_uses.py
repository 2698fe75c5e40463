"""What each rollout of the tasks that pass sometimes does or leaves out: one row per question that it can answer."""

import pyarrow as pa

from blade_pipeline.method.failure_rules import FALLBACKS, STOPPED
from blade_pipeline.method.sql import query
from blade_pipeline.method.stratified import MOST_TOOLS

MOST_STOPS = 12
ORDINARY_STOPS = ["completed", "stop", "end_turn"]
"""Stop reasons that say only that the model ended."""
_COLUMNS = "agent stage task repeat outcome passed steps checked incomplete_reason response_status".split()

_USES = """
    with mixed as (
        select row_number() over () as position, samples.*, modes.mode,
            coalesce(incomplete_reason, response_status) as stop
        from samples semi join sometimes using (agent, stage, task) left join modes using (agent, stage, task, repeat)
        where outcome = 'measured'
    ), whole as (
        select * from mixed where steps is not null and not contains(steps, '["omitted"')
            and (passed or list_contains($plain, mode) or contains(mode, ':'))
    ), moves as (
        select position, step ->> 0 as kind, step ->> 1 as tool, (step ->> 4) = '1' as failed, place
        from (select position, from_json(steps, '["json"]') as all_steps from whole),
            unnest(all_steps) with ordinality as found(step, place)
        where step ->> 0 in ('tool_call', 'tool_output') and step ->> 1 is not null
    ), last_moves as (
        select position, arg_max(tool, place) as tool, arg_max(kind = 'tool_output' and failed, place) as stops
        from moves group by position
    ), tools as (
        select tool from moves where kind = 'tool_call'
        group by tool order by count(distinct position) desc, tool limit $tools
    ), used as (
        select distinct position, tool from moves where kind = 'tool_call'
    ), errors as (
        select position, tool, min(place) as error_at from moves where kind = 'tool_output' and failed group by all
    ), retried as (
        select position, tool, min(place) filter (kind = 'tool_call' and place > error_at) as retry_at
        from errors join moves using (position, tool) group by all
    ), answered as (
        select position, tool, retry_at, bool_or(kind = 'tool_output' and not failed and place > retry_at) as succeeds
        from retried join moves using (position, tool) group by all
    ), tried as (
        select position, bool_or(retry_at is not null) as retries,
            bool_and(succeeds) filter (retry_at is not null) as succeeds
        from answered group by position
    ), stops as (
        select stop from mixed where not list_contains($ordinary, lower(stop))
        group by stop order by count(*) desc, stop limit $stops
    ), uses as (
        select 'calls' as what, tools.tool, position, used.tool is not null as does
        from whole cross join tools left join used using (position, tool)
        union all select 'stops', tools.tool, position, coalesce(last_moves.stops, false)
        from whole cross join tools left join last_moves using (position, tool)
        union all select 'retries', null, position, retries from tried
        union all select 'succeeds', null, position, succeeds from tried where retries
        union all select 'checks', null, position, checked from whole where checked is not null
        union all select 'ends', stops.stop, position, mixed.stop = stops.stop
        from mixed cross join stops where mixed.stop is not null
    )
    select what, uses.tool as subject, does, agent, stage, task, passed from uses join mixed using (position)
"""


def pattern_uses(aligned: pa.Table, buckets: pa.Table, modes: pa.Table) -> pa.Table:
    """What measured rollouts of sometimes-pass tasks do, by question.

    ``what`` is ``calls`` (a tool), ``stops`` (after an error of a tool), ``retries`` (a tool that gave an error, of
    rollouts where one did), ``succeeds`` (every tool that was called again gives an answer without an error, of
    rollouts that retried), ``checks`` (after the last change, of rollouts that changed a file) or ``ends`` (with a stop
    reason that is no ordinary one). All but the last leave out failing rollouts that show a symptom, and rollouts
    whose steps are not all recorded.

    Returns:
        Columns ``what, subject, does, agent, stage, task, passed``; the subject is the tool or the stop reason.
    """
    return query(
        _USES,
        {
            "plain": [STOPPED, *(rule.code for rule in FALLBACKS)],
            "tools": MOST_TOOLS,
            "stops": MOST_STOPS,
            "ordinary": ORDINARY_STOPS,
        },
        samples=aligned.select(_COLUMNS),
        sometimes=query("select agent, stage, task from b where bucket = 'sometimes_pass'", b=buckets),
        modes=modes.select(["agent", "stage", "task", "repeat", "mode"]),
    )
