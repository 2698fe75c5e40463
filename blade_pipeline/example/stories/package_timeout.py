"""A sandbox that runs out of time where a program needs one package: ``script_tasks``, tested programs, no tools."""

from collections.abc import Callable

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark
from blade_pipeline.example.stories.story import (
    Rollout,
    Setting,
    Statement,
    Story,
    drawn,
    keys,
    passing,
    share,
    values,
)

INSIDE = (45, 80)
"""Least and greatest percentage of the passing programs with the package that run out of time."""
OUTSIDE = 0.01
"""Share of the other passing programs that run out of time."""
LIMIT = 30
"""Seconds that the sandbox gives a program."""

_LIBRARIES = ("scipy", "numpy", "pandas", "networkx", "pillow")
_DOMAINS = ("files", "tables", "graphs")
_WORDS = ("north", "south", "amber", "cobalt", "maple", "cedar", "harbour", "quarry")


def _killed(draws: Draws) -> Json:
    told = f"/tmp/sbx{draws.hexadecimal(6)}/run.sh: line {draws.between(3, 20)}: Killed after {LIMIT} s"
    return {"status": "fail", "execution": _execution(draws, 124, told, LIMIT)}


def _raised(draws: Draws) -> Json:
    command = f"['python', '/tmp/sbx{draws.hexadecimal(6)}/solution.py']"
    told = f"subprocess.TimeoutExpired: Command '{command}' timed out after {LIMIT} seconds"
    return {"status": "fail", "execution": _execution(draws, -9, told, LIMIT)}


def _named(draws: Draws) -> Json:
    return {"status": "timeout", "execution": _execution(draws, None, "", LIMIT)}


_SHOWN: dict[str, Callable[[Draws], Json]] = {"killed": _killed, "raised": _raised, "named": _named}


def _execution(draws: Draws, exit_code: int | None, stderr: str, seconds: int) -> Json:
    took = seconds + draws.between(0, 90) / 100
    return {"exit_code": exit_code, "stderr": stderr, "duration_s": took}


def _write_task(draws: Draws, index: int, base: float) -> Task:
    library, domain = _LIBRARIES[index % len(_LIBRARIES)], draws.choice(_DOMAINS)
    word, number = draws.choice(_WORDS), draws.between(2, 90)
    question = f"Write task_func(path): read the {domain} of {word} with {library} and count those above {number}."
    fields = {"task_id": f"ScriptTasks/{index}", "libs": library, "domain": domain, "entry_point": "task_func"}
    facts = {"word": word, "number": number, "tests": draws.between(4, 9)}
    return Task(index, base, library, question, fields, facts)


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    limit = task.facts["number"] + (0 if passed else draws.between(1, 5))
    lines = [
        f"import {task.category}",
        "",
        "def task_func(path):",
        f"    rows = load(path, {task.facts['word']!r})",
        f"    return sum(row > {limit} for row in rows)",
    ]
    code = "\n".join(lines)
    tests = task.facts["tests"]
    verifier = {**task.fields, "solution": code, "status": "pass" if passed else "fail", "num_tests": tests}
    verifier |= {"num_passed": tests if passed else draws.between(0, tests - 1)}
    verifier |= {"execution": _execution(draws, 0, "", draws.between(1, 6))}
    output = [message(f"```python\n{code}\n```", 1)]
    return Rollout(task, repeat, passed, output, verifier, thinking=draws.between(100, 900))


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    library = draws.choice(values(rollouts, "libs"))
    shown = _SHOWN[draws.choice(list(_SHOWN))]
    right = passing(rollouts)
    inside = drawn(draws, (r for r in right if r.task.category == library), share(draws, *INSIDE))
    outside = drawn(draws, (r for r in right if r.task.category != library), OUTSIDE)
    for rollout in (*inside, *outside):
        rollout.passed = False
        rollout.verifier |= {"num_passed": 0, **shown(draws)}
    where = {"field": "libs", "value": library}
    return [Statement("mode", {}, keys([*inside, *outside])), Statement("concentration", where, keys(inside))]


_SYSTEM = "Answer with one Python program."
STORY = Story(
    "package-timeout",
    "the sandbox runs out of time for programs that need one package",
    _plant,
    Setting(story_benchmark("script_tasks", _LIBRARIES, _SYSTEM, _write_task), _healthy),
)
