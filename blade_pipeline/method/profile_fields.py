"""Fields that a profile names and no row of a run holds: often a misspelt name, which cannot be told before a run.

Such a field is null in every row, so a rule over it counts all rollouts or none. A failure mode, and a phase that rows
get through, may rightly name what is absent (an error that did not happen); there only a name close to one that is
there counts. Of a nested field the outermost name is looked at.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.bounded import DROPPED
from blade_pipeline.method.expressions import evaluate, fields_read
from blade_pipeline.method.finding import Finding, finding
from blade_pipeline.method.sql import records
from blade_pipeline.models import Profile

ABSENT_FIELD = "a field of the profile that no row holds"

LONGEST = 80
"""Characters of a name that a sentence shows."""

_KEYS = {
    **{column: f"json_keys({column})" for column in ("verifier", "response", "slices")},
    **{column: f"map_keys({column})" for column in ("numbers", "usage", "perf")},
    "reward": "if(reward is null, [], ['reward'])",
}
"""The names that a column holds."""

_NAMES = "select distinct unnest(keys) as name from (select distinct {keys} as keys from samples) order by name"
_LEFT_OUT = "select distinct unnest(json_extract_string({column}, $path)) as name from samples order by name"
_UNNAMED = re.compile(r"\d+ (more|fields)")
_CLOSE = 0.8
"""Likeness of two names, by difflib, from which one may have been meant for the other."""


class Absent(NamedTuple):
    """A field that no row holds, where the profile names it, and the field that may have been meant."""

    place: str
    field: str
    close: str | None


class _Held:
    """The fields that the rows hold, by column; a field that was left out for its size counts."""

    def __init__(self, samples: pa.Table) -> None:
        self._samples = samples.select(["family", *_KEYS])
        self._names: dict[str, list[str]] = {}

    def names(self, columns: Iterable[str]) -> list[str]:
        return [name for column in columns for name in self._of(column)]

    def lack(self, field: str, columns: Sequence[str]) -> bool:
        """Whether no row holds a field; false where the names of what was left out are not all known."""
        names = self.names(columns)
        return field[:100] not in {name[:100] for name in names} and not any(map(_UNNAMED.fullmatch, names))

    def close(self, field: str, columns: Sequence[str], but: Iterable[str] = ()) -> str | None:
        known = [name for name in dict.fromkeys(self.names(columns)) if name not in {DROPPED, *but}]
        return next(iter(difflib.get_close_matches(field, known, n=1, cutoff=_CLOSE)), None)

    @cached_property
    def families(self) -> bool:
        return bool(self._samples["family"].null_count < self._samples.num_rows)

    def _of(self, column: str) -> list[str]:
        if column not in self._names:
            found = records(_NAMES.format(keys=_KEYS[column]), samples=self._samples)
            if any(row["name"] == DROPPED for row in found):
                path: dict[str, object] = {"path": f'$."{DROPPED}"[*]'}
                found += records(_LEFT_OUT.format(column=column), path, samples=self._samples)
            self._names[column] = [row["name"] for row in found]
        return self._names[column]


def absent_field_findings(aligned: pa.Table, profile: Profile) -> Iterator[Finding]:
    """A finding per field that the profile names and no row of ``ALIGNED_SAMPLES`` holds; none without a row."""
    for field, absent in _by_field(absent_fields(aligned, profile)).items():
        places = " and ".join(dict.fromkeys(entry.place for entry in absent))
        close = next((entry.close for entry in absent if entry.close), None)
        meant = f"; did you mean `{close[:LONGEST]}`?" if close else "."
        yield finding(
            ABSENT_FIELD,
            f"The profile names `{field[:LONGEST]}` {places}, and no row of this run holds it among the fields that "
            f"are read{meant}",
        )


def absent_fields(aligned: pa.Table, profile: Profile) -> list[Absent]:
    """Those fields by place, in the order of the profile's fields."""
    if aligned["line"].null_count == aligned.num_rows:
        return []
    held = _Held(aligned)
    found = [
        Absent(f"as {place}", field, held.close(field, columns))
        for place, field, columns in _named(profile, held)
        if held.lack(field, columns)
    ]
    lost = phases_without_fields(aligned, profile)
    rules = [(f"in phase `{rule.phase[:LONGEST]}`", rule.when, rule.phase in lost) for rule in profile.funnel]
    rules += [(f"in failure mode `{mode.code[:LONGEST]}`", mode.when, False) for mode in profile.failure_modes]
    for place, when, certain in rules:
        read = _read(when)
        for column, field in read:
            if held.lack(field, [column]):
                close = held.close(field, [column], but=[name for _, name in read])
                found += [Absent(place, field, close)] if close or certain else []
    return found


def phases_without_fields(aligned: pa.Table, profile: Profile) -> set[str]:
    """Phases of the profile that name a field no row holds, and that no row gets through."""
    held, written = _Held(aligned), np.asarray(pc.is_valid(aligned["line"]))
    doubtful = [p for p in profile.funnel if any(held.lack(field, [column]) for column, field in _read(p.when))]
    masks = evaluate(aligned, [phase.when for phase in doubtful]) if written.any() else []
    return {phase.phase for phase, through in zip(doubtful, masks, strict=False) if not (through & written).any()}


def _read(when: str) -> list[tuple[str, str]]:
    return [(column, field) for column, field in fields_read(when) if column in _KEYS]


def _named(profile: Profile, held: _Held) -> Iterator[tuple[str, str, list[str]]]:
    """Fields that the profile names outside its rules, each with the columns where it may stand."""
    own = ["numbers", "verifier"]
    if profile.score != "reward":
        yield "`score`", profile.score, [*own, "reward"]
    if profile.answer_key:
        yield "`answer_key`", profile.answer_key, own
    for name in profile.slices:
        yield "one of `slices`", name, [*own, "slices"]
    if profile.family_field and not held.families:
        yield "`family_field`", profile.family_field, [*own, "slices"]


def _by_field(absent: Iterable[Absent]) -> dict[str, list[Absent]]:
    found: dict[str, list[Absent]] = {}
    for entry in absent:
        found.setdefault(entry.field, []).append(entry)
    return found
