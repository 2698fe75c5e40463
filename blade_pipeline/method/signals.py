"""Symptoms that a row itself carries, as one flat table: the evidence of funnel, failure modes and root causes."""

import re

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS, FOUND_FIELDS
from blade_pipeline.gym.failed_checks import FAILED_CHECK
from blade_pipeline.gym.gave_way import GAVE_WAY, OWN
from blade_pipeline.gym.logs import LOGS, OF_HARNESS, OUTPUTS
from blade_pipeline.gym.open_errors import ENVIRONMENT_ANSWER, ENVIRONMENT_ERROR, ENVIRONMENT_MET, MET_ERROR, TOOL_ERROR
from blade_pipeline.method.answers import EMPTY_ANSWER, SILENT, longest_text
from blade_pipeline.method.arrays import by_position, row_numbers
from blade_pipeline.method.entries import verifier_entries
from blade_pipeline.method.kept import while_it_lives
from blade_pipeline.method.missing_parts import missing_dependencies, missing_inputs
from blade_pipeline.method.nested import nested_values
from blade_pipeline.method.rejected import rejected
from blade_pipeline.method.sql import query
from blade_pipeline.method.verifier_text import MESSAGE_FIELDS

INFRASTRUCTURE_TEXT = "|".join(
    [
        *GAVE_WAY,
        r"(http|status|code|error|failed)[^a-z0-9]{1,12}(401|403|404|408|409)\b",
        r"\b(401|403)\s+(unauthori|forbidden)|cuda error",
    ]
)
"""Lower-case patterns of services, sandboxes, schedulers, networks and storage that gave way."""

NOTHING_SAID = ["", "none", "null", "nan", "n/a", "na", "[]", "{}", "no answer", "no_answer", "not found", "invalid"]
"""Texts in the place of an answer where nothing was extracted."""

CONTEXT_TEXT = r"context.?(length|window|limit)|maximum context|prompt is too long|too many tokens"
_TIMEOUT = r"(timed_?out|timeout_error|timeout_exceeded|_timeout|^timeout)$"
_KILLED = r"(^|_)((was_)?killed|tle)$"
_JUDGES = r"^(judge|grader|evaluator|scorer)(_|$)"
_FILLED = 4
"""Passed rollouts beyond which a field that a judge always fills says something where it is empty."""

_OF_VERIFIER = r"^(eval|verif|test|judge|grad|check|scor|prover)"
_EXIT_CODES = r"(^|_)(exit_?(code|status)|return_?code|exit|rc)$"
_KILLED_BY = [124, 137, 143, 152, -9, -15, -24]
"""Exit codes of ``timeout``, and of programs that were ended by SIGKILL, SIGTERM or SIGXCPU."""

_OUT_OF_TIME = "|".join(
    [
        r"(^|[^a-z0-9_])timed[ _-]?out\b|^\W*\w*time(d_?)?out(_?(error|exceeded|expired))?\W*$",
        r"(^|[^a-z0-9_])[a-z]*timeout(expired|error|exception)?($|[^a-z0-9_ =:-]|[ :-]+[^0-9 :-])",
        r"(^|[^a-z0-9_])timeout[ :]+[0-9.]+ ?[a-z]* (exceeded|expired|reached)",
        r"time[ _-]?limit|deadline[ _-]?exceeded|wall[ _-]?clock",
        r"\btle\b|took too long|(exceeded|exceeds|after|over) .{0,20}\bseconds?\b.{0,20}(kill|abort|terminat|stop)",
        r"\bkilled (after|by signal|at)\b|(^|: |\n)killed\b|\bsig(kill|term|xcpu)\b|signal (9|15)\b",
    ]
)
"""Lower-case patterns of a program that was ended from outside; the name of a parameter is none."""

_TOLD = r"(^|_)(output|result|state|info|stop)(_|$)"
"""Fields beside the messages in which a harness tells how an evaluation ended."""
_STEP_BEFORE = "coalesce(steps ->> '$[#-{}][0]', '') in ('message', 'reasoning')"
_FAILED_STEP = (
    "case when steps ->> '$[#-{0}][0]' = 'tool_output' and steps ->> '$[#-{0}][4]' = '1' "
    "then coalesce(steps ->> '$[#-{0}][1]', 'a tool') end"
)
STOPPED_AT = f"""case when tool_errors > 0 then coalesce({_FAILED_STEP.format(1)},
    case when {_STEP_BEFORE.format(1)} then coalesce({_FAILED_STEP.format(2)},
        case when {_STEP_BEFORE.format(2)} then {_FAILED_STEP.format(3)} end) end) end"""
"""The tool whose error was the last thing that happened, but for a closing message."""


def _kept_line(field: str) -> str:
    """SQL of the first kept line of a field, null for none."""
    return f"""if(contains(error_lines, '["{field}",'), list_filter(
        from_json(error_lines, '[["varchar"]]'), lambda line: line[1] = '{field}')[1][2], null)"""


_NO_LOGS = (TOOL_ERROR, MET_ERROR, ENVIRONMENT_ERROR, ENVIRONMENT_MET, ENVIRONMENT_ANSWER, FAILED_CHECK)
_OF_NO_LOG = ", ".join(f"'{name}'" for name in _NO_LOGS)
_LOGGED = f"""if(regexp_matches(lower(error_lines), $gave_way), list_filter(
    from_json(error_lines, '[["varchar"]]'), lambda line: line[1] not in ({_OF_NO_LOG})
        and regexp_matches(lower(line[2]), $gave_way) and not regexp_matches(lower(line[2]), $own))[1][1], null)"""
"""The log of a verifier in which a kept line names an environment that gave way."""

BROKEN = """coalesce(steps ->> '$[#-1][3]', '') = 'incomplete'"""
_ERROR_NAMES = r"(^|_)(errors?|exception|failure|reason|message)(_|$)"
_FINISHES = r"^(finish|stop|termination|end|exit|done|halt)_?(reason|cause)$|^(stopped|ended|terminated)_by$"
_STEPS = r"(turns?|steps?|iterations?|rounds?)"
_SPENT = rf"^(num_|n_|total_|used_)?{_STEPS}(_(used|taken|made|done|count))?$"
_ALLOWED = rf"^max_(num_)?{_STEPS}$|^{_STEPS}_?(limit|budget|allowed)$"
_TIME = r"(_?(s|secs?|seconds|ms))?$"
_TIME_SPENT = rf"(^|_)(wall_?(clock_?)?time|wall|duration|elapsed(_time)?|run_?time|execution_time){_TIME}"
_TIME_ALLOWED = rf"^(time_?out|time_limit|max_(time|duration|runtime)){_TIME}"
_FORMATS_OK = r"^(format|format_ok|format_correct|is_valid_format|schema_valid|schema_check_passed|parsed)$"
_FORMATS_BAD = r"parse_failed$|parse_error$|^invalid_format$|^format_error$"

_FIELDS = """
    with fields as (
        select position, field as key, field as leaf, text, type from entered
        union all select position, name, leaf, text, type from nested
    ), kinds as materialized (
        select key, leaf, regexp_matches(key, $error_names) as names_error,
            regexp_matches(leaf, $answers) as names_answer, regexp_matches(leaf, $extracted) as names_found,
            regexp_matches(key, $judges) as names_judge,
            key in ('verifier_error', 'judge_error') as names_verifier,
            regexp_matches(leaf, $finishes) as names_finish,
            regexp_matches(leaf, $told) or regexp_matches(leaf, $messages) as names_text,
            regexp_matches(leaf, $logs) or regexp_matches(leaf, $messages)
                or (regexp_matches(leaf, $outputs) and regexp_matches(key, $of_harness)) as names_log,
            regexp_matches(key, $of_verifier) as of_verifier
        from (select distinct key, leaf from fields)
    ), named as materialized (
        select position, kinds.* replace (names_answer and type <> 'BOOLEAN' as names_answer,
                names_answer and names_found and type <> 'BOOLEAN' as names_found), type, text,
            (names_answer or names_judge) and list_contains($nothing, lower(trim(coalesce(text, '')))) as empty
        from fields join kinds using (key, leaf)
        where names_error or names_answer or names_judge or names_verifier or names_finish
            or ((names_text or names_log) and type = 'VARCHAR')
    )"""

_ASKED = """
    select key, bool_or(names_judge) as judge,
        count(*) filter (passed and not empty) as passed_filled, count(*) filter (passed and empty) as passed_empty,
        count(*) filter (not passed and not empty) as failed_filled,
        count(*) filter (not passed and empty) as failed_empty
    from named join samples using (position)
    where (names_answer or names_judge) and outcome = 'measured' group by key
"""
"""How often each field of an answer or of a judge holds one, in some rows of a run."""

_SIGNALS = f"""{_FIELDS}, asked as (
        [asked]
    ), telling as (
        select key from asked group by key
        having sum(passed_filled) > if(bool_or(judge), $filled, 0)
            and sum(failed_empty) / nullif(sum(failed_filled + failed_empty), 0)
                > 2 * coalesce(sum(passed_empty) / nullif(sum(passed_filled + passed_empty), 0), 0)
            and (not bool_or(judge) or sum(passed_empty) = 0)
    ), entries as (
        select position, entry.key as name, entry.key as key, entry.value as value
        from (select position, unnest(map_entries(numbers)) as entry from samples)
        union all select position, name, leaf, coalesce(try_cast(text as double), try_cast(text as boolean)::double)
        from nested where type not in ('VARCHAR', 'NULL')
    ), names as materialized (
        select name, key, regexp_matches(key, $killed)
                or (regexp_matches(key, $timeout) and not regexp_matches(name, $of_verifier)) as timeout,
            regexp_matches(key, $timeout) and regexp_matches(name, $of_verifier) as verifier_timeout,
            regexp_matches(key, $exit_codes) as exit_code, regexp_matches(name, $of_verifier) as of_verifier,
            regexp_matches(key, $time_spent) as time_spent, regexp_matches(key, $time_allowed) as time_allowed,
            regexp_matches(key, $spent) as spent, regexp_matches(key, $allowed) as allowed,
            regexp_matches(key, '^context_(length|window)') as context,
            regexp_matches(key, '^(memory_limit|out_of_memory)|^oom(_killed)?$') as memory,
            regexp_matches(key, '^truncated$|^max_(turns|steps|iterations?)_reached') as truncated,
            regexp_matches(key, $formats_ok) as format_ok, regexp_matches(key, $formats_bad) as format_bad,
            regexp_matches(key, '^(invalid_judge_response|judge_failed|verifier_failed)$') as judge_bad,
            key in ('patch_exists', 'model_patch_bytes', 'patch_applied', 'patch_successfully_applied', 'apply_failed',
                'no_answer') as answer,
            regexp_matches(key, '^(is_)?(not_attempted|refusal|refused|declined|abstained)$') as refusal
        from (select distinct name, key from entries)
    ), flat as (
        select position, value, names.* from entries join names using (name, key)
        where timeout or verifier_timeout or exit_code or time_spent or time_allowed or spent or allowed or context
            or memory or truncated or format_ok or format_bad or judge_bad or answer or refusal
            or names.key in ('finished_naturally', 'evaluation_completed', 'rollout_ended_on_failed_model_call')
    ), marks as (
        select position,
            coalesce(max(name || '=1') filter (value = 1 and timeout), if(
                max(value) filter (time_spent) >= min(value) filter (time_allowed and value > 1),
                max(name) filter (time_allowed) || ' reached', null)) as timed_out,
            max(name || '=' || try_cast(value as bigint))
                filter (exit_code and not of_verifier and list_contains($killed_by, value)) as killed,
            coalesce(max(key) filter (value = 1 and verifier_timeout), max(name || '=' || try_cast(value as bigint))
                filter (exit_code and of_verifier and list_contains($killed_by, value))) as verifier_ended,
            max(key) filter (value = 1 and context) as context_exceeded,
            max(key) filter (value = 1 and memory) as memory_exceeded,
            coalesce(max(key) filter (value = 1 and truncated), if(
                max(value) filter (spent) >= min(value) filter (allowed and value > 0),
                max(key) filter (allowed) || ' reached', null)) as truncated,
            max(key) filter (value = 0 and key = 'finished_naturally') as unfinished,
            max(key) filter (value = 1 and key = 'no_answer') as no_answer,
            max(key) filter ((value = 0 and format_ok) or (value = 1 and format_bad)) as bad_format,
            max(key) filter (value = 0 and key in ('patch_exists', 'model_patch_bytes')) as patch_missing,
            max(key) filter (value = 1 and key = 'patch_exists') as patch_found,
            max(key) filter ((value = 0 and key in ('patch_applied', 'patch_successfully_applied'))
                or (value = 1 and key = 'apply_failed')) as patch_refused,
            max(key) filter ((value = 0 and key = 'evaluation_completed') or (value = 1 and judge_bad))
                as not_evaluated,
            max(key) filter (value = 1 and refusal) as not_attempted,
            max(key) filter (value = 1 and key = 'rollout_ended_on_failed_model_call') as failed_model_call,
            bool_or(timeout or exit_code or context or truncated or key = 'finished_naturally') as has_limit_field,
            bool_or(answer or format_ok or format_bad) as has_answer_field,
            bool_or(judge_bad or verifier_timeout or key = 'evaluation_completed') as has_verifier_field
        from flat group by position
    ), texts as (
        select position,
            string_agg(text, ' ; ' order by key) filter (names_error and type = 'VARCHAR') as errors,
            max(key) filter (names_verifier and trim(text) <> '') as verifier_error,
            bool_or(names_verifier) as names_verifier_error, min(key) filter (names_answer) as answer_field,
            bool_or(not empty) filter (names_answer) as extracted,
            coalesce(bool_or(not empty) filter (names_found), false) as found,
            min(key) filter (empty and names_found and key in (select key from telling)) as unfound,
            min(key) filter (empty and names_answer and key in (select key from telling)) as unextracted,
            min(key) filter (empty and names_judge and key in (select key from telling)) as unjudged,
            max(lower(text)) filter (names_finish) as finish,
            min(key) filter (names_text and not of_verifier and type = 'VARCHAR'
                and regexp_matches(lower(text), $out_of_time)) as told,
            min(key) filter (names_text and of_verifier and type = 'VARCHAR'
                and regexp_matches(lower(text), $out_of_time)) as verifier_told,
            min(key) filter (names_log and type = 'VARCHAR' and regexp_matches(lower(text), $gave_way)
                and not regexp_matches(lower(text), $own)) as log_gave_way
        from named group by position
    ), read as (
        select samples.* exclude (numbers), texts.* exclude (position),
            {SILENT} as silent, {EMPTY_ANSWER} as empty_answer,
            lower(concat_ws(' ; ', error_text, failure_reason, texts.errors)) as said
        from samples left join texts using (position)
    )
    select read.position, outcome, passed, score,
        outcome = 'measured' and not passed as failed, outcome = 'measured' and passed as passing,
        said, lower(failure_kind) as kind, lower(failure_reason) as reason,
        if(said = '', '', regexp_extract(said, $infrastructure)) as infrastructure_text,
        lower(incomplete_reason) as incomplete, lower(response_status) as status,
        coalesce(read.finish, lower(response ->> 'finish_reason')) as finish,
        output_items as items, coalesce(total_tokens, output_tokens) as tokens, answer_length, tool_calls, tool_errors,
        repeated_calls, similar_calls, repeated_turns, repeated_sentences, edited_tests, patched_files, declines,
        states_expected, {STOPPED_AT} as stopped_at, silent, empty_answer,
        case when {BROKEN} then 'last item=incomplete'
            when tool_calls = 0 and output_tokens = max_output_tokens
            then output_tokens || ' of ' || max_output_tokens || ' output tokens' end as cut_off,
        read.verifier_error, read.answer_field, if(read.unextracted is null, read.unjudged, null) as unjudged,
        coalesce(if(read.found, read.unfound, read.unextracted),
            if(read.answer_field is not null and not coalesce(read.extracted, false), read.answer_field, null))
            as unextracted, if(read.found and read.unfound is null, read.unextracted, null) as unmapped,
            read.told as told_out_of_time,
        [error] as environment_error, [answer] as environment_answer, [met] as environment_met,
        coalesce(read.log_gave_way, [logged]) as log_gave_way,
        coalesce(verifier_ended, read.verifier_told || ' names the time limit') as verifier_timed_out,
        coalesce(marks.has_limit_field, false)
            or coalesce(incomplete_reason, response_status, read.finish, failure_kind, error_text) is not null
            as limits_known,
        coalesce(marks.has_answer_field, false) or coalesce(read.answer_field, patched_files::varchar) is not null
            as answers_known,
        coalesce(marks.has_verifier_field, false) or coalesce(read.names_verifier_error, false) as verifier_known,
        coalesce(output_items, answer_length) is not null as response_known,
        coalesce(marks.patch_missing || '=0', if(patched_files = 0, 'files in the patch=0', null)) as patch_missing,
        marks.* exclude (position, patch_missing, has_limit_field, has_answer_field, has_verifier_field)
    from read left join marks using (position)
"""

_KEPT_LINES = {
    "[error]": _kept_line(ENVIRONMENT_ERROR),
    "[answer]": _kept_line(ENVIRONMENT_ANSWER),
    "[met]": _kept_line(ENVIRONMENT_MET),
    "[logged]": _LOGGED,
}
"""What reads the lines that rows kept, by its place in the statement."""


_OF_TEXTS: dict[str, object] = {
    "out_of_time": _OUT_OF_TIME,
    "infrastructure": INFRASTRUCTURE_TEXT,
    "gave_way": "|".join(GAVE_WAY),
    "own": OWN,
}
"""Patterns that only texts are held against; to compile them takes a third of the time over a small run."""

_FIELDS_WITH_TEXTS = (_ERROR_NAMES, _TOLD, MESSAGE_FIELDS, LOGS, OUTPUTS)


def _has_texts(samples: pa.Table, entered: pa.Table, nested: pa.Table) -> bool:
    """Whether a row has an error's text, a kept line, or a field whose name promises one."""
    if any(samples[name].null_count < samples.num_rows for name in ("error_text", "failure_reason", "error_lines")):
        return True
    names = pa.concat_arrays([pc.unique(column) for column in (entered["field"], nested["name"], nested["leaf"])])
    return any(pc.any(pc.match_substring_regex(names, pattern)).as_py() for pattern in _FIELDS_WITH_TEXTS)


_AT_ONCE = 500_000
"""Rows whose symptoms one statement finds: what DuckDB holds in between takes more than a kilobyte of each."""


def _statement(samples: pa.Table, asked: str) -> str:
    """The statement, with what gives ``asked``; where no row kept a line, DuckDB need not plan how to read them."""
    kept = samples["error_lines"].null_count < samples.num_rows
    statement = _SIGNALS.replace("[asked]", asked)
    for place, sql in _KEPT_LINES.items():
        statement = statement.replace(place, sql if kept else "null::varchar")
    return statement


_COLUMNS = (
    "agent stage task outcome passed score error_text failure_reason failure_kind incomplete_reason response_status "
    "response numbers output_items total_tokens output_tokens answer_length tool_calls tool_errors "
    "repeated_calls similar_calls repeated_turns repeated_sentences edited_tests patched_files declines "
    "states_expected max_output_tokens steps error_lines"
).split()


@while_it_lives
def signals(aligned: pa.Table) -> pa.Table:
    """One row per aligned row, in its order, with ``position``; a mark holds the name of the field that says so."""
    samples = numbered(aligned.select(_COLUMNS))
    entered, nested = verifier_entries(aligned), nested_values(aligned)
    parameters: dict[str, object] = {
        "longest_text": longest_text(samples),
        "timeout": _TIMEOUT,
        "killed": _KILLED,
        "exit_codes": _EXIT_CODES,
        "killed_by": _KILLED_BY,
        "told": _TOLD,
        "finishes": _FINISHES,
        "time_spent": _TIME_SPENT,
        "time_allowed": _TIME_ALLOWED,
        "spent": _SPENT,
        "allowed": _ALLOWED,
        "messages": MESSAGE_FIELDS,
        "nothing": NOTHING_SAID,
        "of_verifier": _OF_VERIFIER,
        "logs": LOGS,
        "outputs": OUTPUTS,
        "of_harness": OF_HARNESS,
        "error_names": _ERROR_NAMES,
        "answers": ANSWER_FIELDS,
        "extracted": FOUND_FIELDS,
        "formats_ok": _FORMATS_OK,
        "formats_bad": _FORMATS_BAD,
        "judges": _JUDGES,
        "filled": _FILLED,
    }
    parameters |= _OF_TEXTS if _has_texts(samples, entered, nested) else dict.fromkeys(_OF_TEXTS, "")
    marks = _in_pieces(parameters, samples, entered, nested)
    of_tasks = {
        "rejected": rejected(samples, entered),
        "missing_input": missing_inputs(samples),
        "missing_dependency": missing_dependencies(samples),
    }
    for name, column in of_tasks.items():
        marks = marks.append_column(name, column)
    return marks


def _in_pieces(parameters: dict[str, object], samples: pa.Table, *fields: pa.Table) -> pa.Table:
    """The marks of all rows, found in pieces of the table where it is large: only ``asked`` speaks of several."""
    entered, nested = fields
    if samples.num_rows <= _AT_ONCE:
        statement = _statement(samples, _ASKED)
        return by_position(query(statement, parameters, samples=samples, entered=entered, nested=nested))
    pieces = [_piece(first, samples, *fields) for first in range(0, samples.num_rows, _AT_ONCE)]
    counting = _FIELDS + _ASKED
    needed = {name: value for name, value in parameters.items() if re.search(rf"\${name}\b", counting)}
    counted = pa.concat_tables(query(counting, needed, **piece) for piece in pieces)
    statement = _statement(samples, "from counted")
    return pa.concat_tables(by_position(query(statement, parameters, counted=counted, **piece)) for piece in pieces)


def _piece(first: int, samples: pa.Table, entered: pa.Table, nested: pa.Table) -> dict[str, pa.Table]:
    """Some rows, and what their fields hold."""
    part = {"samples": samples.slice(first, _AT_ONCE)}
    return part | {name: _of_rows(table, first) for name, table in (("entered", entered), ("nested", nested))}


def _of_rows(fields: pa.Table, first: int) -> pa.Table:
    position = fields["position"]
    return fields.filter(pc.and_(pc.greater_equal(position, first), pc.less(position, first + _AT_ONCE)))


def numbered(table: pa.Table) -> pa.Table:
    """The table with its row numbers as ``position``."""
    return table.append_column("position", row_numbers(table))
