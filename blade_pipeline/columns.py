"""The columns of every table that crosses a room: name, type and meaning, declared once.

The schemas of ``tables``, the columns that Dagster shows and docs/artifacts.md follow from them. Ids are text: the
JSON literal of the value as the file holds it, so that ``7`` and ``"7"`` stay different.
"""

from collections.abc import Mapping

import pyarrow as pa

Columns = Mapping[str, tuple[pa.DataType, str]]
"""Type and meaning by name, in order."""

TEXT, WHOLE, NUMBER, YES_NO = pa.string(), pa.int64(), pa.float64(), pa.bool_()
NUMBERS = pa.map_(TEXT, NUMBER)
"""Numbers by name; booleans are 0 and 1."""


def _from(table: Columns, names: str) -> Columns:
    return {name: table[name] for name in names.split()}


RAW_ROLLOUTS: Columns = {
    "file": (TEXT, "name of the shard, relative to the run directory"),
    "line": (WHOLE, "physical line of the file, from 1"),
    "offset": (WHOLE, "bytes from the start of the file"),
    "length": (WHOLE, "bytes of the line, without the newline"),
    "line_class": (
        TEXT,
        "row, blank, or malformed: torn, glued, invalid_json, invalid_utf8, not_object, placeholder, too_long",
    ),
    "agent": (TEXT, "agent_ref.name; null when the row names none"),
    "server": (TEXT, "_ng_environment_server"),
    "stage": (WHOLE, "stage_index; 0 when absent"),
    "task": (TEXT, "id of the task"),
    "repeat": (TEXT, "id of the repeat, or its rank when the row has none"),
    "indexed": (YES_NO, "whether _ng_task_index and _ng_rollout_index are both there"),
    "attempt": (WHOLE, "_ng_attempt_index; 0 when absent"),
    "rollout_id": (TEXT, "_ng_rollout_id, else <task>-<repeat>"),
    "payload_digest": (TEXT, "digest of the line's bytes; lines with equal ones are one row"),
    "task_digest": (TEXT, "digest of what the task is, from the row's own dataset fields"),
    "prompt_digest": (TEXT, "digest of the user's messages and the expected answer only"),
    "answer_key_digest": (TEXT, "digest of the expected answer alone"),
    "system_digest": (TEXT, "digest of the system prompt"),
    "tools_digest": (TEXT, "digest of the tools offered"),
    "dataset_id": (TEXT, "the dataset's id of the task: task_id, problem_id, instance_id or id"),
    "opening_digest": (TEXT, "digest of the first turn, to which an environment may add others"),
    "system_role": (TEXT, "system, developer or instructions; joined where a prompt has several"),
    "reward": (NUMBER, "a number below 1e100 in size, or null"),
    "reward_status": (
        TEXT,
        "scored, invalid_nan, invalid_inf, invalid_null, invalid_absent, invalid_type or too_large",
    ),
    "masked": (YES_NO, "whether the environment asks not to count the row"),
    "mask_source": (TEXT, "key that carried the mask; ends in ! when its value is no boolean"),
    "failure_kind": (TEXT, "kind of failure that the row itself names"),
    "failure_reason": (TEXT, "its reason, first 200 characters"),
    "error_text": (TEXT, "error fields of the row and the response, first 300 characters"),
    "response_status": (TEXT, "response.status"),
    "incomplete_reason": (TEXT, "response.incomplete_details.reason"),
    "model": (TEXT, "response.model"),
    "temperature": (NUMBER, "as the row echoes it"),
    "top_p": (NUMBER, "as the row echoes it"),
    "max_output_tokens": (WHOLE, "as the row echoes it"),
    "reasoning_effort": (TEXT, "as the row echoes it"),
    "chat_template": (TEXT, "chat-template arguments of the request as JSON, or none"),
    "judge": (TEXT, "the judge's model, where the row names it"),
    "judge_sampling": (TEXT, "sampling of the judge's request that the row holds as JSON, or none"),
    "created_at": (NUMBER, "response.created_at, seconds since 1970"),
    "input_tokens": (WHOLE, "tokens of the prompt"),
    "output_tokens": (WHOLE, "tokens of the response"),
    "total_tokens": (WHOLE, "tokens of both"),
    "reasoning_tokens": (WHOLE, "tokens of the response that are reasoning"),
    "output_items": (WHOLE, "length of response.output; null when there is no response"),
    "tool_calls": (WHOLE, "function calls in response.output"),
    "tool_errors": (WHOLE, "function_call_output items that look like an error"),
    "repeated_calls": (WHOLE, "calls whose tool, arguments and answer occurred before in the rollout"),
    "similar_calls": (WHOLE, "calls of an often called tool that nearly occurred before, with the same short answer"),
    "repeated_turns": (WHOLE, "messages of the assistant that occurred before and were answered the same by a user"),
    "repeated_sentences": (
        WHOLE,
        "times that a text's most frequent sentence stands there, where repeats fill a third",
    ),
    "edited_tests": (WHOLE, "test files that were there before and that the rollout changed"),
    "patched_files": (WHOLE, "files that the rollout's patch changes, bare notes left out; null without a patch"),
    "checked": (YES_NO, "whether tests, a checker or a program run after the last change of a file; null without one"),
    "declines": (YES_NO, "whether the final assistant text is short and politely declines"),
    "states_expected": (YES_NO, "whether the final text states the expected answer; null where it names none"),
    "answer_digest": (TEXT, "digest of the final assistant text"),
    "answer_length": (WHOLE, "characters of the final assistant text"),
    "response_digest": (TEXT, "digest of response.output without ids; equal ones are the same trajectory"),
    "numbers": (NUMBERS, "numeric and boolean top-level fields by name; those with a leading _ left out"),
    "usage": (NUMBERS, "numeric fields of response.usage"),
    "perf": (NUMBERS, "numeric fields of ng_perf; null when the row has none"),
    "verifier": (TEXT, "JSON object of the verifier's fields, bounded"),
    "error_lines": (
        TEXT,
        "JSON list of [field, line]: at most 8 telling lines of logs, 8 errors of tools, 4 got over, 8 failed checks",
    ),
    "response": (TEXT, "JSON object of the response's status fields, bounded"),
    "steps": (TEXT, "JSON list of [kind, name, size, status, error], at most 400 steps"),
}

EXPECTED_ROLLOUTS: Columns = {
    **_from(RAW_ROLLOUTS, "agent server stage task repeat"),
    "order": (WHOLE, "position of the task's first line in the file"),
    **_from(RAW_ROLLOUTS, "task_digest prompt_digest answer_key_digest system_digest tools_digest dataset_id"),
    **_from(RAW_ROLLOUTS, "opening_digest system_role"),
    "temperature": (NUMBER, "as the inputs ask for it"),
    "top_p": (NUMBER, "as the inputs ask for it"),
    "max_output_tokens": (WHOLE, "as the inputs ask for it"),
    "fields": (TEXT, "JSON object of the dataset's scalar fields, bounded"),
    **_from(RAW_ROLLOUTS, "file line"),
    "line_class": (TEXT, "as of raw_rollouts, or profiled: expected by a reward profile"),
}

FAILED_ATTEMPTS: Columns = {
    **_from(RAW_ROLLOUTS, "file line line_class agent stage"),
    "task": (TEXT, "id of the task; null when the row has no key"),
    **_from(RAW_ROLLOUTS, "repeat attempt"),
    "failure_class": (TEXT, "class of the failure as the sidecar names it"),
    "terminal": (YES_NO, "whether no further attempt was made"),
    "failure_type": (TEXT, "type of the error"),
    "http_status": (WHOLE, "status of the answer that failed"),
    "failure_stage": (TEXT, "admission, seed, agent, verification or cleanup"),
    "message_digest": (TEXT, "digest of the error's message"),
    "message": (TEXT, "what the server or harness said, redacted, at most 300 characters"),
    **_from(RAW_ROLLOUTS, "reward masked"),
}

HEALTH_FINDINGS: Columns = {
    **_from(RAW_ROLLOUTS, "stage"),
    "task": (TEXT, "id of the task; null for a finding about the whole run"),
    **_from(RAW_ROLLOUTS, "repeat"),
    "verdict": (TEXT, "healthy, unhealthy or unobserved"),
    "check": (TEXT, "id of the health check; null when the verdict has no finding"),
    "detail": (TEXT, "names and numbers only, bounded"),
    "stale": (TEXT, "why the health files speak of other rows; null when they fit"),
}

ALIGNED_SAMPLES: Columns = {
    "agent": (TEXT, "name of the agent; agent when neither row nor expectation names one"),
    **_from(RAW_ROLLOUTS, "stage task repeat"),
    "rank": (WHOLE, "from 0, among the task's repeats of this agent; without inputs all the agent's"),
    "order": (WHOLE, "rank of the task in the dataset's order"),
    "outcome": (TEXT, "measured, masked, unscored, failed, missing or unexpected"),
    "reason": (TEXT, "reward status, conflict or failure class; null when measured"),
    "expected": (YES_NO, "named by what says what was expected; null when nothing does"),
    "score": (NUMBER, "the profile's score field; null unless measured"),
    "passed": (YES_NO, "whether the score reaches the pass threshold; null unless measured"),
    "score_low": (NUMBER, "lowest score that the rows leave open (conflicts)"),
    "score_high": (NUMBER, "highest score that the rows leave open (conflicts)"),
    "duplicates": (WHOLE, "further lines of this rollout"),
    "attempts": (WHOLE, "failed attempts on record"),
    "recovered": (YES_NO, "has a row and at least one failed attempt"),
    "failure_class": (TEXT, "of the last failed attempt"),
    "failure_terminal": (YES_NO, "whether no attempt followed it"),
    "failure_stage": (TEXT, "where it failed"),
    "failure_status": (WHOLE, "status of the answer that failed"),
    "failure_message": (TEXT, "what was said there, redacted"),
    "health_verdict": (TEXT, "healthy, unhealthy or unobserved"),
    "health_checks": (TEXT, "ids of the health checks that found something, with commas between"),
    "pair_digest": (TEXT, "the best identity of the task's content: task digest of the inputs, else of the row"),
    "stale_inputs": (YES_NO, "the row opens with another prompt than the inputs name under its index"),
    "slices": (TEXT, "JSON object of the profile's slices: field to value as text"),
    "family": (TEXT, "JSON literal of the profile's family_field; null without one"),
    "answer": (TEXT, "JSON literal of the profile's answer_key; null without one"),
    **_from(RAW_ROLLOUTS, "file line offset length server attempt rollout_id task_digest prompt_digest"),
    **_from(RAW_ROLLOUTS, "answer_key_digest opening_digest dataset_id indexed reward reward_status mask_source"),
    **_from(RAW_ROLLOUTS, "failure_kind failure_reason error_text response_status incomplete_reason model temperature"),
    **_from(RAW_ROLLOUTS, "max_output_tokens created_at input_tokens output_tokens total_tokens reasoning_tokens"),
    **_from(RAW_ROLLOUTS, "output_items tool_calls tool_errors repeated_calls similar_calls repeated_turns"),
    **_from(RAW_ROLLOUTS, "repeated_sentences edited_tests patched_files checked declines states_expected"),
    **_from(RAW_ROLLOUTS, "answer_digest answer_length response_digest numbers usage perf verifier error_lines"),
    **_from(RAW_ROLLOUTS, "response steps"),
}

PASS_AT_K: Columns = {
    **_from(ALIGNED_SAMPLES, "agent stage task order"),
    "planned": (WHOLE, "expected repeats of the task"),
    "measured": (WHOLE, "measured repeats, the n of pass@k"),
    "passed": (WHOLE, "passed repeats, the c of pass@k"),
    "score_sum": (NUMBER, "sum of the measured scores"),
    "score_mean": (NUMBER, "their mean"),
    "score_variance": (NUMBER, "their variance (ddof 1); null for fewer than two"),
    "low_sum": (NUMBER, "sum of the scores with every unknown one at its lowest"),
    "high_sum": (NUMBER, "sum of the scores with every unknown one at its highest"),
    **_from(ALIGNED_SAMPLES, "pair_digest prompt_digest answer_key_digest opening_digest dataset_id slices family"),
}

OUTCOME_BUCKETS: Columns = {
    **_from(ALIGNED_SAMPLES, "agent stage task order"),
    "bucket": (TEXT, "always_pass, sometimes_pass, always_fail, indeterminate, missing or masked"),
    "possible": (TEXT, "buckets that are still possible, with | between"),
    "observed": (TEXT, "what the measured rows alone would say"),
    **_from(PASS_AT_K, "planned measured passed"),
    "reason": (TEXT, "why the bucket is open"),
}

FAILURE_MODES: Columns = {
    **_from(ALIGNED_SAMPLES, "agent stage task repeat"),
    "mode": (TEXT, "the primary failure mode; a rollout has one"),
    "secondary": (TEXT, "further modes that match, with commas between"),
    "root_cause": (TEXT, "label that the most severe of these modes with one proposes, or null"),
    "cause_mode": (TEXT, "the mode that proposes it"),
    "right_answer": (TEXT, "how the answer is known to be right all the same, or null"),
    **_from(RAW_ROLLOUTS, "file line"),
}

ROLLOUT_EXCERPTS: Columns = {
    **_from(ALIGNED_SAMPLES, "agent stage task"),
    "side": (TEXT, "passing or failing"),
    **_from(ALIGNED_SAMPLES, "rollout_id repeat score"),
    "stop": (TEXT, "why the response ended, where it says"),
    **_from(RAW_ROLLOUTS, "file line offset"),
    "question": (TEXT, "beginning of the last message that states the task"),
    "steps": (TEXT, "JSON list of [number, kind, name, size, status, error, text], at most 40 steps"),
    "unread": (TEXT, "why the row could not be read; null when it was"),
    "first_difference": (TEXT, "sentence on where the task's two rollouts part; null with one side"),
    "step": (WHOLE, "that step, counted from 1"),
}

PAIRED_TASKS: Columns = {
    **_from(ALIGNED_SAMPLES, "agent stage"),
    "task": (TEXT, "id of the task in this run"),
    "baseline_task": (TEXT, "id of the same task in the baseline"),
    "measured": (WHOLE, "measured repeats in this run"),
    "passed": (WHOLE, "passed repeats in this run"),
    "baseline_measured": (WHOLE, "measured repeats in the baseline"),
    "baseline_passed": (WHOLE, "passed repeats in the baseline"),
    "difference": (NUMBER, "of the shares of passed rollouts; null where a side measured nothing"),
    "score_mean": (NUMBER, "mean score of the task in this run"),
    "baseline_score_mean": (NUMBER, "mean score of the task in the baseline"),
}

PAIRS: Columns = {
    "run_a": (TEXT, "the first run, usually the earlier one"),
    "run_b": (TEXT, "the second run; differences are second minus first"),
    "varying": (TEXT, "the factor under study"),
    "verdict": (TEXT, "verdict of the pair"),
    "headline_check": (TEXT, "id of the check that decided; null where none did"),
    "sentence": (TEXT, "the pair in a sentence"),
    "headline_label": (TEXT, "what the check that decided is called"),
    "common": (WHOLE, "tasks that both runs have"),
    "only_a": (WHOLE, "tasks of the first run alone"),
    "only_b": (WHOLE, "tasks of the second run alone"),
    "metric": (TEXT, "pass@1 or mean score"),
    "tasks": (WHOLE, "tasks measured in both runs"),
    "value": (NUMBER, "mean difference over those tasks"),
    "higher_is_better": (YES_NO, "whether a larger score is better"),
    "low": (NUMBER, "lower end of the difference's interval for new tasks"),
    "high": (NUMBER, "upper end of that interval"),
    "details": (TEXT, "the pair as comparison.json publishes it, without its checks, JSON"),
    "checks": (pa.list_(pa.dictionary(pa.int32(), TEXT)), "each check as JSON, in the order in which they decide"),
}
