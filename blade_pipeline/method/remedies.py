"""What to do about lost rollouts of one reason: the first step that would settle or mend it."""

import re

from blade_pipeline.method.rejected import IN_FINAL_TEXT, SAYS_YES, TO_THE_LETTER, UP_TO_NOTATION

_NAMES_FAULT = re.compile(r"^(agent_)?error|:.*(error|exception|crash)")
"""Messages that speak of an error rather than of an answer; an evaluation that failed may have said no."""

_LIMIT = (
    "run these tasks again with a higher limit; if they then pass, the limit is too low, else the model comes to no end"
)
_FORMAT = (
    "lay one answer beside what the prompt asks for and the verifier reads: state the form in the prompt, or let the "
    "verifier read this one"
)
_DECLINED = "decide whether declining is right on these tasks; if not, ask for an answer in any case"
_NO_REWARD = "find out why no valid reward was written, then score the stored outputs again"

REMEDIES = {
    "infrastructure": "find the service that the rows' error fields name, mend it and rerun these rollouts",
    "environment_gave_way": "mend what the tool ran into, such as a full disk, a service that is down or access "
    "that is denied, then rerun these rollouts",
    "missing_input": "look whether the file that the error names is in the task's sandbox and stands in its prompt by "
    "that name; put it there or correct the name, then run these tasks again",
    "missing_dependency": "look whether the task is meant to run without what the error names; if not, put it into the "
    "image of the sandbox, then run these tasks again",
    "evaluation_gave_way": "mend what the evaluation ran into, such as too little memory or a service that is down, "
    "then score the stored outputs again",
    "no_activity": "look up in the harness's log why the agent never ran, then rerun these rollouts",
    "verifier_failed": "run the verifier alone on one of these outputs; until it finishes, their scores say nothing of "
    "the model",
    "judge_failed": "check the judge's address, quota and time limit, then judge the stored outputs again",
    "repeated_calls": "read what the repeated call is answered: say there what to do instead, or stop the loop",
    "repeated_text": "read what is said again and again, and what it is answered; ask for another way, or stop it",
    "output_limit": _LIMIT,
    "context_limit": "run these tasks again with a larger context or shorter tool outputs, and see whether they pass",
    "cut_off": _LIMIT,
    "content_filter": "read what the filter stopped, and decide whether it should",
    "timeout": "read what the time went into: where something is waited for (a package, a download, a service), mend "
    "that; where the work goes on, run these tasks again with a higher limit and see whether they pass",
    "memory_limit": "run these tasks again with more memory; if they still fail, read what fills it",
    "step_limit": _LIMIT,
    "unfinished": "read the last steps: what made the agent stop there",
    "unread_answer": _FORMAT,
    "no_answer": _FORMAT,
    "unmapped_answer": _FORMAT,
    "bad_format": _FORMAT,
    "patch_missing": "read the last steps: was there no change, or was it not left where the verifier looks",
    "patch_refused": "apply one of these patches by hand to see what it does not fit",
    "empty_answer": "see whether the answer stands in the reasoning or in a tool call; ask for it in the last message",
    "not_attempted": _DECLINED,
    "declined_in_words": _DECLINED,
    "edited_tests": "read one of these changes; keep the tests out of reach, or score against the original ones",
    "stopped_at_error": "read the error; say in it or in the prompt what to do next, and reward a further attempt",
    "tool_errors": "read the errors: let the tool say what is wrong with the call, or show a right one in the prompt",
    "right_answer_rejected": "let the verifier accept these answers, or correct the expected ones, and score again",
    "no_output": "find out whether the responses never came or were not stored; nothing else can be said of these rows",
    "partial_credit": "decide from which score on a rollout passes (`pass_threshold` of the benchmark's profile), or "
    "go by the mean score",
    "unexplained": "let the rows keep the response and the verifier its reasons; as they are, nobody can read why",
    "agent_run_error": "read what their last attempts say: mend the request where it was refused, else the service "
    "that answered, then run them again",
    "no row": "find out from the run's log why these rollouts left neither a row nor a failure, then run them",
    "conflict": "decide which row of each rollout counts and take the others out",
    "masked": "read why the environment masked them; what it excludes by mistake can be scored again",
}
"""By the code of a failure mode, or by why a rollout has no score."""

_OF_RIGHT_ANSWERS = (
    (
        TO_THE_LETTER,
        "the answers are equal to the letter: find out what else decides the score, mend it, and score again",
    ),
    (UP_TO_NOTATION, "let the verifier accept this notation, or correct the expected answer, and score again"),
    (IN_FINAL_TEXT, "the final text states the right answer: let the verifier read it there, and score again"),
    (SAYS_YES, "one field says yes and the score no: find out which of them is wrong, and score again"),
)
"""By the words that end how a rejected answer is known to be right."""

AGAIN = (
    "run every task at least 4 times and read one answer of each: a single rollout cannot tell missing knowledge from "
    "unreliable knowledge"
)
BESIDE = (
    "lay a passing and a failing rollout of one task side by side: what the failing one lacks is what to ask for "
    "or to train on"
)
SAME_OUTPUT = "same output, both verdicts"
"""The rule of tasks of which one and the same output was scored as pass and as fail."""

SCORE_TWICE = (
    "score one of these outputs several times: one and the same output was given both verdicts, so what else the "
    "verifier goes by is to be found and mended"
)
COMPARE = "read one answer of each task beside the expected one, to tell a wrong answer from a wrong verifier"
LEAVES_OUT = "leaves out "
"""Begins the reason of a rollout without a symptom that left out a tool which passing ones call."""

CALL_IT = "read where passing rollouts of the same tasks call the tool; then ask for that call, or reward it"
FAULT = (
    "find where this error arises: in the harness or verifier it asks for a repair and a rerun, in what the model "
    "wrote for another form of it"
)
OF_A_TOOL = "read what the tool ran into and what the rollout did next: mend the cause, or reward another attempt"
MET = (
    "read what the tool ran into and what these rollouts did instead: the error goes with failing, which does not say "
    "that it is the cause"
)
RIGHT_BESIDE = (
    "read one of these rollouts beside the verifier's rule: their answers are right {}, and it turns them away for "
    "another reason; decide whether it should"
)
MESSAGE = "read one of these rollouts beside the verifier's rule, to tell whether the model or the rule is at fault"


def remedy(reason: str, *, repeated: bool, mixed: bool, right: str | None = None) -> str | None:
    """A clause on what to do about rollouts lost to a reason; null where nothing more is known than the reason.

    Args:
        reason: code of the failure mode, a failure class, or the status of a missing score.
        repeated: whether any task was planned more than once.
        mixed: whether any of the tasks also passes.
        right: how most of the rollouts' answers are known to be right, null where they are not.
    """
    if right is not None and reason == "right_answer_rejected":
        return next((told for ending, told in _OF_RIGHT_ANSWERS if right.endswith(ending)), REMEDIES[reason])
    if right is not None and ":" in reason:
        return RIGHT_BESIDE.format(TO_THE_LETTER if right.endswith(TO_THE_LETTER) else UP_TO_NOTATION)
    if reason == "wrong_answer":
        return BESIDE if mixed else COMPARE if repeated else AGAIN
    if reason.startswith(LEAVES_OUT):
        return CALL_IT
    if reason.startswith("invalid_"):
        return _NO_REWARD
    if reason.startswith("tool_error:"):
        return OF_A_TOOL
    if reason.startswith("met_error:"):
        return MET
    if ":" in reason and reason not in REMEDIES:
        return FAULT if _NAMES_FAULT.search(reason) else MESSAGE
    return REMEDIES.get(reason)
