"""The typed records that cross rooms: what a team writes about its benchmarks."""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    field_validator,
    model_validator,
)

from blade_pipeline.errors import BladeError as BladeError
from blade_pipeline.errors import UsageProblem as UsageProblem
from blade_pipeline.rewards import LARGEST

RootCause = Literal["KG", "UK", "BI", "TI", "IR", "DA", "unlabelled"]
LABELS: tuple[RootCause, ...] = get_args(RootCause)
Factor = Literal["model", "harness", "prompt", "sampling", "judge", "tools", "code"]


def _no_boolean(value: Any) -> Any:
    """A number is no boolean, which pydantic would take for 0 or 1."""
    if isinstance(value, bool):
        raise ValueError("must be a number, not true or false (YAML reads yes, no, on and off so)")
    return value


def _averageable(value: float) -> float:
    """A bound that no reward may have would overflow in the sums that it enters."""
    if abs(value) >= LARGEST:
        raise ValueError(f"must be below {LARGEST:g} in size, as every reward")
    return value


_NoBoolean = BeforeValidator(_no_boolean)
Number = Annotated[FiniteFloat, AfterValidator(_averageable), _NoBoolean]


def _term(value: str) -> str:
    """A term shorter than this would be found in every other word."""
    if sum(character.isalnum() for character in value) < _SHORTEST_TERM:
        raise ValueError(f"a private term needs {_SHORTEST_TERM} letters or digits")
    return value


_SHORTEST_TERM = 3
Term = Annotated[str, AfterValidator(_term)]
Shareable = Literal["slices", "phases", "failure_modes", "verifier_messages", "analyst_notes"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _field(means: str, without: str, default: Any = ..., **limits: Any) -> Any:
    """A field with what docs/profiles.md says of it: its meaning, and what holds without it."""
    return Field(default, description=means, json_schema_extra={"without": without}, **limits)


class Phase(_Strict):
    """One step of the workflow funnel."""

    phase: str = Field(min_length=1, description="Name shown in the report.")
    when: str = Field(min_length=1, description="DuckDB boolean expression over the aligned samples.")


class FailureRule(_Strict):
    """A failure mode that a team declares for its benchmark."""

    code: str = Field(min_length=1, description="Short name shown in the report.")
    when: str = Field(min_length=1, description="DuckDB boolean expression over the aligned samples.")
    severity: Annotated[int, _NoBoolean] = Field(description="Of the modes that match, the highest is primary.")
    root_cause: RootCause | None = Field(default=None, description="Label that this mode proposes.")
    note: str | None = None


class Profile(_Strict):
    """What a team declares about one benchmark; every field has a sane default."""

    score: str = _field("numeric field of a row that is the score", "`reward`", "reward")
    reward_range: tuple[Number, Number] | None = _field(
        "lowest and highest valid score; others are unscored, with the reason",
        "any number below 1e100 in size is scored; a larger one is unscored as `too_large`",
        None,
    )
    pass_threshold: Number = _field("a rollout passes at or above this score (tolerance 1e-6)", "1", 1.0)
    higher_is_better: bool = _field(
        "whether more is better; otherwise a rollout passes at or below the threshold", "true", True
    )
    answer_key: str | None = _field(
        "field with the extracted answer, for NeMo Gym's `majority@k` and `no_answer`", "neither is given", None
    )
    slices: tuple[str, ...] = _field(
        "fields by which accounting and NeMo Gym's subset metrics are broken down", "no breakdown", ()
    )
    family_field: str | None = _field(
        "field naming the source that tasks share; see below", "every task is its own family", None
    )
    task_id_field: str | None = _field(
        "field with the dataset's id of a task: labels may name it, and it pairs tasks of two runs whose contents do "
        "not match",
        "`task_id`, `problem_id`, `instance_id` or `id`",
        None,
    )
    expected_repeats: Annotated[int, Field(ge=1), _NoBoolean] | None = _field(
        "planned repeats, where no materialized inputs say it", "the repeats that were seen", None
    )
    funnel: tuple[Phase, ...] = _field("phases of the workflow, each with a condition `when`", "a generic funnel", ())
    failure_modes: tuple[FailureRule, ...] = _field(
        "failure modes with a condition `when`, a `severity` and a proposed `root_cause`", "generic modes", ()
    )
    baseline_run: str | None = _field("run that every other run is compared with", "the run before it in time", None)
    equivalence_margin: Annotated[Number, Field(gt=0, le=1)] = _field(
        "smallest difference that matters, as a share of the range of the score (at most 1), set before the run",
        "0.02",
        0.02,
    )
    varying: Factor = _field("factor under study when two runs are compared", "`model`", "model")
    mixed_models: bool = _field(
        "whether the rows of a run name several models on purpose, as those of a router do; otherwise such a run is "
        "compared with no other",
        "false",
        False,
    )
    min_coverage: Annotated[Number, Field(ge=0, le=1)] | None = _field(
        "smallest measured share at which a score is a result", "any share", None
    )
    fresh_hours: Annotated[Number, Field(gt=0)] | None = _field(
        "hours without a new or changed run after which the benchmark is [overdue](operating.md#expected-runs)",
        "`BLADE_FRESH_HOURS`; without that never",
        None,
    )
    redaction_limits: Annotated[str, Field(min_length=1)] | None = _field(
        "what is known to be withheld or masked in the dataset, in a sentence; stands in the run's properties with its "
        "licence",
        "unknown",
        None,
    )
    private_terms: tuple[Term, ...] = _field(
        "names that no [shareable report](sharing.md) may hold, of three letters or digits and more; found without "
        "regard to case, accents and separators",
        "none",
        (),
    )
    shareable_texts: tuple[Shareable, ...] = _field(
        "texts that a [shareable report](sharing.md) may quote, each scrubbed: `slices`, `phases`, `failure_modes`, "
        "`verifier_messages`, `analyst_notes`",
        "none is quoted",
        (),
    )

    @field_validator("reward_range")
    @classmethod
    def _range_rises(cls, found: tuple[float, float] | None) -> tuple[float, float] | None:
        if found is not None and not found[0] < found[1]:
            raise ValueError("must name the lowest score first and the highest second")
        return found


class Reference(_Strict):
    """A published score to hold a run against."""

    name: str = _field("how reports and `blade triage` call it", "must be there", min_length=1)
    metric: str = _field("the metric that was published", "`pass@1`", "pass@1")
    score: Number = _field("its value", "must be there")
    scale: Literal["fraction", "percent"] = _field("`fraction` or `percent`", "`fraction`", "fraction")
    sample_size: Annotated[int, Field(ge=1), _NoBoolean] | None = _field(
        "tasks that it rests on; gives it an interval of its own", "the reference is taken as exact", None
    )
    source: str | None = _field("where it was published", "unknown", None)
    section: str | None = _field("where in the source", "unknown", None)
    date_read: str | None = _field("day on which somebody read it", "a rough target only", None)
    config: dict[str, str | int | float | bool | None] | None = _field(
        "settings that stand beside it, by the names of the run's properties, such as `temperature` or `judge`",
        "a rough target only",
        None,
    )

    @model_validator(mode="after")
    def _score_fits_its_scale(self) -> "Reference":
        most = 1 if self.scale == "fraction" else 100
        if self.metric.startswith("pass") and not 0 <= self.score <= most:
            raise ValueError(f"{self.score:g} is no {self.scale}; give a score between 0 and {most}, or another scale")
        return self


class AnalystLabel(_Strict):
    """One task's root cause as an analyst read it."""

    task: Annotated[str | int, _NoBoolean] = _field("the task's index, or its id in the dataset", "must be there")
    root_cause: RootCause = _field(
        "`KG`, `UK`, `BI`, `TI`, `IR`, `DA` or `unlabelled` ([what they mean](how-to/labels.md#2-write-what-you-saw))",
        "must be there",
    )
    behaviour: str | None = _field("what the model does, in a sentence", "none", None)
    note: str | None = _field("why the analyst thinks so", "none", None)
    evidence: tuple[str, ...] = _field("ids of the rollouts that show it", "none", ())
    analyst: str | None = _field("who read it", "none", None)

    @field_validator("root_cause", mode="before")
    @classmethod
    def _is_one_label(cls, value: Any) -> Any:
        parts = value if isinstance(value, list) else re.split(r"[^A-Za-z]+", value) if isinstance(value, str) else []
        named = [part for part in parts if part in LABELS]
        if len(named) > 1:
            raise ValueError(
                f"a task has one primary label, not {' and '.join(named)}: write the one that explains most of its "
                f"lost rollouts, such as `root_cause: {named[0]}`, and the other one in `note`"
            )
        return value
