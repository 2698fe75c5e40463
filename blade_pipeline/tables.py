"""The columns of every table that crosses a room, declared once.

The writer, the reader, the documentation and the tests share these schemas. Ids are text: the JSON literal of
the value as the file holds it, so that ``7`` and ``"7"`` stay different.
"""

import pyarrow as pa

NUMBERS = pa.map_(pa.string(), pa.float64())
"""Top-level numeric and boolean fields of a row by name (booleans as 0 and 1)."""

RAW_ROLLOUTS = pa.schema(
    [
        ("file", pa.string()),  # name of the shard, relative to the run directory
        ("line", pa.int64()),  # 1-based physical line
        ("offset", pa.int64()),  # bytes from the start of the file
        ("length", pa.int64()),  # bytes, without the newline
        ("line_class", pa.string()),  # row | blank, or malformed: torn | glued | invalid_json | invalid_utf8 |
        #                               not_object | placeholder | too_long
        ("agent", pa.string()),  # agent_ref.name, null when the row names none
        ("server", pa.string()),  # _ng_environment_server
        ("stage", pa.int64()),  # stage_index, 0 when absent
        ("task", pa.string()),  # typed id
        ("repeat", pa.string()),  # typed id, or rank when the row has none
        ("indexed", pa.bool_()),  # both _ng_task_index and _ng_rollout_index present
        ("attempt", pa.int64()),  # _ng_attempt_index, 0 when absent
        ("rollout_id", pa.string()),  # _ng_rollout_id, else "<task>-<repeat>"
        ("payload_digest", pa.string()),  # of the line's bytes: equal payloads are one row
        ("task_digest", pa.string()),  # of what the task is, from the row's own dataset fields
        ("prompt_digest", pa.string()),  # of the user's messages and the expected answer only
        ("answer_key_digest", pa.string()),  # of the expected answer alone
        ("system_digest", pa.string()),  # of the system prompt
        ("tools_digest", pa.string()),  # of the tools offered
        ("dataset_id", pa.string()),  # typed: task_id | problem_id | instance_id | id
        ("opening_digest", pa.string()),  # of the first turn, to which an environment may add others
        ("system_role", pa.string()),  # system | developer | instructions, joined where a prompt has several
        ("reward", pa.float64()),  # number below 1e100 in size, or null
        ("reward_status", pa.string()),  # scored | invalid_{nan,inf,null,absent,type} | too_large
        ("masked", pa.bool_()),
        ("mask_source", pa.string()),  # key that carried the mask; ends in "!" when its value is no boolean
        ("failure_kind", pa.string()),
        ("failure_reason", pa.string()),  # first 200 characters
        ("error_text", pa.string()),  # error fields of the row and response, first 300 characters
        ("response_status", pa.string()),
        ("incomplete_reason", pa.string()),  # response.incomplete_details.reason
        ("model", pa.string()),  # response.model
        ("temperature", pa.float64()),  # as echoed in the row; null when null
        ("top_p", pa.float64()),
        ("max_output_tokens", pa.int64()),
        ("reasoning_effort", pa.string()),
        ("chat_template", pa.string()),  # chat-template arguments of the request, JSON, or "none"
        ("judge", pa.string()),  # judge model named in the row, when it is
        ("judge_sampling", pa.string()),  # of the judge's request that the row holds, JSON, or "none"
        ("created_at", pa.float64()),  # response.created_at, seconds since 1970
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("total_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()),
        ("output_items", pa.int64()),  # length of response.output, null when there is no response
        ("tool_calls", pa.int64()),  # function calls in response.output
        ("tool_errors", pa.int64()),  # function_call_output items that look like an error
        ("repeated_calls", pa.int64()),  # calls whose tool, arguments and answer occurred before in the rollout
        ("answer_digest", pa.string()),  # of the final assistant text
        ("answer_length", pa.int64()),  # characters of the final assistant text
        ("response_digest", pa.string()),  # of response.output without ids: equal means the same trajectory
        ("numbers", NUMBERS),  # numeric and boolean top-level fields; keys with a leading "_" left out
        ("usage", NUMBERS),  # numeric fields of response.usage
        ("perf", NUMBERS),  # numeric fields of ng_perf; null when the row has none
        ("verifier", pa.string()),  # JSON object of the verifier's fields, bounded
        ("response", pa.string()),  # JSON object of the response's status fields, bounded
        ("steps", pa.string()),  # JSON list of [kind, name, size, status, error], at most 400 steps
    ]
)

EXPECTED_ROLLOUTS = pa.schema(
    [
        ("agent", pa.string()),
        ("server", pa.string()),
        ("stage", pa.int64()),
        ("task", pa.string()),
        ("repeat", pa.string()),
        ("order", pa.int64()),  # position of the task's first line in the file
        ("task_digest", pa.string()),
        ("prompt_digest", pa.string()),
        ("answer_key_digest", pa.string()),
        ("system_digest", pa.string()),
        ("tools_digest", pa.string()),
        ("dataset_id", pa.string()),
        ("opening_digest", pa.string()),
        ("system_role", pa.string()),
        ("temperature", pa.float64()),
        ("top_p", pa.float64()),
        ("max_output_tokens", pa.int64()),
        ("fields", pa.string()),  # JSON object of the dataset's scalar fields, bounded
        ("file", pa.string()),  # relative to the run directory
        ("line", pa.int64()),
        ("line_class", pa.string()),  # as of RAW_ROLLOUTS, or profiled: expected by a reward profile
    ]
)

FAILED_ATTEMPTS = pa.schema(
    [
        ("file", pa.string()),  # relative to the run directory
        ("line", pa.int64()),
        ("line_class", pa.string()),
        ("agent", pa.string()),
        ("stage", pa.int64()),
        ("task", pa.string()),  # null when the row has no key
        ("repeat", pa.string()),
        ("attempt", pa.int64()),
        ("failure_class", pa.string()),
        ("terminal", pa.bool_()),
        ("failure_type", pa.string()),
        ("http_status", pa.int64()),
        ("failure_stage", pa.string()),  # admission | seed | agent | verification | cleanup
        ("message_digest", pa.string()),
        ("reward", pa.float64()),
        ("masked", pa.bool_()),
    ]
)

HEALTH_FINDINGS = pa.schema(
    [
        ("stage", pa.int64()),
        ("task", pa.string()),  # null for a finding about the whole run
        ("repeat", pa.string()),
        ("verdict", pa.string()),  # healthy | unhealthy | unobserved
        ("check", pa.string()),  # null when the verdict has no finding
        ("detail", pa.string()),  # names and numbers only, bounded
        ("stale", pa.string()),  # why the health files speak of other rows; null when they fit
    ]
)

ALIGNED_SAMPLES = pa.schema(
    [
        ("agent", pa.string()),  # "agent" when neither row nor expectation names one
        ("stage", pa.int64()),
        ("task", pa.string()),
        ("repeat", pa.string()),
        (
            "rank",
            pa.int64(),
        ),  # 0-based, among the task's repeats of this agent; without inputs all the agent's
        ("order", pa.int64()),  # rank of the task in the dataset's order
        ("outcome", pa.string()),  # measured | masked | unscored | failed | missing | unexpected
        ("reason", pa.string()),  # reward status, "conflict", failure class; null when measured
        ("expected", pa.bool_()),  # named by what says what was expected; null when nothing does
        ("score", pa.float64()),  # the profile's score field; null unless measured
        ("passed", pa.bool_()),  # score reaches the pass threshold; null unless measured
        ("score_low", pa.float64()),  # bounds of the score where the rows leave it open (conflicts)
        ("score_high", pa.float64()),
        ("duplicates", pa.int64()),  # further lines with this identity
        ("attempts", pa.int64()),  # failed attempts on record
        ("recovered", pa.bool_()),  # has a row and at least one failed attempt
        ("failure_class", pa.string()),
        ("failure_terminal", pa.bool_()),
        ("failure_stage", pa.string()),
        ("health_verdict", pa.string()),
        ("health_checks", pa.string()),  # comma-separated check ids
        ("pair_digest", pa.string()),  # the best content identity known: task digest of the inputs, else of the row
        ("stale_inputs", pa.bool_()),  # the row opens with another prompt than the inputs name under its index
        ("slices", pa.string()),  # JSON object: slice field -> value as text
        ("family", pa.string()),  # JSON literal of the profile's family_field; null without one
        ("answer", pa.string()),  # JSON literal of the profile's answer_key; null without one
    ]
    + [
        RAW_ROLLOUTS.field(name)
        for name in (
            "file line offset length server attempt rollout_id task_digest prompt_digest answer_key_digest "
            "opening_digest dataset_id indexed reward reward_status mask_source failure_kind failure_reason error_text "
            "response_status incomplete_reason model temperature max_output_tokens created_at input_tokens "
            "output_tokens total_tokens reasoning_tokens output_items tool_calls tool_errors repeated_calls "
            "answer_digest answer_length response_digest numbers usage perf verifier response steps"
        ).split()
    ]
)

PASS_AT_K = pa.schema(
    [
        ("agent", pa.string()),
        ("stage", pa.int64()),
        ("task", pa.string()),
        ("order", pa.int64()),
        ("planned", pa.int64()),  # repeats expected
        ("measured", pa.int64()),  # n
        ("passed", pa.int64()),  # c
        ("score_sum", pa.float64()),
        ("score_mean", pa.float64()),
        ("score_variance", pa.float64()),  # ddof 1, null for fewer than two
        ("low_sum", pa.float64()),  # score sum with every unknown at its lowest
        ("high_sum", pa.float64()),
        ("pair_digest", pa.string()),
        ("prompt_digest", pa.string()),
        ("answer_key_digest", pa.string()),
        ("opening_digest", pa.string()),
        ("dataset_id", pa.string()),
        ("slices", pa.string()),
        ("family", pa.string()),
    ]
)

OUTCOME_BUCKETS = pa.schema(
    [
        ("agent", pa.string()),
        ("stage", pa.int64()),
        ("task", pa.string()),
        ("order", pa.int64()),
        ("bucket", pa.string()),  # always_pass | sometimes_pass | always_fail | indeterminate | missing | masked
        ("possible", pa.string()),  # buckets still possible, joined by "|"
        ("observed", pa.string()),  # what the measured rows alone would say
        ("planned", pa.int64()),
        ("measured", pa.int64()),
        ("passed", pa.int64()),
        ("reason", pa.string()),
    ]
)

FAILURE_MODES = pa.schema(
    [
        ("agent", pa.string()),
        ("stage", pa.int64()),
        ("task", pa.string()),
        ("repeat", pa.string()),
        ("mode", pa.string()),  # primary, exclusive
        ("secondary", pa.string()),  # comma-separated further modes
        ("root_cause", pa.string()),  # label the rule proposes, or null
        ("file", pa.string()),
        ("line", pa.int64()),
    ]
)

ROLLOUT_EXCERPTS = pa.schema(
    [
        ("agent", pa.string()),
        ("stage", pa.int64()),
        ("task", pa.string()),
        ("side", pa.string()),  # passing | failing
        ("rollout_id", pa.string()),
        ("repeat", pa.string()),
        ("score", pa.float64()),
        ("stop", pa.string()),  # why the response ended, where it says
        ("file", pa.string()),
        ("line", pa.int64()),
        ("offset", pa.int64()),
        ("question", pa.string()),  # beginning of the last message that states the task
        ("steps", pa.string()),  # JSON list of [number, kind, name, size, status, error, text], at most 40 steps
        ("unread", pa.string()),  # why the row could not be read; null when it was
        ("first_difference", pa.string()),  # sentence on where the task's two rollouts part; null with one side
        ("step", pa.int64()),  # that step, counted from 1
    ]
)
"""Rollouts that reports lay side by side, at most two per task, bounded and redacted."""

PAIRED_TASKS = pa.schema(
    [
        ("agent", pa.string()),
        ("stage", pa.int64()),
        ("task", pa.string()),  # in the run compared
        ("baseline_task", pa.string()),
        ("measured", pa.int64()),
        ("passed", pa.int64()),
        ("baseline_measured", pa.int64()),
        ("baseline_passed", pa.int64()),
        ("difference", pa.float64()),  # of the shares of passed rollouts; null where a side measured nothing
    ]
)
"""Tasks that a run has in common with its baseline."""
