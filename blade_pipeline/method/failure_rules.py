"""The generic failure modes: what a failed rollout shows, most severe first.

A soft rule reads a symptom that rollouts may also survive; it becomes a failure mode of a run only when it is at
least twice as frequent among the failed rollouts as among the passed ones.
"""

from typing import NamedTuple

from blade_pipeline.method.signals import CONTEXT_TEXT

LIFT = 2.0
"""How much more frequent a soft symptom must be among failed rollouts than among passed ones."""

CIRCLES = 3
"""Repeated calls from which a rollout goes in circles; fewer are a retry."""

NEAR_CIRCLES = 5
"""The same for calls that are nearly repeated; fewer are a search."""

ITEMS_OF_A_TURN = 2
"""A message and the answer to it."""

STOPPED = "stopped_at_error"
"""Who stops at an error leaves out what would have come after it, but by choice and not for want of room."""

REPEATED_ERRORS = "tool_errors"
OF_TOOL_ERRORS = frozenset({STOPPED, REPEATED_ERRORS})
"""Modes that say how a rollout took the errors of its tools, and not what these were."""

NO_ANSWER = "no_answer"
"""Gives way to that the rollout declined, where it did."""

MISSING_INPUT = "missing_input"
"""Of a task, not of a rollout: a single rollout may have guessed a wrong name."""

MANY_ERRORS = 3
"""Errors of tools from which they are what the rollout shows, wherever it stops."""

_INFRASTRUCTURE_KINDS = (
    r"^(.*:)?(provider_|transport_|session_|agent_request_failed|infrastructure_error|harbor_failed|kill_shaped"
    r"|cancelled|shutdown|persistence_failed|cohort_incomplete|transient)"
)
_VERIFIER_KINDS = r"^(.*:)?(judge_(invalid|unparseable|error)|verifier_error)"
_NO_JUDGE = r"judge_(failed|unavailable|unreachable|overloaded)$"
_STEP_LIMITS = r"max_?(turn|step|iteration)|(turn|step|iteration).?limit|horizon"
_TOKEN_LIMIT = "(incomplete in ('max_output_tokens', 'length', 'max_tokens') or finish in ('length', 'max_tokens'))"
_CONTENT_FILTER = "(incomplete = 'content_filter' or finish = 'content_filter')"
_OTHER_LIMIT = (
    f"{_TOKEN_LIMIT} is true or {_CONTENT_FILTER} is true or regexp_matches(incomplete, 'context|window') is true"
)


class Rule(NamedTuple):
    """One generic failure mode.

    ``when`` and ``shows`` are SQL over the signals table: whether a row shows it, and the typed evidence in a few
    words. ``place`` says where that evidence was read.
    """

    code: str
    label: str
    family: str  # infrastructure | silent | verifier | limit | answer | behaviour | rejection
    when: str
    rule: str
    root_cause: str | None
    soft: bool
    shows: str
    place: str


RULES = (
    Rule(
        "infrastructure",
        "infrastructure gave way",
        "infrastructure",
        f"infrastructure_text <> '' and not regexp_matches(said, '{CONTEXT_TEXT}') "
        f"or regexp_matches(kind, '{_INFRASTRUCTURE_KINDS}') or failed_model_call is not null",
        "the row's error fields name a service, sandbox, scheduler, network or storage failure",
        "IR",
        False,
        "coalesce(kind, failed_model_call, 'error text names: ' || infrastructure_text)",
        "error fields",
    ),
    Rule(
        "environment_gave_way",
        "the environment gave way, and the work ended there",
        "infrastructure",
        "environment_error is not null or environment_answer is not null",
        "a tool's error that names storage, memory, a network, a service or denied access was not got over, and no "
        "more than 3 calls came after it or none of the tool went well any more; or such an error is the whole final "
        "message",
        "IR",
        True,
        "coalesce('tool error=' || environment_error, 'final message=' || environment_answer)",
        "response",
    ),
    Rule(
        "missing_dependency",
        "needs software that is not installed, as every repeat of the task found",
        "infrastructure",
        "missing_dependency is not null",
        "every measured repeat of a task that never passes ends with one and the same error of a tool, which names a "
        "package, program or library that is not installed",
        "TI",
        True,
        "'tool error=' || missing_dependency",
        "tool output",
    ),
    Rule(
        MISSING_INPUT,
        "looked in vain for a file or table, as every repeat of the task did",
        "infrastructure",
        "missing_input is not null",
        "every measured repeat of a task that never passes ends with one and the same error of a tool, which names a "
        "file, folder or table that is not there",
        "DA",
        True,
        "'tool error=' || missing_input",
        "tool output",
    ),
    Rule(
        "evaluation_gave_way",
        "what the evaluation ran on gave way",
        "infrastructure",
        "log_gave_way is not null",
        "a log or message of the verifier names storage, memory, a network, a container or a service that gave way",
        "IR",
        True,
        "log_gave_way || ' names what gave way'",
        "verifier fields",
    ),
    Rule(
        "no_activity",
        "no activity: the agent never ran",
        "silent",
        "silent and tokens = 0",
        "no output items and zero tokens",
        "IR",
        True,
        "'0 output items and 0 tokens'",
        "response",
    ),
    Rule(
        "judge_failed",
        "the judge could not be reached",
        "verifier",
        f"regexp_matches(kind, '{_NO_JUDGE}') or regexp_matches(reason, '{_NO_JUDGE}')",
        "the row says that the judge's call failed",
        "IR",
        True,
        f"if(coalesce(regexp_matches(kind, '{_NO_JUDGE}'), false), kind, reason)",
        "verifier fields",
    ),
    Rule(
        "verifier_failed",
        "the verifier or judge did not finish",
        "verifier",
        f"verifier_error is not null or verifier_timed_out is not null or not_evaluated is not null "
        f"or unjudged is not null or regexp_matches(kind, '{_VERIFIER_KINDS}')",
        "the row carries a verifier error, an evaluation that did not complete, or an unusable or missing verdict",
        "TI",
        True,
        "coalesce(kind, not_evaluated || if(not_evaluated = 'evaluation_completed', '=0', '=1'), verifier_timed_out, "
        "unjudged || ' is empty', 'verifier_error')",
        "verifier fields",
    ),
    Rule(
        "repeated_calls",
        "went in circles: the same calls with the same answers",
        "behaviour",
        f"repeated_calls >= {CIRCLES} and 3 * repeated_calls >= tool_calls "
        f"or similar_calls >= {NEAR_CIRCLES} and 2 * similar_calls >= tool_calls",
        f"at least {CIRCLES} tool calls, and a third of all, ask what was asked before and get the same answer, or at "
        f"least {NEAR_CIRCLES}, and half of all, nearly so",
        "BI",
        True,
        "if(repeated_calls >= similar_calls, 'repeated calls=' || repeated_calls, 'nearly repeated calls=' || "
        "coalesce(similar_calls, repeated_calls)) || ' of ' || tool_calls",
        "response",
    ),
    Rule(
        "repeated_text",
        "went in circles: the same words again and again",
        "behaviour",
        f"repeated_turns >= {CIRCLES} and {3 * ITEMS_OF_A_TURN} * repeated_turns >= items or repeated_sentences > 0",
        f"at least {CIRCLES} messages of the model, and a third of the dialogue, repeat earlier ones and were answered "
        "the same, or one sentence stands at least 5 times in a text that repeats fill to a third",
        "BI",
        True,
        f"if(repeated_turns >= {CIRCLES}, 'repeated messages=' || repeated_turns, "
        "'one sentence ' || repeated_sentences || ' times')",
        "response",
    ),
    Rule(
        "output_limit",
        "cut at the output token limit",
        "limit",
        _TOKEN_LIMIT,
        "the response stopped at its token limit",
        "BI",
        False,
        "coalesce('incomplete reason=' || incomplete, 'finish reason=' || finish)",
        "response",
    ),
    Rule(
        "context_limit",
        "context window exceeded",
        "limit",
        f"context_exceeded is not null or regexp_matches(incomplete, 'context|window') "
        f"or regexp_matches(said, '{CONTEXT_TEXT}')",
        "a field or error says that the context window was exceeded",
        "BI",
        False,
        "coalesce(context_exceeded || '=1', 'incomplete reason=' || incomplete, 'error text names the context')",
        "response or verifier fields",
    ),
    Rule(
        "cut_off",
        "broke off in the middle",
        "limit",
        "cut_off is not null",
        "the last message is marked as incomplete, or a rollout of one response used up its whole token budget",
        "BI",
        True,
        "cut_off",
        "response",
    ),
    Rule(
        "content_filter",
        "stopped by a content filter",
        "limit",
        _CONTENT_FILTER,
        "the response was stopped by a content filter",
        None,
        False,
        "'content_filter'",
        "response",
    ),
    Rule(
        "timeout",
        "time limit reached, or ended from outside",
        "limit",
        "timed_out is not null or killed is not null or told_out_of_time is not null "
        "or regexp_matches(kind, 'timeout|timed_out')",
        "a field or text says that the time ran out, or an exit code that the program was ended from outside",
        "BI",
        True,
        "coalesce(timed_out, killed, told_out_of_time || ' names the time limit', kind)",
        "verifier fields",
    ),
    Rule(
        "memory_limit",
        "memory limit exceeded",
        "limit",
        "memory_exceeded is not null",
        "a field says that the memory limit was exceeded",
        None,
        True,
        "memory_exceeded || '=1'",
        "verifier fields",
    ),
    Rule(
        "step_limit",
        "cut short by a limit on steps",
        "limit",
        f"truncated is not null or regexp_matches(finish, '{_STEP_LIMITS}') "
        f"or (incomplete is not null or status = 'incomplete') and not ({_OTHER_LIMIT})",
        "the row is marked truncated, at its step limit, or incomplete for no other limit that it names",
        "BI",
        True,
        "coalesce(truncated || if(contains(truncated, ' '), '', '=1'), 'stop reason=' || finish, "
        "'incomplete reason=' || incomplete, 'status=' || status)",
        "response or verifier fields",
    ),
    Rule(
        "unfinished",
        "stopped before finishing",
        "limit",
        "unfinished is not null",
        "a field says that the agent did not finish of its own accord",
        "BI",
        True,
        "unfinished || '=0'",
        "verifier fields",
    ),
    Rule(
        "unread_answer",
        "an answer was given, and none was extracted",
        "answer",
        "unextracted is not null and states_expected is not null and rejected is null",
        "the verifier's extracted answer is empty, though the final text names one",
        None,
        True,
        "unextracted || ' is empty'",
        "verifier fields",
    ),
    Rule(
        NO_ANSWER,
        "no answer could be extracted",
        "answer",
        "(unextracted is not null or no_answer is not null or regexp_matches(said, 'no.answer|not.extract')) "
        "and rejected is null",
        "the verifier's extracted answer is empty, and no right one stands in the final text",
        "BI",
        True,
        "coalesce(unextracted || ' is empty', no_answer || '=1', 'the verifier found no answer')",
        "verifier fields",
    ),
    Rule(
        "unmapped_answer",
        "the answer that was extracted fits no option",
        "answer",
        "unmapped is not null and rejected is null",
        "an answer was extracted, and the field of what it stands for is empty",
        "BI",
        True,
        "unmapped || ' is empty'",
        "verifier fields",
    ),
    Rule(
        "bad_format",
        "answer not in the required format",
        "answer",
        "bad_format is not null "
        "or regexp_matches(said, 'parse.?error|could not parse|(output|format|json).?(is.)?invalid')",
        "the verifier's format or parse check failed, or it calls the output invalid",
        "BI",
        True,
        "coalesce(bad_format, if(regexp_matches(said, 'parse.?error|could not parse'), "
        "'the verifier names a parse error', 'the verifier calls the output or its format invalid'))",
        "verifier fields",
    ),
    Rule(
        "patch_missing",
        "no patch was left",
        "answer",
        "patch_missing is not null",
        "the verifier found no patch, or the row's own patch is empty or only adds notes",
        "BI",
        True,
        "patch_missing",
        "verifier fields",
    ),
    Rule(
        "patch_refused",
        "the patch does not apply",
        "answer",
        "patch_refused is not null",
        "the verifier could not apply the patch",
        "BI",
        True,
        "patch_refused",
        "verifier fields",
    ),
    Rule(
        "empty_answer",
        "the final answer is empty",
        "answer",
        "empty_answer",
        "the last assistant message holds no text, where other rollouts or a run without tools hold one",
        "BI",
        True,
        "'answer characters=0'",
        "response",
    ),
    Rule(
        "not_attempted",
        "declined to answer",
        "answer",
        "not_attempted is not null",
        "the verifier says that no answer was attempted",
        None,
        True,
        "not_attempted || '=1'",
        "verifier fields",
    ),
    Rule(
        STOPPED,
        "stopped after an error of a tool",
        "behaviour",
        f"stopped_at is not null and tool_errors < {MANY_ERRORS}",
        "the last thing that happened was an error of a tool, and nothing more was tried",
        "BI",
        True,
        "'last tool output=error of ' || stopped_at",
        "response",
    ),
    Rule(
        REPEATED_ERRORS,
        "repeated tool errors",
        "behaviour",
        f"tool_errors >= {MANY_ERRORS} or (tool_errors > 0 and tool_errors >= tool_calls)",
        "at least three tool outputs, or all of them, look like errors",
        "BI",
        True,
        "'tool errors=' || tool_errors || ' of ' || tool_calls || ' calls'",
        "response",
    ),
    Rule(
        "right_answer_rejected",
        "a right answer was rejected",
        "rejection",
        "rejected is not null",
        "the answer on record equals, up to notation, the expected one or one that passed in another repeat, or the "
        "final text states the expected one, or a verdict field says yes, or a message sets two notations of one value "
        "against each other",
        "TI",
        True,
        "rejected",
        "verifier fields",
    ),
)
"""In order of severity: of the rules that a failed rollout matches, the first is its primary mode."""

NO_OUTPUT = Rule(
    "no_output",
    "no output recorded",
    "silent",
    "silent and coalesce(tokens, 1) > 0",
    "the response holds no output item, and its token count does not say that the agent never ran",
    None,
    True,
    "'output items=0'",
    "response",
)
"""Comes after the verifier's messages: a row without output may still say why."""

EDITED_TESTS = Rule(
    "edited_tests",
    "changed the tests",
    "behaviour",
    "edited_tests > 0",
    "the rollout's patch, or without a patch an edit, changes a test file that was there before",
    "BI",
    True,
    "'changed test files=' || edited_tests",
    "response",
)
"""Comes after the verifier's messages as well: what it did about the change says more than the change."""

DECLINED = Rule(
    "declined_in_words",
    "declined, or said that it could not",
    "answer",
    "declines",
    "the last assistant message is short and holds words of regret or inability, in whatever language",
    "BI",
    True,
    "'answer characters=' || answer_length",
    "response",
)
"""Known by its words only, of which a list never has all: last, so that it parts no other mode."""

HABITS = (EDITED_TESTS, DECLINED)
"""What right rollouts do now and then as well: a failure mode only where failed ones do it more often beyond chance."""

PARTIAL = Rule(
    "partial_credit",
    "partly right, below the pass threshold",
    "wrong",
    "score > 0",
    "no symptom; the score lies between 0 and the pass threshold",
    None,
    False,
    "'score=' || round(score, 4)",
    "score",
)
WRONG = Rule(
    "wrong_answer",
    "answered, and the verifier said no",
    "wrong",
    "coalesce(items, 0) > 0 or coalesce(answer_length, 0) > 0 or answer_field is not null or patched_files > 0",
    "no symptom; an output is on record",
    None,
    False,
    "'score=' || round(score, 4)",
    "score",
)
UNEXPLAINED = Rule(
    "unexplained",
    "failed, and neither response nor verifier says why",
    "wrong",
    "true",
    "no symptom, no output of the response, and no answer among the verifier's fields",
    None,
    False,
    "'score=' || round(score, 4)",
    "score",
)
FALLBACKS = (PARTIAL, WRONG, UNEXPLAINED)
LATE_RULES = (NO_OUTPUT, EDITED_TESTS, DECLINED, *FALLBACKS)
