"""Which kinds of fields a row offers, decided once per set of keys: rows of one file share theirs."""

import re
from functools import lru_cache
from typing import NamedTuple

from blade_pipeline.gym.logs import is_log

ANSWER_FIELDS = (
    "expected_answer",
    "expected_answers",
    "ground_truth",
    "reference_answer",
    "gold_answer",
    "golden_answer",
    "target",
    "answer",
)
"""Fields that hold the expected answer; the first one with a value counts."""

PROMPT_FIELDS = ("question", "problem", "prompt", "instruction", "query", "text", "sql_prompt", "original_problem")
"""Fields that state the task where the request holds no messages."""

ID_FIELDS = ("_ng_task_id", "task_id", "problem_id", "instance_id", "id")
"""Fields that hold the dataset's id of a task; the first one with a value counts."""

DESCRIPTIONS = tuple(
    "category subcategory difficulty domain subject language level split subset source dataset dataset_name "
    "answer_type answer_format choices options reference_solution label".split()
)
"""Fields that describe a task without telling it from others."""

_OTHER_IDS = tuple(
    "uuid uid question_id sample_id example_id case_id scenario_id source_id provenance_id row_id task_name "
    "reference".split()
)
_UNECHOED_IDS = frozenset({"_ng_task_id", "verifier_metadata"})
_ECHOED = frozenset({*ANSWER_FIELDS, *PROMPT_FIELDS, *ID_FIELDS[1:], *DESCRIPTIONS, *_OTHER_IDS})

_NEVER_TASK = frozenset(
    "responses_create_params agent_ref task_source skills_ref task_input seed seeds index idx task_index rollout_index "
    "row_index line_number model model_name temperature top_p top_k max_tokens max_output_tokens tools system_prompt "
    "system num_repeats agent agent_name server reasoning reasoning_effort".split()
)
_PATH_KEY = re.compile(r"(?:^|_)(?:f?paths?|file_?paths?|dirs?|directory|directories)$")

_NOT_SCORES = frozenset({"reward", "mask_sample"})
_NOT_VERIFIER = frozenset(
    "response responses_create_params agent_ref task_source skills_ref ng_perf ng_trajectory "
    "ng_agent_observations ng_model_call_capture".split()
)
_TRANSCRIPTS = frozenset(
    "prompt question problem instruction instructions query text input inputs messages conversation generation "
    "output outputs completion transcript trajectory model_output extracted_model_output judged_response_text "
    "original_problem translation reference_solution rubric golden_patch_output all_attempts model_patch".split()
)
_TRANSCRIPT_ENDINGS = re.compile(r"_(?:prompt|question|response|response_text|text|output|generation|messages|stdout)$")

ERROR_FIELDS = tuple(
    "error error_message error_type error_class error_kind error_mode exception exception_type exception_message "
    "agent_error agent_error_kind agent_error_message evaluation_error verifier_error judge_error".split()
)
_JUDGES_TEXT = re.compile(r"^(?:judge|grader|evaluator|scorer)_(?:text|output|response|message|reason|explanation)$")
_JUDGES_VERDICT = re.compile(
    r"^(?:judge|grader|evaluator|scorer)_(?:rating|score|verdict|label|grade|decision|result|judge?ment|correct)$"
)
PATCHES = re.compile(
    r"^(model|agent|git|generated|predicted|prediction|final|submitted|candidate|output)_?(patch|diff)$"
)

JUDGE_FIELDS = ("judge_model", "judge_model_name", "judge", "judge_evaluations", "judge_evaluation", "judge_response")


class Shape(NamedTuple):
    """Names of a row's fields by use, each in the order in which they are asked.

    ``echoed`` are the dataset fields that verifiers are known to echo into a rollout row, and ``unechoed_ids`` says
    whether other fields may hold the dataset's id; ``verifier`` are
    the fields a benchmark's expressions may use, ``transcripts`` those that may hold a prompt, an answer or a
    transcript, of which only numbers are kept; ``results`` may hold what a test or build printed, ``logs`` those of
    them that their names say do, ``patches`` the change that a rollout made. ``present`` are all.
    """

    echoed: tuple[str, ...]
    answers: tuple[str, ...]
    prompts: tuple[str, ...]
    ids: tuple[str, ...]
    unechoed_ids: bool
    errors: tuple[str, ...]
    judges: tuple[str, ...]
    judge_texts: tuple[str, ...]
    judge_verdicts: tuple[str, ...]
    verifier: tuple[str, ...]
    transcripts: tuple[str, ...]
    results: tuple[str, ...]
    logs: tuple[str, ...]
    patches: tuple[str, ...]
    present: frozenset[str]


@lru_cache(maxsize=1024)
def shape_of(keys: tuple[str, ...]) -> Shape:
    """Uses of these keys of a row."""
    present = frozenset(keys)
    scores = [name for name in keys if name[:1] != "_" and name not in _NOT_SCORES]
    results = [name for name in scores if name not in _NOT_VERIFIER and name not in _TRANSCRIPTS]
    return Shape(
        echoed=tuple(sorted(_ECHOED & present)),
        answers=tuple(name for name in ANSWER_FIELDS if name in present),
        prompts=tuple(name for name in PROMPT_FIELDS if name in present),
        ids=tuple(name for name in ID_FIELDS if name in present),
        unechoed_ids=not _UNECHOED_IDS.isdisjoint(present),
        errors=tuple(name for name in ERROR_FIELDS if name in present),
        judges=tuple(name for name in JUDGE_FIELDS if name in present),
        judge_texts=tuple(name for name in keys if _JUDGES_TEXT.match(name)),
        judge_verdicts=tuple(name for name in keys if _JUDGES_VERDICT.match(name)),
        verifier=tuple(name for name in scores if not is_transcript(name)),
        transcripts=tuple(name for name in scores if is_transcript(name)),
        results=tuple(results),
        logs=tuple(filter(is_log, results)),
        patches=tuple(name for name in keys if PATCHES.match(name)),
        present=present,
    )


@lru_cache(maxsize=4096)
def is_transcript(name: str) -> bool:
    """Whether a field's name says that it may hold a prompt, an answer or a transcript."""
    return name in _NOT_VERIFIER or name in _TRANSCRIPTS or _TRANSCRIPT_ENDINGS.search(name) is not None


@lru_cache(maxsize=4096)
def is_task_field(name: str) -> bool:
    """Whether a top-level field of a dataset row says what the task is, not how it is run or where it lies."""
    return name not in _NEVER_TASK and name[:1] != "_" and not is_path(name)


@lru_cache(maxsize=4096)
def is_path(name: str) -> bool:
    """Whether a field's name says that it holds a path."""
    return _PATH_KEY.search(name) is not None
