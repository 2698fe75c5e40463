"""Symptoms that a row itself carries, as one flat table: the evidence of funnel, failure modes and root causes."""

import pyarrow as pa

from blade_pipeline.method.answers import EMPTY_ANSWER, SILENT
from blade_pipeline.method.arrays import by_position, row_numbers
from blade_pipeline.method.kept import while_it_lives
from blade_pipeline.method.rejected import ANSWER_FIELDS, rejected
from blade_pipeline.method.sql import query

INFRASTRUCTURE_TEXT = "|".join(
    [
        r"too many requests|rate.?limit|payment required|quota.{0,20}exceeded|exceeded.{0,30}quota",
        r"insufficient.{0,20}(quota|credit|balance|funds)",
        r"(http|status|code|error|failed)[^a-z0-9]{1,12}(401|402|403|404|408|409|429|5\d\d)\b",
        r"\b(401|402|403|429|5\d\d)\s+(unauthori|payment|forbidden|too many|internal server|bad gateway|service)",
        r"connection (was )?(refused|reset|aborted|error|closed|lost|timed out)|econnrefused|econnreset|socket hang up",
        r"connect(ion)?error|remoteprotocolerror|server disconnected|network is unreachable|no route to host",
        r"name or service not known|name resolution|bad gateway|service unavailable|gateway time-?out",
        r"out of memory|\boom\b|oom.?kill|cuda error|no space left|disk quota|read-only file system",
        r"image.?pull|errimagepull|pull(ing)? (access|image)|manifest unknown|toomanyrequests",
        r"(sandbox|container|pod|node|worker|actor)s? .{0,30}(failed to start|not start|unavailable|died|lost|evicted)",
        r"actordiederror|preempted|slurmstepd|node failure",
    ]
)
"""Lower-case patterns of services, sandboxes, schedulers, networks and storage that gave way."""

CONTEXT_TEXT = r"context.?(length|window|limit)|maximum context|prompt is too long|too many tokens"
_TIMEOUT = r"(timed_?out|timeout_error|timeout_exceeded|_timeout|^timeout)$"
_OF_VERIFIER = r"^(eval|verif|test|judge|grad)"
BROKEN = """coalesce(steps ->> '$[#-1][3]', '') = 'incomplete'"""
_ERROR_NAMES = r"(^|_)(errors?|exception|failure|reason|message)(_|$)"
_FORMATS_OK = r"^(format|format_ok|format_correct|is_valid_format|schema_valid|schema_check_passed|parsed)$"
_FORMATS_BAD = r"parse_failed$|parse_error$|^invalid_format$|^format_error$"

_SIGNALS = f"""
    with entries as (
        select position, unnest(map_entries(numbers)) as entry from samples
    ), names as materialized (
        select key, regexp_matches(key, $timeout) and not regexp_matches(key, $of_verifier) as timeout,
            regexp_matches(key, $timeout) and regexp_matches(key, $of_verifier) as verifier_timeout,
            regexp_matches(key, '^context_(length|window)') as context, starts_with(key, 'memory_limit') as memory,
            regexp_matches(key, '^truncated$|^max_(turns|steps|iterations?)_reached') as truncated,
            regexp_matches(key, $formats_ok) as format_ok, regexp_matches(key, $formats_bad) as format_bad,
            regexp_matches(key, '^(invalid_judge_response|judge_failed|verifier_failed)$') as judge_bad,
            key in ('patch_exists', 'model_patch_bytes', 'patch_applied', 'apply_failed', 'no_answer') as answer,
            regexp_matches(key, '^is_(not_attempted|refusal)$') as refusal
        from (select distinct entry.key as key from entries)
    ), flat as (
        select position, entry.value as value, names.* from entries join names on names.key = entry.key
        where timeout or verifier_timeout or context or memory or truncated or format_ok or format_bad or judge_bad
            or answer or refusal
            or names.key in ('finished_naturally', 'evaluation_completed', 'rollout_ended_on_failed_model_call')
    ), marks as (
        select position,
            max(key) filter (value = 1 and timeout) as timed_out,
            max(key) filter (value = 1 and verifier_timeout) as verifier_timed_out,
            max(key) filter (value = 1 and context) as context_exceeded,
            max(key) filter (value = 1 and memory) as memory_exceeded,
            max(key) filter (value = 1 and truncated) as truncated,
            max(key) filter (value = 0 and key = 'finished_naturally') as unfinished,
            max(key) filter (value = 1 and key = 'no_answer') as no_answer,
            max(key) filter ((value = 0 and format_ok) or (value = 1 and format_bad)) as bad_format,
            max(key) filter (value = 0 and key in ('patch_exists', 'model_patch_bytes')) as patch_missing,
            max(key) filter (value = 1 and key = 'patch_exists') as patch_found,
            max(key) filter ((value = 0 and key = 'patch_applied') or (value = 1 and key = 'apply_failed'))
                as patch_refused,
            max(key) filter ((value = 0 and key = 'evaluation_completed') or (value = 1 and judge_bad))
                as not_evaluated,
            max(key) filter (value = 1 and refusal) as not_attempted,
            max(key) filter (value = 1 and key = 'rollout_ended_on_failed_model_call') as failed_model_call,
            bool_or(timeout or context or truncated or key = 'finished_naturally') as has_limit_field,
            bool_or(answer or format_ok or format_bad) as has_answer_field,
            bool_or(judge_bad or verifier_timeout or key = 'evaluation_completed') as has_verifier_field
        from flat group by position
    ), fields as (
        select position, entry.key as key, entry.value as value, entry.type as type
        from samples, json_each(samples.verifier) as entry
    ), kinds as materialized (
        select key, regexp_matches(key, $error_names) as names_error, regexp_matches(key, $answers) as names_answer,
            key in ('verifier_error', 'judge_error') as names_verifier,
            key in ('finish_reason', 'stop_reason', 'termination_reason') as names_finish
        from (select distinct key from fields)
    ), texts as (
        select position,
            string_agg(text, ' ; ' order by key) filter (names_error and type = 'VARCHAR') as errors,
            max(key) filter (names_verifier and trim(text) <> '') as verifier_error,
            bool_or(names_verifier) as names_verifier_error, min(key) filter (names_answer) as answer_field,
            bool_or(trim(text) <> '') filter (names_answer) as extracted,
            max(lower(text)) filter (names_finish) as finish
        from (
            select position, kinds.*, type, json_extract_string(value, '$') as text from fields
            join kinds on kinds.key = fields.key where names_error or names_answer or names_verifier or names_finish
        ) group by position
    ), read as (
        select samples.* exclude (numbers, verifier), texts.* exclude (position),
            {SILENT} as silent, {EMPTY_ANSWER} as empty_answer,
            lower(concat_ws(' ; ', error_text, failure_reason, texts.errors)) as said
        from samples left join texts using (position)
    )
    select read.position, outcome, passed, score,
        outcome = 'measured' and not passed as failed, outcome = 'measured' and passed as passing,
        said, lower(failure_kind) as kind,
        if(said = '', '', regexp_extract(said, $infrastructure)) as infrastructure_text,
        lower(incomplete_reason) as incomplete, lower(response_status) as status,
        coalesce(read.finish, lower(response ->> 'finish_reason')) as finish,
        output_items as items, coalesce(total_tokens, output_tokens) as tokens, answer_length, tool_calls, tool_errors,
        repeated_calls, silent, empty_answer,
        case when {BROKEN} then 'last item=incomplete'
            when tool_calls = 0 and output_tokens >= max_output_tokens
            then 'output tokens=' || output_tokens || ' of ' || max_output_tokens end as cut_off,
        read.verifier_error, read.answer_field,
        if(read.answer_field is not null and not coalesce(read.extracted, false), read.answer_field, null)
            as unextracted,
        coalesce(marks.has_limit_field, false)
            or coalesce(incomplete_reason, response_status, read.finish, failure_kind, error_text) is not null
            as limits_known,
        coalesce(marks.has_answer_field, false) or read.answer_field is not null as answers_known,
        coalesce(marks.has_verifier_field, false) or coalesce(read.names_verifier_error, false) as verifier_known,
        coalesce(output_items, answer_length) is not null as response_known,
        marks.* exclude (position, has_limit_field, has_answer_field, has_verifier_field)
    from read left join marks using (position)
"""

_COLUMNS = (
    "agent stage task outcome passed score error_text failure_reason failure_kind incomplete_reason response_status "
    "response verifier numbers output_items total_tokens output_tokens answer_length tool_calls tool_errors "
    "repeated_calls max_output_tokens steps"
).split()


@while_it_lives
def signals(aligned: pa.Table) -> pa.Table:
    """One row per aligned row, in its order, with ``position``; a mark holds the name of the field that says so."""
    samples = numbered(aligned.select(_COLUMNS))
    parameters: dict[str, object] = {
        "timeout": _TIMEOUT,
        "of_verifier": _OF_VERIFIER,
        "infrastructure": INFRASTRUCTURE_TEXT,
        "error_names": _ERROR_NAMES,
        "answers": ANSWER_FIELDS,
        "formats_ok": _FORMATS_OK,
        "formats_bad": _FORMATS_BAD,
    }
    marks = by_position(query(_SIGNALS, parameters, samples=samples))
    return marks.append_column("rejected", rejected(samples))


def numbered(table: pa.Table) -> pa.Table:
    """The table with its row numbers as ``position``."""
    return table.append_column("position", row_numbers(table))
