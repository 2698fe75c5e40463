"""What is told, once, how sure it is, and what becomes of a channel that does not listen."""

import json
import shutil
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from blade_pipeline.assets.live import Live
from blade_pipeline.automation.notify import memory as remembering
from blade_pipeline.automation.notify import notify, tell, webhook
from blade_pipeline.automation.notify.channels import FileChannel, LogChannel, WebhookChannel, channels_of
from blade_pipeline.automation.notify.memory import Memory
from blade_pipeline.automation.notify.notice import Notice
from blade_pipeline.automation.notify.standing import Standing, Told, after, due_of, standing_of, up_to_date
from blade_pipeline.automation.notify.webhook import ChannelError
from blade_pipeline.automation.telling import failed_run, notification_sensor, run_failure_notifications
from blade_pipeline.gym import RunDirectory
from blade_pipeline.storage import Cell, SourceMemo, Store
from blade_pipeline_tests.automation.receiver import Receiver, receiver
from blade_pipeline_tests.automation.world import START, World, row, write_lines
from blade_pipeline_tests.processes import LONGEST_WAIT_SECONDS

M2 = Cell("aime", "m2")
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
NOTICE = Notice(
    "regression", "aime", "m2", "aime/m2 is worse than m1 beyond noise", "-20.0 points", "/r.html", "m1", "v"
)


def pair(value: float, *, verdict: str = "model_change", better: bool = True, metric: str = "pass@1") -> dict[str, Any]:
    return {
        "run_a": "m1",
        "verdict": verdict,
        "varying": "model",
        "conditional_on": ["judge", "harness"],
        "checks": [{"id": "model", "status": "same"}, {"id": "judge", "status": "unknown"}],
        "difference": {
            "metric": metric,
            "value": value,
            "tasks": 40,
            "higher_is_better": better,
            "new_tasks": {"low": value - 0.1, "high": value + 0.1, "level": 0.95},
        },
    }


def standing(
    found: dict[str, Any] | None, *, verdict: str = "model_change", measured: int = 100, floor: float | None = None
) -> Standing:
    coverage = {
        "measured_share": measured / 120,
        "min_coverage": floor,
        "accounting": {"measured": measured, "expected": 120},
    }
    comparison = {"pairs": [found] if found else [], "reason": "the run before it"}
    return standing_of(M2, "v1", {"verdict": verdict}, comparison, coverage, "/r.html")


def test_a_change_for_the_worse_is_a_regression_and_says_how_sure_it_is() -> None:
    (notice,) = standing(pair(-0.2)).conditions
    assert notice.what == "aime/m2 is worse than m1 beyond noise, provided that 2 unknown settings are the same"
    assert notice.how_sure == (
        "pass@1 -20.0 points against m1 on 40 common tasks, 95% interval for new tasks -30.0 to -10.0 points"
    )
    assert notice.text == f"{notice.what} ({notice.how_sure}). Look at /r.html"
    (slower,) = standing(pair(0.2, better=False, metric="mean score")).conditions
    assert slower.how_sure.startswith("mean score +0.2 against m1")


def test_a_weaker_model_is_told_with_why_it_is_held_against_the_stronger() -> None:
    (notice,) = standing(pair(-0.2) | {"checks": [{"id": "model", "status": "different"}]}).conditions
    assert notice.kind == "regression"
    assert notice.how_sure.endswith("-10.0 points. The models differ; the baseline is the run before it")


@pytest.mark.parametrize(
    "found",
    [
        None,
        pair(0.2),
        pair(-0.2, better=False),
        pair(-0.2, verdict="no_detectable_change"),
        pair(-0.2, verdict="not_comparable"),
    ],
)
def test_nothing_else_is(found: dict[str, Any] | None) -> None:
    assert standing(found).conditions == ()


def test_coverage_counts_against_the_floor_of_the_profile() -> None:
    """100 of 120 are 83.3%: below 0.9, not below 0.8 nor below exactly as much, and of no interest without a floor."""
    (notice,) = standing(None, floor=0.9).conditions
    assert notice.what == "aime/m2: less is measured than the profile's min_coverage of 90.0%"
    assert notice.how_sure == "83.3% of the expected rollouts are measured, 100 of 120"
    for floor in (None, 0.8, 100 / 120):
        assert standing(None, floor=floor).conditions == ()


def test_the_first_verdict_is_no_change_and_the_next_is_told_once() -> None:
    first, then = standing(None, verdict="equivalent"), standing(pair(-0.2), verdict="model_change")
    assert due_of(None, first) == []
    told = up_to_date(first)
    changed, worse = due_of(told, then)
    assert changed.what == "aime/m2: the verdict went from equivalent to model_change"
    assert (changed.kind, worse.kind) == ("verdict_changed", "regression")
    told = after(told, changed, then)
    assert due_of(told, then) == [worse]
    told = after(told, worse, then)
    assert due_of(told, then) == []


def test_what_stands_is_told_again_only_after_it_had_gone() -> None:
    worse, better = standing(pair(-0.2)), standing(pair(0.2))
    told = up_to_date(worse)
    assert due_of(told, replace(worse, report="v2")) == []
    assert due_of(up_to_date(better), worse) == list(worse.conditions)
    other = pair(-0.2) | {"run_a": "m0"}
    assert [notice.kind for notice in due_of(told, standing(other))] == ["regression"]


@pytest.fixture
def listening() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(webhook, "SECONDS", LONGEST_WAIT_SECONDS)
    for name in ("http_proxy", "HTTP_PROXY", "BLADE_NOTIFY_FILE", "BLADE_NOTIFY_WEBHOOK", "BLADE_NOTIFY_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_a_webhook_gets_one_json_object_and_the_token(listening: Receiver) -> None:
    WebhookChannel(listening.url, "secret-token").send(NOTICE)
    (body,) = listening.bodies
    assert listening.authorizations == ["Bearer secret-token"]
    assert body.keys() == {
        *("schema_version", "id", "at", "kind", "benchmark", "run", "what", "how_sure", "look", "text"),
    }
    assert body["text"] == "aime/m2 is worse than m1 beyond noise (-20.0 points). Look at /r.html"
    WebhookChannel(listening.url, None).send(NOTICE)
    WebhookChannel(listening.url, None).send(replace(NOTICE, origin="w"))
    assert listening.authorizations[1:] == [None, None]
    assert [body["id"] == other["id"] for other in listening.bodies[1:]] == [True, False]


@pytest.mark.parametrize(
    ("statuses", "tries", "sentence"),
    [
        ([503, 429, 204], 3, None),
        ([500], 3, "the webhook answered with status 500"),
        ([401], 1, "the webhook answered with status 401"),
        ([302], 1, "the webhook answered with status 302"),
    ],
)
def test_tries_are_counted(listening: Receiver, statuses: list[int], tries: int, sentence: str | None) -> None:
    """A redirect is not followed: the token would go elsewhere."""
    listening.statuses = statuses
    listening.headers = {"Location": listening.url}
    channel = WebhookChannel(listening.url, "secret-token")
    if sentence is None:
        channel.send(NOTICE)
    else:
        with pytest.raises(ChannelError) as raised:
            channel.send(NOTICE)
        assert str(raised.value) == sentence
    assert len(listening.bodies) == tries


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/secret-path",
        "http://127.0.0.1:1/secret-path",
        "http://127.0.0.1:notaport/secret-path",
        "http://[secret-path/",
        "secret-path",
        "http://127.0.0.1:1/secret path\n",
    ],
)
def test_what_cannot_be_reached_is_said_without_address_or_token(url: str) -> None:
    with pytest.raises(ChannelError) as raised:
        WebhookChannel(url, "secret-token\n").send(NOTICE)
    assert "secret" not in str(raised.value)


def test_a_receiver_that_never_answers_holds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(ChannelError):
            WebhookChannel(f"http://127.0.0.1:{silent.getsockname()[1]}/", None).send(NOTICE)


def test_a_file_gets_a_line_each_also_after_half_a_line(tmp_path: Path) -> None:
    path = tmp_path / "deep/notices.jsonl"
    FileChannel(path).send(NOTICE)
    path.write_text(path.read_text() + '{"half')
    FileChannel(path).send(NOTICE)
    first, half, second = path.read_text().splitlines()
    assert half == '{"half'
    assert json.loads(first)["id"] == json.loads(second)["id"]
    with pytest.raises(ChannelError, match="cannot be written"):
        FileChannel(tmp_path).send(NOTICE)


def test_the_environment_names_the_channels() -> None:
    assert channels_of({}) == []
    assert [channel.name for channel in channels_of({}, print)] == ["log"]
    named = {"BLADE_NOTIFY_FILE": "n.jsonl", "BLADE_NOTIFY_WEBHOOK": "http://h", "BLADE_NOTIFY_TOKEN": "t"}
    assert [channel.name for channel in channels_of(named)] == ["file", "webhook"]


def write_scores(world: World, run: str, passed: int, at: int) -> None:
    """Twenty tasks with two repeats each, of which the first ``passed`` pass."""
    rows = [row(task, repeat, float(task < passed), START + at, run) for task in range(20) for repeat in range(2)]
    write_lines(world.run(run) / "rollouts.jsonl", rows)


def test_an_analysis_tells_each_channel_once_and_a_dead_one_later(
    empty: World, listening: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """m2 falls from 18 to 2 of 20 tasks after it was as good as m1."""
    write_scores(empty, "m1", 18, 0)
    write_scores(empty, "m2", 18, 3600)
    file = empty.root / "notices.jsonl"
    monkeypatch.setenv("BLADE_NOTIFY_FILE", str(file))
    monkeypatch.setenv("BLADE_NOTIFY_WEBHOOK", listening.url)
    assert notify(empty.analyse().live) == []
    assert listening.bodies == []
    write_scores(empty, "m2", 2, 3600)
    live = empty.analyse().live
    listening.statuses = [500]
    (problem,) = notify(live)
    assert problem == "Notices were not told by webhook: the webhook answered with status 500; they are tried again."
    assert [json.loads(line)["kind"] for line in file.read_text().splitlines()] == ["verdict_changed", "regression"]
    listening.bodies.clear()
    listening.statuses = [204]
    assert notify(live) == notify(live) == []
    assert [body["kind"] for body in listening.bodies] == ["verdict_changed", "regression"]
    assert listening.bodies[0]["what"] == "aime/m2: the verdict went from no_detectable_change to model_change"
    assert "-80.0 points against m1 on 20 common tasks" in listening.bodies[1]["how_sure"]
    assert Path(listening.bodies[1]["look"]).is_file()
    assert len(file.read_text().splitlines()) == 2
    assert "127.0.0.1" not in (empty.root / "store/notified.json").read_text()


class Kept:
    """A channel that keeps what it was told, and may die after that."""

    name = "kept"

    def __init__(self) -> None:
        self.told: list[Notice] = []
        self.dies = False

    def send(self, notice: Notice) -> None:
        self.told.append(notice)
        if self.dies:
            raise KeyboardInterrupt


def world_of(tmp_path: Path, waiting: dict[Cell, str]) -> Live:
    store = Store(tmp_path / "store")
    folder = Path("/runs/aime/m2")
    runs = {cell: RunDirectory("aime", "m2", folder, "plain", "aime", "m2", (), ()) for cell in waiting}
    return Live(store=store, folders={}, runs=runs, waiting=waiting, memo=SourceMemo(store))


def test_a_run_that_never_settles_is_told_of_after_its_hours(tmp_path: Path) -> None:
    kept, live = Kept(), world_of(tmp_path, {M2: "3 of 5 have no row"})
    for hours in (0, 23.9, 24, 25):
        tell(live, [kept], 24, NOW + timedelta(hours=hours), {})
    (notice,) = kept.told
    assert notice.what == "aime/m2 has not settled for 24 hours or more"
    assert notice.how_sure == "being written since 2026-11-29T12:00:00+00:00 at least; 3 of 5 have no row"
    assert notice.look == "/runs/aime/m2"
    live.waiting = {}
    tell(live, [kept], None, NOW, {})
    assert Memory.load(live.store).waiting == {"aime/m2": "2026-11-29T12:00:00+00:00"}
    tell(live, [kept], 24, NOW + timedelta(hours=26), {})
    live.waiting = {M2: "again"}
    for hours in (30, 54):
        tell(live, [kept], 24, NOW + timedelta(hours=hours), {})
    assert len(kept.told) == 2


def test_a_death_between_telling_and_remembering_tells_twice_and_never_not_at_all(tmp_path: Path) -> None:
    kept, live = Kept(), world_of(tmp_path, {})
    kept.dies = True
    with pytest.raises(KeyboardInterrupt):
        tell(live, [kept], 24, NOW, {"run-1": NOTICE})
    kept.dies = False
    tell(live, [kept], 24, NOW, {"run-1": NOTICE})
    tell(live, [kept], 24, NOW, {})
    tell(live, [kept], 24, NOW, {"run-1": NOTICE})
    assert kept.told == [NOTICE, NOTICE]
    assert kept.told[0].payload("")["id"] == kept.told[1].payload("")["id"]


def test_failures_wait_for_a_dead_channel_in_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "MOST_FAILURES", 2)
    live, lines = world_of(tmp_path, {}), list[str]()
    dead = FileChannel(tmp_path)
    for number in range(3):
        problems = tell(live, [LogChannel(lines.append), dead], 24, NOW, {f"run-{number}": NOTICE})
        assert len(problems) == 1
    assert len(lines) == 3
    assert list(Memory.load(live.store).failures) == ["run-1", "run-2"]
    alive = FileChannel(tmp_path / "alive.jsonl")
    assert tell(live, [LogChannel(lines.append), alive], 24, NOW, {}) == []
    assert (len(lines), len((tmp_path / "alive.jsonl").read_text().splitlines())) == (3, 2)
    assert Memory.load(live.store).failures == {}


def test_a_broken_memory_is_an_empty_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for content in (b"{", b"[]", b'{"heard": {"log": {}}}', b'{"failures": {"r": {"x": 1}}}'):
        store.write_bytes(content, "notified.json")
        assert Memory.load(store) == Memory()


def test_an_environment_that_is_wrong_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_UNSETTLED_HOURS", "soon")
    problems = notify(world_of(tmp_path, {}), print)
    assert problems == ["Notices were not told: BLADE_UNSETTLED_HOURS is 'soon'; give a number of hours."]


def test_the_sensor_tells_its_tick(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "3600")
    monkeypatch.setenv("BLADE_UNSETTLED_HOURS", "0")
    resources = {"workspace": world.workspace}
    with dg.build_sensor_context(world.instance, resources=resources) as context:
        found = notification_sensor(context)
        again = notification_sensor(context)
    assert isinstance(found, dg.SkipReason)
    assert isinstance(again, dg.SkipReason)
    assert str(found.skip_message).startswith("aime/m1 has not settled for 0 hours or more (being written since ")
    assert again.skip_message == "nothing new in 3 runs"


def test_a_failed_run_names_its_partition() -> None:
    run = dg.DagsterRun("__ASSET_JOB", run_id="r-1", tags={"dagster/partition": "aime|m2"})
    notice = failed_run(run, "no")
    assert (notice.what, notice.look) == ("__ASSET_JOB of aime/m2 failed: no", "the run r-1 in Dagster")
    assert failed_run(dg.DagsterRun("reanalyze_everything", run_id="r"), "no").what == "reanalyze_everything failed: no"


def test_a_failed_run_with_a_sentence_of_ours_reads_as_one_line() -> None:
    told = failed_run(dg.DagsterRun("reanalysis", run_id="r"), "x.yaml: no score. Skipped below it: coverage.").text
    assert told == (
        "reanalysis failed: x.yaml: no score. Skipped below it: coverage (certain). Look at the run r in Dagster"
    )


def test_the_failure_sensor_tells_the_sentence_of_the_failed_job(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the folder of runs is gone, and once however often Dagster asks."""
    monkeypatch.setenv("BLADE_NOTIFY_FILE", str(world.root / "notices.jsonl"))
    world.write("profiles", "aime", "pass_treshold: 1")
    world.tick()
    world.reanalyse("aime", fails=True)
    (run,) = world.instance.get_runs(dg.RunsFilter(job_name="reanalysis"))
    shutil.rmtree(world.runs)
    (event,) = world.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.RUN_FAILURE)
    assert event.dagster_event is not None
    for _ in range(2):
        context = dg.build_run_status_sensor_context(
            sensor_name="run_failure_notifications",
            dagster_event=event.dagster_event,
            dagster_instance=world.instance,
            dagster_run=run,
            resources={"workspace": world.workspace},
        ).for_run_failure()
        run_failure_notifications(context)
    (line,) = (world.root / "notices.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert (told["kind"], told["benchmark"], told["run"]) == ("run_failed", "aime", None)
    assert told["what"].startswith("reanalysis of aime failed: benchmark_profile of aime failed: ")
    assert "unknown field 'pass_treshold'" in told["what"]
    assert run.run_id in told["look"]


def test_what_is_told_of_a_forgotten_run_is_forgotten(tmp_path: Path) -> None:
    kept, live = Kept(), world_of(tmp_path, {M2: "no end"})
    tell(live, [kept], 0, NOW, {})
    remembering.forget_told(live.store, M2)
    assert Memory.load(live.store).waiting == {}
    assert Memory.load(live.store).heard["kept"].unsettled == {}
    assert Told() == Told(None, None, {})
