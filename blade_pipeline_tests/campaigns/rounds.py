"""What a kill hit, what was wrong after it, and the table of a campaign."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blade_pipeline.storage.atomic import leftovers


@dataclass(frozen=True)
class Round:
    """Where a kill fell, and everything that was wrong afterwards."""

    place: str
    wrong: list[str]


def kept(store: Path) -> dict[str, bytes]:
    """Artifacts and published pages below a store, without files of writers at work."""
    paths = [path for folder in ("artifacts", "reports") for path in (store / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(store)): path.read_bytes() for path in paths if not path.name.startswith(".")}


def half_written(store: Path, right: dict[str, bytes]) -> Iterator[str]:
    """Files under a final name that are not what the undisturbed analysis wrote."""
    for name, content in kept(store).items():
        if right.get(name) != content:
            yield f"{name} was readable half written"


def not_mended(store: Path, right: dict[str, bytes]) -> Iterator[str]:
    """What the run after a kill left otherwise than the undisturbed one, and files of the writer that was killed."""
    found = kept(store)
    yield from (f"{name} differs" for name in sorted(found.keys() | right.keys()) if found.get(name) != right.get(name))
    yield from (f"temporary {path.name} is left" for path in leftovers(store))


def own_settings() -> dict[str, str]:
    """The environment without settings of whoever starts the campaign."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("BLADE_", "DAGSTER_"))}


def tabled(rounds: Iterable[Round], places: Sequence[str]) -> bool:
    """Prints each kill as it is done, then a table of places, kills and bad ends; whether all ended well."""
    hit, bad = Counter[str](), Counter[str]()
    for number, one in enumerate(rounds, 1):
        hit[one.place] += 1
        bad[one.place] += bool(one.wrong)
        print(f"{number}: {one.place} {'; '.join(one.wrong)}", flush=True)
    for place in [*places, *sorted(hit.keys() - set(places))]:
        print(f"| {place} | {hit[place]} | {bad[place]} |")
    return not bad.total()
