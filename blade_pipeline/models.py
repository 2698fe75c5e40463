"""The typed records that cross rooms: what a team writes about its benchmarks."""

from typing import Annotated, Any, Literal

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

RootCause = Literal["KG", "UK", "BI", "TI", "IR", "DA", "unlabelled"]
Factor = Literal["model", "harness", "prompt", "sampling", "judge", "tools", "code"]


def _no_boolean(value: Any) -> Any:
    """A number is no boolean, which pydantic would take for 0 or 1."""
    if isinstance(value, bool):
        raise ValueError("must be a number, not true or false (YAML reads yes, no, on and off so)")
    return value


_NoBoolean = BeforeValidator(_no_boolean)
Number = Annotated[FiniteFloat, _NoBoolean]


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

    score: str = Field(default="reward", description="Numeric field of the row that is the score.")
    reward_range: tuple[Number, Number] | None = Field(
        default=None, description="Lowest and highest valid score; without it any finite value is scored."
    )
    pass_threshold: Number = Field(default=1.0, description="A rollout passes at or above this score (tolerance 1e-6).")
    higher_is_better: bool = True
    answer_key: str | None = Field(default=None, description="Field with the extracted answer, for majority@k.")
    slices: tuple[str, ...] = Field(default=(), description="Fields by which results are broken down.")
    family_field: str | None = Field(default=None, description="Field naming tasks that share a source (clusters).")
    task_id_field: str | None = Field(default=None, description="Field with the dataset's id of a task.")
    expected_repeats: Annotated[int, Field(ge=1), _NoBoolean] | None = None
    funnel: tuple[Phase, ...] = ()
    failure_modes: tuple[FailureRule, ...] = ()
    baseline_run: str | None = Field(default=None, description="Run that every other run is compared with.")
    equivalence_margin: Annotated[Number, Field(gt=0, le=1)] = Field(
        default=0.02,
        description="Smallest difference that matters, as a share of the range of the score, fixed before the run.",
    )
    varying: Factor = Field(default="model", description="The factor under study when two runs are compared.")
    mixed_models: bool = Field(
        default=False, description="The rows of a run name several models on purpose, such as those of a router."
    )
    min_coverage: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        default=None, description="Smallest measured share at which a score counts as a result."
    )
    redaction_limits: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="What is known to be withheld or masked in the dataset."
    )
    private_terms: tuple[Term, ...] = Field(default=(), description="Names that no shareable report may hold.")
    shareable_texts: tuple[Shareable, ...] = Field(
        default=(), description="Texts that a shareable report may quote, each scrubbed."
    )

    @field_validator("reward_range")
    @classmethod
    def _range_rises(cls, found: tuple[float, float] | None) -> tuple[float, float] | None:
        if found is not None and not found[0] < found[1]:
            raise ValueError("must name the lowest score first and the highest second")
        return found


class Reference(_Strict):
    """A published score to hold a run against."""

    name: str = Field(min_length=1)
    metric: str = "pass@1"
    score: Number
    scale: Literal["fraction", "percent"] = "fraction"
    sample_size: Annotated[int, Field(ge=1), _NoBoolean] | None = None
    source: str | None = None
    section: str | None = None
    date_read: str | None = None
    config: dict[str, str | int | float | bool | None] | None = None

    @model_validator(mode="after")
    def _score_fits_its_scale(self) -> "Reference":
        most = 1 if self.scale == "fraction" else 100
        if self.metric.startswith("pass") and not 0 <= self.score <= most:
            raise ValueError(f"{self.score:g} is no {self.scale}; give a score between 0 and {most}, or another scale")
        return self


class AnalystLabel(_Strict):
    """One task's root cause as an analyst read it."""

    task: Annotated[str | int, _NoBoolean]
    root_cause: RootCause
    behaviour: str | None = None
    note: str | None = None
    evidence: tuple[str, ...] = ()
    analyst: str | None = None
