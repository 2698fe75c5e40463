"""What the run's artifacts say of one named thing: a failure mode, a phase, a root cause, a metric, a task."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from blade_pipeline.method.verification.acts import Acts
from blade_pipeline.method.verification.against_baseline import Baseline
from blade_pipeline.method.verification.carried import Carried
from blade_pipeline.method.verification.claims import Option, exactly, share
from blade_pipeline.method.verification.disturbed import Disturbed
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.funnels import Funnels
from blade_pipeline.method.verification.graded_gains import GradedGains
from blade_pipeline.method.verification.inventory import Inventory
from blade_pipeline.method.verification.lengths import Lengths
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.records import Pair
from blade_pipeline.method.verification.repeats import Repeats
from blade_pipeline.method.verification.sliced import Sliced
from blade_pipeline.method.verification.truths import Truths
from blade_pipeline.method.verification.within_tasks import WithinTasks
from blade_pipeline.method.verification.without_score import WithoutScore


class Subjects:
    """Looks names up in the truths and in the documents of the diagnosis."""

    def __init__(self, truths: Truths) -> None:
        self.truths = truths
        self.disturbed = Disturbed(truths)
        self.baseline = Baseline(truths.evidence)
        self.without_score = WithoutScore(truths.evidence)
        self.lengths = Lengths(truths.evidence)
        self.acts = Acts(truths.evidence)
        self.graded = GradedGains(truths.evidence)
        self.repeats = Repeats(truths.evidence)
        self.inventory = Inventory(truths.evidence)
        self.within_tasks = WithinTasks(truths.evidence)
        documents = truths.evidence.documents
        self.scores: dict[str, Any] = documents.get("pass_at_k") or {}
        self.funnels = Funnels(truths.evidence)
        self.sliced = Sliced(truths.evidence)
        self._modes = {mode["code"]: mode for mode in (documents.get("failure_modes") or {}).get("modes", [])}
        weak = (documents.get("failure_modes") or {}).get("not_discriminating") or []
        self._symptoms = {symptom["code"]: symptom for symptom in weak}
        causes = documents.get("root_causes") or {}
        self.label_rows: list[dict[str, Any]] = causes.get("labels") or []
        self.labels: dict[str, float] = causes.get("counts") or {}
        self._advice = {entry["label"]: entry for entry in causes.get("recommendations", [])}

    @cached_property
    def carried(self) -> Carried | None:
        """Lost rollouts by the cause that they carry; none where nothing was measured."""
        every = self.truths.ablation
        return Carried(self.truths.evidence, self.label_rows, every) if every is not None else None

    @cached_property
    def lossy_rows(self) -> list[dict[str, Any]]:
        """The labels of tasks that lost a rollout."""
        return [row for row in self.label_rows if row.get("bucket") != "always_pass"]

    @cached_property
    def labels_of(self) -> Mapping[str, list[dict[str, Any]]]:
        """The labels of a task by every name under which a report may cite it."""
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self.label_rows:
            for name in {row["task"], bare(row["task"])}:
                found[name].append(row)
        return found

    def mode_of_failed(self, mode: str) -> Pair | None:
        """Rollouts of a primary mode, of all failed ones."""
        found = self.truths.modes.get(mode)
        whole = self.truths.evidence.modes.num_rows
        return Pair(found[0], whole) if found else Pair(0, whole) if mode in self._modes else None

    def mode_tasks(self, mode: str) -> list[Option]:
        """Tasks with a rollout of a mode."""
        found = self.truths.modes.get(mode)
        return exactly(found[1], f"tasks with {mode}") if found else []

    def mode_in_passed(self, mode: str) -> list[Pair]:
        """Passed rollouts that show a mode too."""
        found = self._modes.get(mode)
        if found is None or found.get("passed_with") is None:
            return []
        return [Pair(found["passed_with"], self.truths.all.passed)]

    def mode_within_tasks(self, mode: str) -> tuple[Pair, Pair] | None:
        """Passed of all rollouts with a mode's symptom, and of those without it, in tasks that hold both."""
        recounted = self.truths.ablation.within_tasks(mode) if self.truths.ablation else None
        found = recounted or (self._modes.get(mode) or {}).get("within_tasks")
        if found is None:
            return None
        return Pair(found["with_passed"], found["with"]), Pair(found["without_passed"], found["without"])

    def is_mode(self, name: str) -> bool:
        """Whether a failure mode has this name."""
        return name in self._modes or name in self.truths.modes

    def is_symptom(self, name: str) -> bool:
        """Whether this is a symptom that passed rollouts show as often, and no failure mode."""
        return name in self._symptoms and not self.is_mode(name)

    def is_secondary(self, name: str) -> bool:
        """Whether some failed rollout has a secondary mode of this name; one that is shown redacted is not known."""
        return self.secondary_in(name).part > 0

    def secondary_in(self, mode: str) -> Pair:
        """Failed rollouts that show a mode beside their primary one, of all failed ones."""
        column = self.truths.evidence.modes["secondary"].to_pylist()
        return Pair(sum(f",{mode}," in f",{others}," for others in column if others), len(column))

    def symptom(self, name: str) -> tuple[Pair, Pair]:
        """Failed and passed rollouts that show a symptom, of all failed and passed ones."""
        found = self._symptoms[name]
        return Pair(found["failed_with"], found["total_failed"]), Pair(found["passed_with"], found["total_passed"])

    @property
    def phases(self) -> dict[str, Pair]:
        """Rollouts that reached each phase, of those that entered it."""
        return self.funnels.whole

    def lost_at(self, phase: str) -> Pair | None:
        """Rollouts lost at a phase, of those that entered it."""
        found = self.phases.get(phase)
        return Pair(found.whole - found.part, found.whole) if found else None

    def label_counts(self, label: str) -> list[Option]:
        """Tasks that carry a root cause, and tasks that its recommendation names."""
        name = f"tasks labelled {label}"
        options = exactly(self.labels.get(label, 0), name) if self.labels else []
        advice = self._advice.get(label)
        return options + (exactly(advice.get("tasks"), name) if advice else [])

    def reasons_of(self, label: str) -> dict[str, dict[str, Any]]:
        """The most frequent reasons for which the rollouts of a root cause were lost, with count and total."""
        return {row["reason"]: row for row in (self._advice.get(label) or {}).get("reasons") or []}

    def pass_at(self, figure: Figure, k: str, kind: str | None = None) -> list[Option]:
        """pass@k; for k = 1 the mean over tasks and the one over rollouts unless ``kind`` says which."""
        number = self._k(k)
        options = share(figure, self.truths.pass_at(number), f"pass@{number}")
        if number != 1:
            return options
        micro = share(figure, self.truths.micro, "pass@1 over rollouts")
        return {"macro": options, "micro": micro}.get(kind or "", options + micro)

    def pass_hat(self, figure: Figure, k: str) -> list[Option]:
        """pass^k."""
        number = self._k(k)
        return share(figure, self.truths.pass_hat(number), f"pass^{number}")

    def metric(self, figure: Figure, name: str) -> list[Option]:
        """A metric by its name in prose or in ``metrics.json``."""
        truths, k = self.truths, self.truths.headline_k
        at, hat, one = truths.pass_at(k), truths.pass_hat(k), truths.pass_at(1)
        if name == "consistency":
            whole = [truths.pass_hat(truths.most_repeats)]
            always = truths.bucket_counts["always_pass"]
            return [
                option
                for value in (hat, *whole, always / max(1, truths.counts["tasks"]))
                for option in share(figure, value, "consistency")
            ]
        if name == "retry value":
            return share(figure, None if at is None or one is None else at - one, "pass@k - pass@1")
        if name == "coverage":
            return self._coverage(figure)
        if name in ("mean reward", "mean score"):
            return [
                option
                for kind, value in truths.mean_reward.items()
                for option in (*share(figure, value, f"mean reward, {kind}"), *exactly(value, f"mean reward, {kind}"))
            ]
        return []

    def intervals(self, metric: str | None = None) -> list[tuple[float, float, str]]:
        """Low and high of every interval and bound, or of one metric's, as percentages."""
        found: list[tuple[float, float, str]] = []
        for source in ("intervals", "bounds"):
            for name, value in (self.scores.get(source) or {}).items():
                if metric is None or name.replace("_these_tasks", "") == metric:
                    found.append(_bounds(value, f"{source} of {name}"))
        for curve in ("pass_at", "pass_hat"):
            for k, value in (self.scores.get(curve) or {}).items():
                if metric is None or metric == f"pass{'@' if curve == 'pass_at' else '^'}{k}":
                    found.append(_bounds(value, f"bounds of {curve} {k}"))
        return [entry for entry in found if entry[0] == entry[0] and entry[1] == entry[1]]

    def _coverage(self, figure: Figure) -> list[Option]:
        counts = self.truths.counts
        if not counts["rollouts"]:
            return []
        pairs = (("completed", "completed of expected"), ("measured", "measured of expected"))
        return [option for name, what in pairs for option in share(figure, counts[name] / counts["rollouts"], what)]

    def _k(self, k: str) -> int:
        return self.truths.headline_k if k == "k" else int(k)


def _bounds(value: dict[str, Any], what: str) -> tuple[float, float, str]:
    low, high = value.get("low"), value.get("high")
    nothing = float("nan")
    return (nothing if low is None else 100 * low, nothing if high is None else 100 * high, what)
