"""What the two example benchmarks have in common: tasks, answers, and the settings of a benchmark."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blade_pipeline.example.draws import Draws

Json = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """One task: its index, its base chance of success at skill 0, and its content.

    ``fields`` are the dataset's columns, ``question`` is what the user asks, ``facts`` is what only the process
    knows and no file shows.
    """

    index: int
    base: float
    category: str
    question: str
    fields: Json
    facts: Json


@dataclass(frozen=True)
class Answer:
    """What a model did on a task and what the verifier said: output items, verifier fields and counts.

    ``incomplete`` is the reason of a truncated response, ``thinking`` counts reasoning tokens that no item shows.
    """

    output: list[Json]
    verifier: Json
    turns: int = 1
    incomplete: str | None = None
    thinking: int = 0


@dataclass(frozen=True)
class Benchmark:
    """Settings of one benchmark and the two functions that write its tasks and answers.

    ``difficulty`` are the parameters of the Beta distribution of the base chance; ``modes`` gives, per category,
    the chance of each failure mode of a rollout that does not succeed; ``unverified`` are the verifier fields of a
    rollout whose session was lost. ``write_answer`` is None where stories write whole rollouts.
    """

    name: str
    layout: Literal["plain", "submit"]
    plants: Literal["temperature", "damage", "nothing"]
    difficulty: tuple[int, int]
    modes: Mapping[str, Mapping[str, float]]
    temperature: float
    top_p: float
    max_output_tokens: int
    max_turns: int
    system: str
    tools: list[Json]
    judge: str | None
    unverified: Json
    dataset_id: str
    write_task: Callable[[Draws, int, float], Task]
    write_answer: Callable[[Draws, Task, str | None], Answer] | None = None

    @property
    def agent(self) -> Json:
        """Reference to the agent, as rows carry it."""
        return {"type": "responses_api_agents", "name": f"{self.name}_agent"}

    @property
    def categories(self) -> list[str]:
        """Categories of the tasks, which take turns."""
        return list(self.modes)


def message(text: str, number: int, status: str = "completed") -> Json:
    """An assistant message as an output item."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": f"msg-{number}", "role": "assistant", "status": status, "content": content}


def difficulty_label(base: float) -> str:
    """The dataset's label of a task: easy from a base chance of 0.6, medium from 0.3, else hard."""
    return "easy" if base >= 0.6 else "medium" if base >= 0.3 else "hard"
