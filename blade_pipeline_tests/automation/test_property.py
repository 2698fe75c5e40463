"""After any story of changes, what was built step by step is what would be built from nothing."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade_pipeline.assets.factory import assets_of
from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.assets.world import see
from blade_pipeline.automation.outdated import outdated
from blade_pipeline.automation.records import load_records
from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.automation.small_graph import SMALL
from blade_pipeline_tests.automation.world import World, row, write_lines

pytestmark = pytest.mark.long

BENCHMARKS, RUNS = ("aime", "gpqa"), ("m1", "m2", "m3")

Step = tuple[str, str, str]


def append(world: World, benchmark: str, run: str) -> None:
    path = world.run(run, benchmark) / "rollouts.jsonl"
    count = len(path.read_text().splitlines()) if path.exists() else 0
    write_lines(path, [row(0, count, float(count % 2), count, run)], "a")


def rewrite(world: World, benchmark: str, run: str) -> None:
    """The same bytes in a new file."""
    path = world.run(run, benchmark) / "rollouts.jsonl"
    if path.exists():
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)


def vanish(world: World, benchmark: str, run: str) -> None:
    shutil.rmtree(world.run(run, benchmark), ignore_errors=True)


def declare(world: World, benchmark: str, run: str) -> None:
    world.write("profiles", benchmark, f"margin: {run[-1]} # {benchmark}\n")


def comment(world: World, benchmark: str, _: str) -> None:
    path = world.root / "profiles" / f"{benchmark}.yaml"
    if path.exists():
        path.write_text(path.read_text() + "# more\n")


def lose(world: World, benchmark: str, run: str) -> None:
    world.store.remove("artifacts", "mean", benchmark, f"{run}.json")


def forget(world: World, _: str, run: str) -> None:
    world.instance.wipe_assets([dg.AssetKey(SMALL.stages[int(run[-1])].name)])


def lose_cursor(world: World, *_: str) -> None:
    world.cursor = None


def press(world: World, benchmark: str, run: str) -> None:
    """Somebody materializes one partition by hand, in whatever state its inputs are."""
    world.tick()
    names = world.instance.get_dynamic_partitions
    if benchmark in names("benchmarks") and run in names("model_runs"):
        dg.materialize(
            assets_of(SMALL),
            selection=["mean"],
            partition_key=partition_key(Cell(benchmark, run)),
            instance=world.instance,
            resources={"workspace": world.workspace},
            raise_on_error=False,
        )


def analyse(world: World, *_: str) -> None:
    if world.runs.is_dir():
        world.analyse()


def sense(world: World, *_: str) -> None:
    world.sense()


STEPS: dict[str, Callable[[World, str, str], None]] = {
    function.__name__: function
    for function in (append, rewrite, vanish, declare, comment, lose, forget, lose_cursor, press, analyse, sense)
}
stories = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), st.sampled_from(BENCHMARKS), st.sampled_from(RUNS)), max_size=10
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(story=stories, ends_with_sensor=st.booleans())
def test_built_step_by_step_is_built_from_nothing(story: list[Step], ends_with_sensor: bool) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
        dg.DagsterInstance.ephemeral() as instance,
    ):
        world = World(Path(folder).resolve(), instance, patch)
        world.use(SMALL)
        append(world, "aime", "m1")
        for name, benchmark, run in story:
            STEPS[name](world, benchmark, run)
        world.sense() if ends_with_sensor else world.analyse()
        live = see(world.settings)
        assert outdated(instance, live, SMALL).due == []
        records = load_records(instance, SMALL, live.runs, live.store)
        assert {key: record.data_version for key, record in records.items()} == {
            key: world.store.read(*key).version for key in records
        }
        before = dict(records)
        world.analyse()
        world.sense()
        assert load_records(instance, SMALL, live.runs, live.store) == before
        assert _from_nothing(world) == {key: record.data_version for key, record in records.items()}


def _from_nothing(world: World) -> dict[tuple[str, Cell], str]:
    with pytest.MonkeyPatch.context() as patch, dg.DagsterInstance.ephemeral() as instance:
        fresh = World(world.root, instance, patch)
        fresh.settings = type(world.settings)(**{**vars(world.settings), "store": str(world.root / "fresh")})
        fresh.use(SMALL)
        fresh.analyse()
        store = Store(fresh.settings.store)
        return {key: store.read(*key).version for key in store.artifacts()}
