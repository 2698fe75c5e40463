"""Which rollouts of the damaged run are lost, and how: fixed numbers of them, chosen regardless of task and outcome."""

from dataclasses import dataclass

from blade_pipeline.example.benchmark import Benchmark, Json
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.plan import Run, Size

SHARES = {"masked": 0.06, "failed": 0.08, "missing": 0.05, "recovered": 0.04}
"""Share of all rollouts per kind of damage, rounded, at least one each while one rollout stays whole."""

Key = tuple[int, int]


@dataclass(frozen=True)
class Failure:
    """A kind of failure as the sidecar shows it; ``attempts`` is how often it was tried before it was given up."""

    failure_class: str
    terminal: bool
    attempts: int
    stage: str
    type: str
    http_status: int | None
    message: str


FAILURES = (
    Failure("agent_request_failed", False, 3, "agent", "ClientResponseError", 503, "the agent server did not answer"),
    Failure("verifier_error", True, 1, "verification", "KeyError", 500, "the verifier found no order table"),
    Failure("environment_server_failed", True, 1, "seed", "RuntimeError", 500, "the shop could not be stocked"),
)
"""Failures in the order in which they are dealt out."""

RECOVERED = FAILURES[0]
"""What the first attempt of a recovered rollout ran into."""


@dataclass(frozen=True)
class Fate:
    """What happens to a rollout: its outcome, and the failure on record, if any."""

    outcome: str = "measured"
    failure: Failure | None = None

    @property
    def recovered(self) -> bool:
        """Whether a failed attempt was followed by a row."""
        return self.outcome == "measured" and self.failure is not None


def plan_damage(size: Size, run: Run) -> dict[Key, Fate]:
    """Fates of the rollouts that are not simply measured; empty for a run without damage."""
    if not run.damaged:
        return {}
    keys = [(task, repeat) for task in range(size.tasks) for repeat in range(size.repeats)]
    order = iter(Draws(size.seed, run.benchmark.name, run.model.name, "damage").shuffled(keys))
    fates: dict[Key, Fate] = {}
    left = len(keys) - 1
    for kind, share in SHARES.items():
        number = min(left, max(1, round(share * len(keys))))
        left -= number
        fates |= {next(order): _fate(kind, n) for n in range(number)}
    return fates


def failure_row(run: Run, key: Key, failure: Failure, attempt: int) -> Json:
    """The sidecar row of one failed attempt."""
    task, repeat = key
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        **({"_ng_attempt_index": attempt} if attempt else {}),
        "agent_ref": run.benchmark.agent,
        "_ng_environment_server": run.benchmark.name,
        "_ng_failure_class": failure.failure_class,
        "_ng_failure_terminal": failure.terminal,
        "_ng_failure_type": failure.type,
        "_ng_failure_message": failure.message,
        "_ng_failure_http_status": failure.http_status,
        "_ng_failure_response_body": "",
        "_ng_failure_stage": failure.stage,
    }


def lost_row(benchmark: Benchmark, row: Json) -> Json:
    """A row whose last model call failed: masked, without its last item, and not verified."""
    error = {"code": "server_error", "message": "The model server closed the call."}
    lost = {"status": "failed", "error": error, "incomplete_details": None, "output": row["response"]["output"][:-1]}
    return row | {
        **benchmark.unverified,
        "response": row["response"] | lost,
        "reward": 0.0,
        "mask_sample": True,
        "failure_kind": "session_lost",
        "failure_reason": "the model server closed the last call",
    }


def _fate(kind: str, n: int) -> Fate:
    if kind == "failed":
        return Fate("failed", FAILURES[n % len(FAILURES)])
    return Fate("measured", RECOVERED) if kind == "recovered" else Fate(kind)
