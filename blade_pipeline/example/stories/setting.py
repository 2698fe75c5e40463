"""What the benchmarks of the stories have in common: one model alone, sampled at 0.7, and nothing damaged."""

import json
from collections.abc import Callable, Sequence

from blade_pipeline.example.benchmark import Benchmark, Json, Task
from blade_pipeline.example.draws import Draws


def story_benchmark(
    name: str,
    categories: Sequence[str],
    system: str,
    write_task: Callable[[Draws, int, float], Task],
    *,
    tools: Sequence[Json] = (),
    judge: str | None = None,
) -> Benchmark:
    """A benchmark whose tasks have base chances from Beta(3, 1), whatever their category."""
    return Benchmark(
        name=name,
        layout="plain",
        plants="nothing",
        difficulty=(3, 1),
        modes={category: {} for category in categories},
        temperature=0.7,
        top_p=0.95,
        max_output_tokens=4096,
        max_turns=30,
        system=system,
        tools=list(tools),
        judge=judge,
        unverified={},
        dataset_id=f"{name}_v1",
        write_task=write_task,
    )


def tool(name: str, description: str, /, **kinds: str) -> Json:
    """A tool as a request lists it; ``kinds`` are the JSON types of its arguments."""
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "name": name, "description": description, "parameters": parameters}


def text_call_items(number: int, name: str, arguments: Json, result: str) -> list[Json]:
    """The two output items of a tool call whose result is plain text: the call and what came back."""
    call_id = f"call-{number}"
    call = {"type": "function_call", "id": f"fc-{number}", "call_id": call_id, "name": name}
    return [
        call | {"arguments": json.dumps(arguments), "status": "completed"},
        {"type": "function_call_output", "id": None, "call_id": call_id, "output": result},
    ]
