"""A sandbox whose disk fills up where the data are large: ``bulk_shell``, data jobs in a shell."""

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark, text_call_items, tool
from blade_pipeline.example.stories.story import Rollout, Setting, Statement, Story, drawn, keys, passing, share

INSIDE = (40, 75)
"""Least and greatest percentage of the passing rollouts with large data that hand in what was written by then."""
OUTSIDE = 0.01
"""Share of the other passing rollouts that do."""
CLEARED = 0.5
"""Chance of any other rollout with large data that it meets the full disk too, makes room and runs its job again."""
TIMED_OUT, NO_PACKAGE, NOTHING_FOUND = 0.04, 0.12, 0.3
"""Chances that the agent's time runs out, that a package is missing at first, and that a grep finds nothing."""

_JOBS = ("dedupe", "join", "histogram", "resample")
_FORMATS = ("csv", "jsonl", "tsv")
_FULL = (
    "OSError: [Errno 28] No space left on device: '/app/out/part-{number:04d}'",
    "sort: write failed: /tmp/sort{number}: No space left on device",
    "pigz: abort: write error on /app/out/{number}.gz (No space left on device)",
)
_SUMMARY = "{failed} failed, {passed} passed in {seconds}.{hundredths:02d}s"
_TESTS = 4


def _write_task(draws: Draws, index: int, base: float) -> Task:
    job, kind, large = _JOBS[index % len(_JOBS)], draws.choice(_FORMATS), index % 3 == 1
    rows = draws.between(60_000, 900_000) if large else draws.between(300, 9_000)
    question = f"Run a {job} over /data/in.{kind} on key k{draws.between(1, 40)} and write /app/out/result.{kind}."
    fields: Json = {"instance_id": f"bulk-{job}-{index:03d}", "job": job, "file_format": kind, "large_data": large}
    return Task(index, base, job, question, fields, {"rows": rows, "large": large, "format": kind})


def _told(code: int, text: str) -> str:
    return f"<returncode>{code}</returncode>\n<output>\n{text}</output>"


def _ran(command: str, code: int, text: str) -> tuple[str, Json, str]:
    return "bash", {"command": command}, _told(code, text)


def _opening(draws: Draws, task: Task) -> list[tuple[str, Json, str]]:
    used = draws.between(88, 97) if task.facts["large"] else draws.between(30, 60)
    calls = [
        _ran("df -h /app", 0, f"overlay  10G  {used // 10}.{used % 10}G  {used}% /"),
        _ran(f"wc -l /data/in.{task.facts['format']}", 0, f"{task.facts['rows']} /data/in.{task.facts['format']}"),
    ]
    if draws.uniform() < NOTHING_FOUND:
        calls.append(_ran("grep -c '^#' /data/in.*", 1, "0"))
    if draws.uniform() < NO_PACKAGE:
        calls += [_job(1, "ModuleNotFoundError: No module named 'tqdm'"), _ran("pip install tqdm", 0, "installed")]
    return calls


def _job(code: int, text: str) -> tuple[str, Json, str]:
    return _ran("python3 /app/job.py --out /app/out", code, text)


def _handed_in(task: Task, rows: int) -> tuple[str, Json, str]:
    kind = task.facts["format"]
    return _ran(f"wc -l /app/out/result.{kind} && echo JOB_IS_DONE", 0, f"{rows} /app/out/result.{kind}\nJOB_IS_DONE")


def _items(draws: Draws, calls: list[tuple[str, Json, str]]) -> list[Json]:
    plan = [{"type": "summary_text", "text": "I look at the input and at the room on the disk, then I write the job."}]
    items: list[Json] = [{"type": "reasoning", "id": f"rs-{draws.hexadecimal(8)}", "summary": plan}]
    for number, call in enumerate(calls, start=1):
        items += text_call_items(number, *call)
    return items


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    calls, rows, minutes = _opening(draws, task), task.facts["rows"], draws.between(2, 9)
    if draws.uniform() < TIMED_OUT:
        verifier = _verdict(draws, task, 1, "test_exists - AssertionError: no file in /app/out", 30, timed_out=True)
        return Rollout(task, repeat, False, _items(draws, [*calls, _job(0, "")]), verifier, thinking=900)
    output = [*_items(draws, [*calls, _job(0, f"wrote {rows} rows"), _handed_in(task, rows)])]
    output.append(message("The job is done and the result is written.", 99))
    right = draws.between(1000, 90_000)
    failed = "" if passed else f"test_values - AssertionError: assert {right + draws.between(1, 400)} == {right}"
    verifier = _verdict(draws, task, int(not passed), failed, minutes)
    return Rollout(task, repeat, passed, output, verifier, thinking=draws.between(200, 1500))


def _verdict(draws: Draws, task: Task, failed: int, said: str, minutes: int, *, timed_out: bool = False) -> Json:
    """Fields as a terminal benchmark leaves them: the tests' exit code and output, and how the agent ended."""
    took = {"seconds": draws.between(1, 9), "hundredths": draws.between(0, 99)}
    lines = [f"FAILED tests/test_outputs.py::{said}"] if said else []
    lines.append(_SUMMARY.format(failed=failed, passed=_TESTS - failed, **took))
    ended = {"agent_timed_out": timed_out, "agent_error_kind": "timeout" if timed_out else None}
    results = {"passed": _TESTS - failed, "failed": failed, "total_expected": _TESTS}
    checked = {"verifier_exit_code": int(failed > 0), "test_results": results, "test_output": "\n".join(lines)}
    return {**task.fields, **ended, **checked, "agent_run_time": minutes * 60 + draws.between(0, 599) / 10}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    full, silent = draws.choice(_FULL), draws.uniform() < 0.4
    late = [rollout for rollout in rollouts if rollout.verifier["agent_timed_out"]]
    right = passing(rollouts)
    inside = drawn(draws, (r for r in right if r.task.facts["large"]), share(draws, *INSIDE))
    outside = drawn(draws, (r for r in right if not r.task.facts["large"]), OUTSIDE)
    for rollout in (*inside, *outside):
        _cut_short(draws, rollout, full)
    spared = {*keys(inside), *keys(late)}
    for rollout in drawn(draws, (r for r in rollouts if r.task.facts["large"] and r.key not in spared), CLEARED):
        _make_room(draws, rollout, full)
    if silent:
        for rollout in rollouts:
            rollout.verifier["test_output"] = rollout.verifier["test_output"].splitlines()[-1]
    where = {"field": "large_data", "value": True}
    planted = [Statement("mode", {}, keys([*inside, *outside])), Statement("concentration", where, keys(inside))]
    return [*planted, Statement("mode", {}, keys(late))] if late else planted


def _cut_short(draws: Draws, rollout: Rollout, full: str) -> None:
    task = rollout.task
    written = task.facts["rows"] * draws.between(5, 80) // 100
    calls = [*_opening(draws, task), _job(1, full.format(number=draws.between(1, 9999))), _handed_in(task, written)]
    rollout.passed = False
    rollout.output = [*_items(draws, calls), message("The job is done and the result is written.", 99)]
    said = f"test_row_count - AssertionError: {written} rows, expected {task.facts['rows']}"
    rollout.verifier |= _verdict(draws, task, 1, said, draws.between(2, 9))


def _make_room(draws: Draws, rollout: Rollout, full: str) -> None:
    number = next(n for n, item in enumerate(rollout.output) if "wrote" in item.get("output", "")) - 1
    failed = _job(1, full.format(number=draws.between(1, 9999)))
    cleared = _ran("rm -rf ~/.cache /tmp/sort* /app/out/*", 0, "")
    rollout.output[number:number] = [*text_call_items(50, *failed), *text_call_items(51, *cleared)]


_SYSTEM = "You have a shell. Finish with 'echo JOB_IS_DONE'."
STORY = Story(
    "full-disk",
    "the sandbox's disk fills up for tasks with large data",
    _plant,
    Setting(
        story_benchmark(
            "bulk_shell", _JOBS, _SYSTEM, _write_task, tools=(tool("bash", "Runs a command.", command="string"),)
        ),
        _healthy,
    ),
)
